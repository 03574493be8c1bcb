"""One process of the suite, with PyTorch on the CPU in the place of a GPU."""
import pytest

torch = pytest.importorskip("torch")

from egg_mlir.suite import order, runtime, worker, workloads  # noqa: E402
from test_suite import SUITE  # noqa: E402

SMALL = {"matmul_f32": [[24, 40], [40, 24]], "gelu_f32": [[6, 40]], "softmax_f32": [[6, 40]], "sum_reduction_f32": [[3, 40, 5]],
         "layernorm_f32": [[4, 5, 6], [4, 5, 6], [3, 4, 5, 6]], "matmul_f16": [[24, 40], [40, 24]],
         "mlp3_f32": [[9, 40], [9], [7, 9], [7], [5, 7], [5], [3, 40]], "gemm_bias_relu_f32": [[9, 40], [9], [6, 40]]}


class Program:
    """egg's runtime, by PyTorch, with a fault on demand."""

    def __init__(self, function, results, fault=None):
        self.function, self.results, self.fault = function, results, fault
        self.workspace_bytes = 48

    def check(self, arguments):
        pass

    def close(self):
        pass

    def launch(self, arguments, results, stream, workspace):
        assert workspace.numel() == 48
        value = self.function(*arguments)
        results[0].copy_(self.fault(value) if self.fault else value)


@pytest.fixture(autouse=True)
def cpu(monkeypatch):
    monkeypatch.setattr(worker, "DEVICE", "cpu")
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: type("S", (), {"cuda_stream": 0}))


def small(name):
    """A workload of the suite at a small size, and its function."""
    suite = workloads.load(SUITE)
    workload = next(w for w in suite["workloads"] if w["name"] == name)
    for argument, shape in zip(workload["arguments"], SMALL[name]):
        argument["shape"] = shape
    return workload, workloads.function_of(suite, workload)


def program_of(name, workload, function, fault=None):
    made = worker.make_arguments(torch, workload, "normal", 1)
    result = function(*made)
    return Program(function, [(list(result.shape), str(result.dtype).split(".")[1])], fault)


def empty_answer():
    return {"samples": {}, "errors": {}, "errors_eager": {}, "mutants_killed": None, "notes": [], "error_kind": None}


@pytest.mark.parametrize("name", SMALL)
def test_right_programs_pass_and_every_mutant_is_refused(name):
    workload, function = small(name)
    answer = empty_answer()
    worker.check(torch, workload, function, program_of(name, workload, function), worker.DISTRIBUTIONS, 1, answer)
    assert answer["error_kind"] is None, answer
    assert set(answer["errors"]) == set(worker.DISTRIBUTIONS)
    killed, tried = answer["mutants_killed"]
    assert killed == tried == (4 if name.endswith("f16") else 5), answer["notes"]


def test_cancellation_in_the_reference_excuses_no_mutant():
    """Enough elements that gelu's 1 + erf cancels in some: eager is off by very
    many ulp there."""
    workload, function = small("gelu_f32")
    workload["arguments"][0]["shape"] = [64, 4096]
    answer = empty_answer()
    worker.check(torch, workload, function, program_of("gelu_f32", workload, function), worker.DISTRIBUTIONS, 1, answer)
    assert answer["mutants_killed"] == [5, 5], answer["notes"]
    assert answer["error_kind"] is None and answer["errors"]["normal"] < 1e-5


def test_a_wrong_program_is_refused():
    workload, function = small("matmul_f32")
    answer = empty_answer()
    wrong = program_of("matmul_f32", workload, function, lambda value: value * 1.00001)
    worker.check(torch, workload, function, wrong, ("normal",), 1, answer)
    assert answer["error_kind"] == "wrong-result" and "error" in answer["notes"][0]


class Timer:
    """Times nothing; calls once a block."""

    def block(self, call, calls):
        call()
        return [1.0] * calls, calls / 1e3, order.Clock(1980, 0)


def test_timing_checks_the_results_of_the_loop():
    workload, function = small("softmax_f32")
    calls = []

    def late(value):
        calls.append(1)
        return value * 2 if len(calls) > 2 else value

    request = {"seed": 1, "processes": 5, "systems": ["eager", "egg"]}
    answer = empty_answer()
    worker.time_workload(torch, Timer(), workload, function, program_of("softmax_f32", workload, function), request, answer)
    assert set(answer["samples"]) == {"eager", "egg"} and answer["error_kind"] is None
    assert "SM clock 1980 to 1980 MHz" in answer["notes"]
    answer = empty_answer()
    worker.time_workload(torch, Timer(), workload, function, program_of("softmax_f32", workload, function, late), request, answer)
    assert answer["error_kind"] == "wrong-result" and "after the timed loop" in answer["notes"][-1]


@pytest.mark.parametrize("error, kind", [
    (runtime.Failure("launch", "no such grid"), "launch"),
    (RuntimeError("CUDA error: an illegal memory access was encountered"), "illegal-access"),
    (RuntimeError("CUDA error: unspecified launch failure"), "launch")])
def test_a_failure_of_egg_ends_the_workload(error, kind):
    workload, function = small("softmax_f32")

    def fail(value):
        raise error

    library = type("L", (), {"load": lambda self, path: program_of("softmax_f32", workload, function, fail)})()
    request = {"artifacts": {"softmax_f32": "x"}, "full": False, "seed": 1, "processes": 5, "systems": ["eager", "egg"]}
    answer = worker.run_workload(torch, Timer(), workloads.load(SUITE), workload, library, request)
    assert answer["error_kind"] == kind and answer["samples"] == {} and str(error) in answer["notes"][0]
    library = type("L", (), {"load": lambda self, path: program_of("softmax_f32", workload, function)})()
    answer = worker.run_workload(torch, Timer(), workloads.load(SUITE), workload, library, request)
    assert answer["error_kind"] is None and set(answer["samples"]) == {"eager", "egg"}


def test_constant_inputs_are_refused(monkeypatch):
    workload, _ = small("softmax_f32")
    monkeypatch.setattr(worker, "make_argument", lambda *a: torch.zeros(3, 3))
    with pytest.raises(ValueError, match="constant"):
        worker.make_arguments(torch, workload, "normal", 1)


def test_distributions_are_what_they_say():
    generator = torch.Generator().manual_seed(3)
    argument = {"shape": [64, 64], "type": "f32", "scale": 1.0}
    made = {d: worker.make_argument(torch, argument, d, generator) for d in worker.DISTRIBUTIONS}
    assert float(made["positive"].min()) >= 0.0
    assert float(made["wide"].abs().max()) > 50.0
    zeros = made["zeros"] == 0
    assert 0.2 < float(zeros.float().mean()) < 0.3
    assert 0.3 < float(torch.signbit(made["zeros"][zeros]).float().mean()) < 0.7
