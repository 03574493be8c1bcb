"""One fresh process of the suite: reads a request on standard input, checks and
times each workload, and writes its answer to a file.

    request: {"suite": path, "workloads": [names], "systems": [names], "seed": n,
              "processes": n, "full": bool, "artifacts": {name: path},
              "runtime": path or null, "answer": path}
    answer:  {"device": {...}, "versions": {...}, "copy_gbps", "read_gbps", "unfinished": [names],
              "workloads": {name: {"samples", "errors", "errors_eager",
                                   "mutants_killed", "notes", "error_kind"}}}

With `full`, four distributions and the mutants; without, the normal one.
"""
import json
import math
import sys

from egg_mlir.suite import gate, order, workloads

DEVICE = "cuda"
DISTRIBUTIONS = ("normal", "positive", "wide", "zeros")
DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}


def make_argument(torch, argument, distribution, generator):
    """One argument on the device. normal; uniform in [0, 1); normal times a power
    of two of up to 2^8 (2^3 in 16 bits) either way; normal with a quarter of zeros of
    either sign. All times the argument's scale."""
    dtype = getattr(torch, DTYPES[argument["type"]])
    value = torch.empty(argument["shape"], dtype=dtype, device=DEVICE)
    if distribution == "positive":
        return value.uniform_(generator=generator).mul_(argument["scale"])
    value.normal_(generator=generator).mul_(argument["scale"])
    if distribution == "wide":
        most = 8 if value.element_size() > 2 else 3
        powers = torch.empty_like(value).uniform_(-most, most, generator=generator).round_().exp2_()
        value.mul_(powers)
    elif distribution == "zeros":
        chosen = torch.empty_like(value).uniform_(generator=generator)
        value.masked_fill_(chosen < 0.125, 0.0).masked_fill_(chosen >= 0.875, -0.0)
    return value


