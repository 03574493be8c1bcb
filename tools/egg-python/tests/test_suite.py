"""The suite's logic on fake systems, timers and processes."""
import hashlib
import json
import pathlib
import re

import pytest

from egg_mlir import results, stats, tables
from egg_mlir.suite import artifact, cli, collect, device, gate, order, workloads
from egg_mlir.suite.order import Clock, Rules

ROOT = workloads.repository_root(pathlib.Path(__file__).parent)
SUITE = ROOT / "benchmarks" / "suites" / "spine.json"


class FakeTimer:
    """Systems of fixed times; `clock(name, block number)` says what a block saw."""

    def __init__(self, times, clock=lambda name, number: Clock(1980, 0)):
        self.times, self.clock, self.log = times, clock, []

    def block(self, name, calls):
        self.log.append((name, calls))
        ms = self.times[name]
        return [ms] * calls, calls * ms / 1e3, self.clock(name, len(self.log))


def names_of(timer, systems):
    """The order of the blocks after the warm-up."""
    return "".join(name for name, _ in timer.log[len(systems):])


def test_rounds_turn_around_and_are_even():
    timer = FakeTimer({"a": 1.0, "b": 2.0, "c": 3.0})
    samples, _, void = order.run(timer.times, timer.block, Rules(block_seconds=0.01, least_calls=7))
    assert names_of(timer, timer.times) == "abccba" * (len(timer.log) // 6)
    assert len(samples["a"]) == 10 * (len(timer.log) - 3) // 3 and void == 0


def test_compute_bound_systems_run_two_seconds_over_all_processes():
    timer = FakeTimer({"slow": 5.0, "quick": 0.2})
    rules = order.rules_for("compute", 5)
    samples, _, _ = order.run(timer.times, timer.block, rules)
    for name, ms in timer.times.items():
        assert 5 * len(samples[name]) * ms / 1e3 >= 2.0


def test_a_round_with_other_clocks_is_void_and_run_again():
    # The fourth block, in the first round, is throttled.
    timer = FakeTimer({"a": 1.0, "b": 1.0}, lambda name, number: Clock(1980, 0x20 if number == 4 else 0))
    samples, clocks, void = order.run(timer.times, timer.block, Rules(block_seconds=0.01, least_calls=1))
    assert void == 1 and len(samples["a"]) == len(samples["b"]) == 20
    assert all(clock.reasons == 0 for clock in clocks)
    assert names_of(timer, timer.times) == "ab" + "ab" + "ba"


def test_clocks_that_never_agree_give_up():
    timer = FakeTimer({"a": 1.0, "b": 1.0}, lambda name, number: Clock(1980 if name == "a" else 1400, 0))
    with pytest.raises(order.ClocksDiffer, match="1400 MHz"):
        order.run(timer.times, timer.block, Rules(max_void=3))


@pytest.mark.parametrize("clocks, void", [
    ([Clock(1980, 0), Clock(1965, 0)], False), ([Clock(1980, 0), Clock(1900, 0)], True),
    ([Clock(1980, 0), Clock(1980, 0x20)], True), ([Clock(1980, 0), Clock(1650, 4)], False),
    ([Clock(1950, 4), Clock(1650, 4)], False), ([Clock(1980, 0x24), Clock(1980, 4)], True), ([Clock(1980, 0), None], False), ([None, None], False)])
def test_void(clocks, void):
    assert order.round_is_void(clocks, 0.02) is void


class Nvml:
    """The four functions of NVML that are used."""

    def __init__(self, found=0, clock=0):
        self.found, self.clock = found, clock

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, name, handle):
        assert name == b"GPU-12-ab"
        return self.found

    def nvmlDeviceGetClockInfo(self, handle, kind, mhz):
        mhz._obj.value = 1755 if kind == 1 else 1
        return self.clock

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle, reasons):
        reasons._obj.value = 0x1 | 0x2 | 0x4 | 0x100  # idle, set clocks, power cap, display
        return 0


