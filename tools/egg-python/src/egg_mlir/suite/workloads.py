"""The table of a suite: benchmarks/suites/NAME.json, read strictly."""
import importlib
import math
import pathlib

from egg_mlir import results

ARGUMENT = {
    "shape": lambda v: None if isinstance(v, list) and all(results._count(d) is None for d in v) else "a list of extents",
    "type": lambda v: None if v in ("f64", "f32", "f16", "bf16") else "f64, f32, f16 or bf16",
    "scale": results._positive,
}
WORKLOAD = {
    "name": results._filled,
    "payload": results._path,
    "function": results._filled,
    "arguments": lambda v: None if isinstance(v, list) and v else "a list of arguments",
    "parameters": results._count,
    "flops": results._count,
    "bytes": results._count,
    "class": lambda v: None if v in ("memory", "compute") else "memory or compute",
    "rate": results._filled,
    "gate": lambda v: None if v in ("elementwise", "accumulation") else "elementwise or accumulation",
    "tile_dimension": lambda v: None if v in (-1, 0, 1, 2, 3) else "a dimension of the first input",
}
SUITE = {
    "format": results.TOP["format"],
    "suite": results._filled,
    "policy": results._policy,
    "rates_tflops": lambda v: results._map_of(results._positive)(v),
    "workloads": lambda v: None if isinstance(v, list) and v else "a list of workloads",
}


def load(path):
    """The suite in a file. Raises results.Problem with a sentence."""
    suite = results.load(path)
    problems = results.object_problems(suite, SUITE)
    for number, workload in enumerate(suite["workloads"] if not problems else ()):
        found = results.object_problems(workload, WORKLOAD)
        if not found:
            for argument in workload["arguments"]:
                found += results.object_problems(argument, ARGUMENT)
            if workload["rate"] not in suite["rates_tflops"]:
                found.append(f"no rate is named {workload['rate']!r}")
            if workload["parameters"] >= len(workload["arguments"]):
                found.append("every argument is a parameter: nothing is left to vary")
        problems += [f"workload {number}: {problem}" for problem in found]
    if problems:
        raise results.Problem(f"{path}: " + "; ".join(problems))
    return suite


def function_of(suite, workload):
    """The PyTorch function of a workload, from egg_mlir.suites; a twin computes
    what its original does."""
    name = suite["suite"].removesuffix("_twin")
    module = importlib.import_module(f"egg_mlir.suites.{name}")
    function = getattr(module, workload["function"], None)
    if workload["function"].startswith("_") or not callable(function):
        raise results.Problem(f"egg_mlir.suites.{name} has no function {workload['function']!r}")
    return function


def select(suite, names):
    """The workloads of the names, in the suite's order; all without names."""
    known = [w["name"] for w in suite["workloads"]]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise results.Problem(f"no workload is named {', '.join(unknown)}; there are {', '.join(known)}")
    return [w for w in suite["workloads"] if not names or w["name"] in names]


def read_only(workload):
    """Whether the results are small beside the arguments, so that reading alone
    bounds the time: at most one byte in 64 written."""
    width = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}
    read = sum(math.prod(a["shape"]) * width[a["type"]] for a in workload["arguments"])
    return 64 * (workload["bytes"] - read) <= workload["bytes"]


def floor_ms(suite, workload, copy_gbps, read_gbps):
    """The least time of a workload in ms: its flops at the suite's rate of their
    class, or its bytes, each counted once, at the bandwidth that this run measured
    (reading alone for read-only kernels). None without a bandwidth."""
    bandwidth = read_gbps if read_only(workload) else copy_gbps
    if bandwidth is None:
        return None
    rate = suite["rates_tflops"][workload["rate"]]
    return max(workload["flops"] / (rate * 1e9), workload["bytes"] / (bandwidth * 1e6))


def repository_root(start=None):
    """The nearest folder above `start` that holds benchmarks/suites."""
    here = pathlib.Path(start or ".").resolve()
    for folder in (here, *here.parents):
        if (folder / "benchmarks" / "suites").is_dir():
            return folder
    raise results.Problem(f"no folder above {here} holds benchmarks/suites; name it with --root")