def make_arguments(torch, workload, distribution, seed):
    """All arguments of a workload. Raises ValueError where one is constant: times
    on constant data mean nothing."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    made = [make_argument(torch, a, distribution, generator) for a in workload["arguments"]]
    for number, value in enumerate(made):
        if value.numel() > 1 and bool((value == value.flatten()[0]).all()):
            raise ValueError(f"argument {number} of {workload['name']} is constant")
    return made


def reference(torch, workload, function, arguments):
    """(golden in float64, natural scale)."""
    wide = [a.double() for a in arguments]
    golden = function(*wide)
    if workload["gate"] == "elementwise":
        return golden, golden
    return golden, function(*[a.abs_() for a in wide])


def judge(torch, workload, output, golden, natural, eager):
    """(error figures, whether the gate accepts) of one output."""
    kind = workload["gate"]
    element_type = next(k for k, v in DTYPES.items() if getattr(torch, v) == output.dtype)
    error = gate.measure(kind, element_type, output, golden, natural)
    user = gate.measure(kind, element_type, eager, golden, natural)
    rounded = gate.measure(kind, element_type, golden.to(output.dtype), golden, natural)
    accepted = gate.accepts(kind, element_type, error, user, rounded)
    return gate.headline(kind, element_type, error), gate.headline(kind, element_type, user), accepted


def check(torch, workload, function, program, distributions, seed, answer):
    """Fills `errors`, `errors_eager`, `mutants_killed` and `error_kind`."""
    from egg_mlir.suite import systems
    for distribution in distributions:
        arguments = make_arguments(torch, workload, distribution, seed)
        golden, natural = reference(torch, workload, function, arguments)
        if not gate.is_evidence(golden):
            answer["notes"].append(f"inputs {distribution!r}: the golden is more than 1 % non-finite, no evidence")
            continue
        eager = function(*arguments)
        if program is not None:
            output = systems.egg_systems(torch, program, arguments, ["egg"])["egg"]()
            torch.cuda.synchronize()
            error, user, good = judge(torch, workload, output, golden, natural, eager)
            answer["errors"][distribution] = error if math.isfinite(error) else None
            answer["errors_eager"][distribution] = user if math.isfinite(user) else None
            if not good:
                answer["error_kind"] = "wrong-result"
                answer["notes"].append(f"inputs {distribution!r}: error {error:.3g}, eager has {user:.3g}")
        if distribution == "normal" and len(distributions) > 1:
            killed = tried = 0
            for name, mutant in gate.mutants(function, arguments, golden, eager.dtype, workload["parameters"],
                                             workload["tile_dimension"]):
                refused = not judge(torch, workload, mutant, golden, natural, eager)[2]
                tried, killed = tried + 1, killed + refused
                if not refused:
                    answer["notes"].append(f"the gate accepts the mutant {name!r}")
            answer["mutants_killed"] = [killed, tried]
        del arguments, golden, natural, eager
        torch.cuda.empty_cache()


def time_workload(torch, timer, workload, function, program, request, answer):
    """Fills `samples`; the results of the timed loop are checked afterwards."""
    from egg_mlir.suite import systems
    arguments = make_arguments(torch, workload, "normal", request["seed"])
    table, notes = systems.torch_systems(torch, function, arguments, workload["parameters"], request["systems"])
    answer["notes"] += notes
    if program is not None and answer["error_kind"] is None:
        table.update(systems.egg_systems(torch, program, arguments, request["systems"]))
    last = {}

    def time_block(name, calls):
        def keep():
            last[name] = table[name]()
        # A peer's results are dropped at once, as a user's loop drops them.
        return timer.block(keep if name in ("egg", "egg_graph") else table[name], calls)

    rules = order.rules_for(workload["class"], request["processes"])
    try:
        samples, clocks, void = order.run(table, time_block, rules)
    except order.ClocksDiffer as error:
        answer["notes"].append(f"not timed: {error}")
        return
    answer["samples"] = samples
    if clocks:
        mhz = [clock.sm_mhz for clock in clocks]
        capped = sum(bool(clock.reasons & order.POWER_CAP) for clock in clocks)
        answer["notes"].append(f"SM clock {min(mhz)} to {max(mhz)} MHz" +
                               (f", at the power cap in {capped} of {len(clocks)} blocks" if capped else ""))
        if void:
            answer["notes"].append(f"{void} rounds void")
    else:
        answer["notes"].append("clocks not read")
    golden, natural = reference(torch, workload, function, arguments)
    for name in ("egg", "egg_graph"):
        if name in last and not judge(torch, workload, last[name], golden, natural, function(*arguments))[2]:
            answer["error_kind"] = "wrong-result"
            answer["notes"].append(f"{name} was wrong after the timed loop")


def new_answer():
    """An answer on one workload with nothing in it yet."""
    return {"samples": {}, "errors": {}, "errors_eager": {}, "mutants_killed": None, "notes": [], "error_kind": None}


def run_workload(torch, timer, suite, workload, library, request):
    """The answer on one workload. A failure of egg's is in it, with no samples:
    what runs after it in this process cannot be trusted."""
    from egg_mlir.suite import runtime
    answer, program = new_answer(), None
    function = workloads.function_of(suite, workload)
    path = request["artifacts"].get(workload["name"])
    try:
        if path:
            program = library.load(path)
        check(torch, workload, function, program, DISTRIBUTIONS if request["full"] else ("normal",), request["seed"], answer)
        time_workload(torch, timer, workload, function, program, request, answer)
        torch.cuda.synchronize()
    except runtime.Failure as error:
        return {**new_answer(), "error_kind": error.kind, "notes": [f"egg's runtime: {error.kind}: {error}"]}
    except RuntimeError as error:  # PyTorch's, for what an earlier launch did
        if program is None:
            raise
        text = str(error).splitlines()[0][:300]
        kind = "out-of-memory" if isinstance(error, torch.cuda.OutOfMemoryError) else \
            "illegal-access" if "illegal memory access" in text else "launch"
        return {**new_answer(), "error_kind": kind, "notes": [f"with egg's kernel: {text}"]}
    if program is not None:
        program.close()
    torch.cuda.empty_cache()
    return answer


def run(request):
    """The answer to a request. It ends at the first workload on which egg fails
    outside the gate; `unfinished` names that one and those behind it."""
    import torch

    from egg_mlir.suite import device, runtime
    suite = workloads.load(request["suite"])
    timer = device.Timer(torch)
    described, versions = device.describe(torch)
    library = runtime.Library(request["runtime"]) if request["runtime"] else None
    copy, read = timer.bandwidth()
    torch.cuda.empty_cache()
    result = {"device": described, "versions": versions, "copy_gbps": copy, "read_gbps": read, "workloads": {}, "unfinished": []}
    chosen = workloads.select(suite, request["workloads"])
    with torch.no_grad():
        for number, workload in enumerate(chosen):
            answer = run_workload(torch, timer, suite, workload, library, request)
            result["workloads"][workload["name"]] = answer
            if answer["error_kind"] not in (None, "wrong-result"):
                result["unfinished"] = [w["name"] for w in chosen[number:]]
                break
            print(f"{workload['name']}: " + ", ".join(f"{n} {sorted(v)[len(v) // 2]:.4g} ms" for n, v in answer["samples"].items()),
                  file=sys.stderr, flush=True)
    return result


def main():
    """Standard input to the answer file. Exit code 3 where this machine cannot
    run the suite at all."""
    try:
        import torch
    except ImportError:
        print("egg-suite: PyTorch is not installed here; install egg-mlir[torch]", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("egg-suite: PyTorch sees no CUDA device; the suite runs on a machine with a GPU", file=sys.stderr)
        return 3
    request = json.load(sys.stdin)
    answer = run(request)
    with open(request["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file, allow_nan=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