def test_clocks_come_from_nvml_and_only_slowing_reasons_count():
    assert device.Clocks("12-ab", Nvml()).read() == Clock(1755, 0x4)
    assert device.Clocks("12-ab", Nvml(found=6)).read() is None
    assert device.Clocks("12-ab", Nvml(clock=3)).read() is None
    assert device.Clocks("12-ab", object()).read() is None


def test_block_length_follows_the_time_of_a_call():
    rules = Rules(block_seconds=0.1)
    assert [order.calls_per_block(ms, rules) for ms in (200.0, 10.0, 0.5, 0.0)] == [1, 10, 200, 1000]


@pytest.mark.parametrize("error, good", [
    ({"norm": 2e-7, "max": 1e-7}, True), ({"norm": 2.6e-7, "max": 1e-7}, False),
    ({"norm": 1e-8, "max": 3e-7}, False), ({"norm": float("nan"), "max": 0.0}, False),
    ({"norm": float("inf"), "max": float("inf")}, False)])
def test_gate_on_figures(error, good):
    reference, rounded = {"norm": 1e-7, "max": 1e-7}, {"norm": 3e-8, "max": 3e-8}
    assert gate.accepts("accumulation", "f32", error, reference, rounded) is good


def test_gate_has_no_floor_in_sixteen_bits_and_two_ulp_for_elements():
    small = {"norm": 1e-9, "max": 1e-9}
    assert not gate.accepts("accumulation", "f16", {"norm": 2e-7, "max": 1e-9}, small, small)
    half = {"ulp": 0.5, "mean": 0.2}
    assert gate.accepts("elementwise", "f32", {"ulp": 2.0, "mean": 1.0}, half, half)
    assert not gate.accepts("elementwise", "f32", {"ulp": 2.1, "mean": 1.0}, half, half)
    assert gate.accepts("elementwise", "f32", {"ulp": 5.9, "mean": 1.0}, {"ulp": 3.0, "mean": 0.2}, half)
    # One bad element of the reference excuses one of the candidate, not all.
    assert not gate.accepts("elementwise", "f32", {"ulp": 1e7, "mean": 1e6}, {"ulp": 1e7, "mean": 3.0}, half)


def test_gate_on_tensors():
    torch = pytest.importorskip("torch")
    golden = torch.tensor([1.0, -2.0, 0.0, 1e-300], dtype=torch.float64)
    exact = golden.float()
    assert gate.measure("elementwise", "f32", exact, golden, golden)["ulp"] < 1e-6
    up = torch.nextafter(exact, torch.tensor(10.0))
    assert gate.measure("elementwise", "f32", up, golden, golden)["ulp"] == pytest.approx(1.0)
    infinite = exact.clone()
    infinite[0] = float("inf")
    assert gate.measure("accumulation", "f32", infinite, golden, golden)["norm"] == float("inf")
    a, b = torch.randn(8, 64), torch.randn(64, 8)
    golden, natural = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    user = gate.measure("accumulation", "f32", a @ b, golden, natural)
    rounded = gate.measure("accumulation", "f32", golden.float(), golden, natural)
    assert gate.accepts("accumulation", "f32", user, user, rounded)
    mutants = dict(gate.mutants(torch.matmul, [a, b], golden, torch.float32, 0, -1))
    assert set(mutants) == {"zeros", "mean", "shift", "tile", "tf32"}
    for name, mutant in mutants.items():
        found = gate.measure("accumulation", "f32", mutant, golden, natural)
        assert not gate.accepts("accumulation", "f32", found, user, rounded), name


def signature(path):
    """(argument types, result types) of a payload's entry, as texts."""
    line = next(line for line in path.read_text().splitlines() if "func.func @main(" in line)
    arguments, result = line.split(") -> ")
    return re.findall(r"tensor<([^>]*)>", arguments), re.findall(r"tensor<([^>]*)>", result)


