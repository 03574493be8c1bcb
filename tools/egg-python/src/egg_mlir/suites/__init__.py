"""How PyTorch computes the workloads of benchmarks/suites, one module a suite."""