@pytest.mark.parametrize("name", ["spine", "spine_twin"])
def test_the_suite_is_what_its_payloads_say(name):
    suite = workloads.load(SUITE.with_name(name + ".json"))
    assert suite["suite"] == name
    width = {"f32": 4, "f16": 2}
    for workload in suite["workloads"]:
        arguments, result = signature(ROOT / workload["payload"])
        assert arguments == ["x".join(map(str, a["shape"] + [a["type"]])) for a in workload["arguments"]]
        total = 0
        for text in arguments + result:
            *extents, name = text.split("x")
            size = width[name]
            for extent in extents:
                size *= int(extent)
            total += size
        assert total == workload["bytes"], workload["name"]
        assert callable(workloads.function_of(suite, workload))


def test_floors():
    suite = workloads.load(SUITE)
    table = {w["name"]: w for w in suite["workloads"]}
    assert workloads.floor_ms(suite, table["matmul_f32"], 4300, 4600) == pytest.approx(0.91626, rel=1e-4)
    assert workloads.floor_ms(suite, table["gelu_f32"], 4300, 4600) == pytest.approx(2.9965, rel=1e-4)
    assert workloads.read_only(table["sum_reduction_f32"]) and not workloads.read_only(table["gelu_f32"])
    assert workloads.floor_ms(suite, table["sum_reduction_f32"], 4300, 4600) == pytest.approx(1.8674, rel=1e-3)
    assert workloads.floor_ms(suite, table["sum_reduction_f32"], 4300, None) is None


def test_bad_suites_and_names(tmp_path):
    text = SUITE.read_text()
    bad = tmp_path / "bad.json"
    bad.write_text(text.replace('"rate": "f16"', '"rate": "f8"'))
    with pytest.raises(results.Problem, match="no rate is named 'f8'"):
        workloads.load(bad)
    bad.write_text(text.replace('"class": "memory"', '"class": "disk"', 1))
    with pytest.raises(results.Problem, match="workload 0: the field 'class'"):
        workloads.load(bad)
    suite = workloads.load(SUITE)
    with pytest.raises(results.Problem, match="no workload is named nope"):
        workloads.select(suite, ["nope"])
    assert [w["name"] for w in workloads.select(suite, ["matmul_f16", "gelu_f32"])] == ["gelu_f32", "matmul_f16"]
    with pytest.raises(results.Problem, match="no function"):
        workloads.function_of(suite, dict(suite["workloads"][0], function="__name__"))


def answer(samples, **changes):
    """One process's answer on one workload."""
    made = {"samples": samples, "errors": {"normal": 1e-7}, "errors_eager": {"normal": 2e-7}, "mutants_killed": [5, 5],
            "notes": ["clocks not read"], "error_kind": None}
    made.update(changes)
    return made


def rows_of(answers, floor=0.5):
    return collect.row({"name": "w", "payload": "benchmarks/kernels/gelu_f32.mlir"}, answers, floor, None)


def test_rows_pass_their_own_check():
    row = rows_of([answer({"egg": [1.0, 1.1 + i], "eager": [2.0, 2.2 + i], "egg_graph": [0.9], "max_autotune_graph": [1.0]})
                   for i in range(5)])
    assert results.row_problems(row) == []
    assert set(row["interval"]) == {"eager", "max_autotune_graph"} and row["correct"] is True
    assert row["note"] == "clocks not read" and row["flags"] == []


def test_a_wrong_answer_in_one_process_takes_eggs_times_away():
    answers = [answer({"egg": [1.0], "eager": [2.0]}) for _ in range(3)]
    answers[1] = answer({"eager": [2.0]}, error_kind="wrong-result", errors={"normal": None})
    row = rows_of(answers)
    assert results.row_problems(row) == []
    assert row["correct"] is False and row["ms"]["egg"] is None and row["ms"]["eager"] == 2.0


def test_peers_alone_are_no_failure_of_egg():
    row = rows_of([answer({"eager": [2.0]}, errors={}, errors_eager={}) for _ in range(3)])
    assert results.row_problems(row) == [] and row["correct"] is None and row["error_kind"] is None
    assert tables.headline([row], "eager") is None


def test_a_time_below_the_floor_is_kept_and_flagged():
    row = rows_of([answer({"egg": [1.0], "eager": [2.0]}) for _ in range(3)], floor=1.5)
    assert row["flags"] == ["below-floor"] and results.row_problems(row) == []


def write_artifact(path, plan):
    header = json.dumps({"format": 1, "chip": "sm_90a", "toolchain": {"egg": "0.1.0", "llvm": "22.1.8", "ptxas": "13.0.88",
                         "libdevice": "ab"}, "plan": plan, "cubins": [], "constants": []}).encode()
    rest = len(header).to_bytes(8, "little") + header
    path.write_bytes(b"EGGARTF1" + hashlib.sha256(rest).digest() + rest)


def test_artifacts(tmp_path):
    path = tmp_path / "gelu_f32.egg"
    plan = {"workspace_bytes": 64, "nodes": [{"op": "launch"}, {"op": "loop", "trips": 3, "body": [{"op": "launch"}, {"op": "memset"}]}]}
    write_artifact(path, plan)
    found = artifact.read(path)
    assert artifact.launches(found["plan"]["nodes"]) == 4 and found["toolchain"]["llvm"] == "22.1.8"
    data = path.read_bytes()
    for damaged, sentence in ((data[:-1], "is damaged"), (b"x" + data[1:], "not an artifact"), (data[:20], "not an artifact")):
        path.write_bytes(damaged)
        with pytest.raises(results.Problem, match=sentence):
            artifact.read(path)
    rest = (1 << 60).to_bytes(8, "little") + b"{}"
    path.write_bytes(b"EGGARTF1" + hashlib.sha256(rest).digest() + rest)
    with pytest.raises(results.Problem, match="says that its header has"):
        artifact.read(path)


def test_a_whole_run_on_fake_processes(tmp_path):
    seen = []
    write_artifact(tmp_path / "gelu_f32.egg", {"workspace_bytes": 0, "nodes": [{"op": "launch"}]})

    def ask(request, timeout):
        seen.append(request)
        return {"device": {"name": "NVIDIA H200", "sm": "sm_90", "driver": "580"}, "versions": {"torch": "2.11.0", "triton": None},
                "copy_gbps": 4300.0, "read_gbps": 4600.0, "unfinished": [],
                "workloads": {name: answer({"egg": [4.0 + request["seed"] / 100], "eager": [8.0]}) for name in request["workloads"]}}

    options = cli.parser().parse_args(["spine", "--out", "x", "--root", str(ROOT), "--commit", "0123abc", "--artifacts", str(tmp_path),
                                       "--workloads", "matmul_f32,gelu_f32"])
    options.arguments = ["spine"]
    document = cli.measure(options, ask)
    assert results.document_problems(document) == []
    assert json.loads(cli.dump(document)) == document
    assert [r["seed"] for r in seen] == [1, 2, 3, 4, 5] and [r["full"] for r in seen] == [True] + [False] * 4
    assert [row["workload"] for row in document["rows"]] == ["gelu_f32", "matmul_f32"]
    assert document["rows"][0]["dispatches"] == 1 and document["versions"]["ptxas"] == "13.0.88"
    assert document["rows"][0]["interval"]["eager"] == pytest.approx([8 / 4.05, 8 / 4.01], rel=1e-4)


def test_builds_go_into_the_rows(tmp_path):
    source = tmp_path / "made.egg"
    write_artifact(source, {"workspace_bytes": 0, "nodes": [{"op": "launch"}]})
    tool = tmp_path / "egg-run"
    tool.write_text(f"""#!/bin/sh
case "$1" in
*gelu*) cp {source} "$4"; echo '{{"ptx_hash": "{'ab' * 32}"}}' ;;
*) echo "egg-run: error: limit: 5 is more than 4" >&2; exit 1 ;;
esac
""")
    tool.chmod(0o755)
    options = cli.parser().parse_args(["spine", "--out", "x", "--root", str(ROOT), "--commit", "0123abc", "--artifacts", str(tmp_path / "a"),
                                       "--egg-run", str(tool), "--workloads", "matmul_f32,gelu_f32"])
    options.arguments = []

    def ask(request, timeout):
        assert list(request["artifacts"]) == ["gelu_f32"]
        return {"device": {"name": "NVIDIA H200", "sm": "sm_90", "driver": "580"}, "versions": {"torch": "2.11.0"}, "unfinished": [],
                "copy_gbps": 4300.0, "read_gbps": 4600.0,
                "workloads": {"gelu_f32": answer({"egg": [4.0], "eager": [8.0]}),
                              "matmul_f32": answer({"eager": [8.0]}, errors={}, errors_eager={})}}

    document = cli.measure(options, ask)
    gelu, matmul = document["rows"]
    assert gelu["ptx_hash"] == "ab" * 32 and gelu["correct"] is True and gelu["flags"] == ["plain"]
    assert matmul["correct"] is False and matmul["error_kind"] == "limit" and "5 is more than 4" in matmul["note"]
    assert matmul["ms"]["eager"] == 8.0


def test_egg_failing_in_one_process_costs_its_own_times_alone():
    asked = []

    def ask(request, timeout):
        asked.append((request["workloads"], sorted(request["artifacts"])))
        made = {"device": {}, "versions": {}, "copy_gbps": 1.0, "read_gbps": 1.0, "unfinished": [], "workloads": {}}
        for number, name in enumerate(request["workloads"]):
            if name == "b" and "b" in request["artifacts"]:
                made["workloads"][name] = answer({}, error_kind="illegal-access", notes=["bad"])
                made["unfinished"] = request["workloads"][number:]
                return made
            systems = {"eager": [2.0], **({"egg": [1.0]} if name in request["artifacts"] else {})}
            made["workloads"][name] = answer(systems)
        return made

    found = cli.ask_whole(ask, {"workloads": ["a", "b", "c"], "artifacts": {"a": "1", "b": "2", "c": "3"}}, 1.0)
    assert asked == [(["a", "b", "c"], ["a", "b", "c"]), (["b", "c"], ["a", "c"])]
    assert {n: sorted(w["samples"]) for n, w in found["workloads"].items()} == {"a": ["eager", "egg"], "b": ["eager"], "c": ["eager", "egg"]}
    assert found["workloads"]["b"]["error_kind"] == "illegal-access" and "bad" in found["workloads"]["b"]["notes"]
    row = rows_of([found["workloads"]["b"]] * 3)
    assert results.row_problems(row) == [] and row["correct"] is False and row["ms"]["eager"] == 2.0
    with pytest.raises(results.Problem, match="without an artifact to blame"):
        cli.ask_whole(lambda r, t: {"unfinished": ["a"], "workloads": {}}, {"workloads": ["a"], "artifacts": {}}, 1.0)


def test_refusals(tmp_path, capsys):
    base = ["spine", "--out", str(tmp_path / "x.json"), "--root", str(ROOT)]
    assert cli.main(base + ["--systems", "eager,best"]) == 1
    assert "no system is named best" in capsys.readouterr().err
    assert cli.main(base + ["--processes", "0"]) == 1
    assert cli.main(base[:3] + ["--root", str(tmp_path)]) == 1
    assert "benchmarks/suites" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


def test_a_process_that_fails_is_a_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cli.sys, "executable", "/bin/false")
    assert cli.main(["spine", "--out", str(tmp_path / "x.json"), "--root", str(ROOT), "--commit", "0123abc"]) == 1
    assert "a process ended with 1" in capsys.readouterr().err


def test_a_machine_without_gpu_is_told(tmp_path, capfd):
    try:
        import torch
        if torch.cuda.is_available():
            pytest.skip("this machine has a GPU")
    except ImportError:
        pass
    assert cli.main(["spine", "--out", str(tmp_path / "x.json"), "--root", str(ROOT), "--commit", "0123abc"]) == 1
    text = capfd.readouterr().err
    assert "PyTorch is not installed here" in text or "PyTorch sees no CUDA device" in text
    assert "a process ended with 3" in text and "Traceback" not in text


def test_intervals_do_not_depend_on_the_order_of_names():
    """The same draws for every peer."""
    egg, peer = [[1.0], [1.1], [1.3]], [[2.0], [2.1], [2.2]]
    first = stats.ratio_interval(peer, egg)
    stats.ratio_interval(egg, peer)
    assert stats.ratio_interval(peer, egg) == first
