import json

import pytest

from conftest import make_document, make_row
from egg_mlir import page, results, stats, tables


def problems(document):
    return results.document_problems(json.loads(json.dumps(document)))


def test_a_good_document_has_no_problem(document):
    assert problems(document) == []


@pytest.mark.parametrize("change, sentence", [
    (lambda d: d.update(extra=1), "'extra' is not known"),
    (lambda d: d.pop("policy"), "'policy' is missing"),
    (lambda d: d.update(format=2), "'format' is 2"),
    (lambda d: d.update(policy="loose"), "expected one of strict"),
    (lambda d: d.update(commit="main"), "hash of a commit"),
    (lambda d: d.update(rows=[]), "1 to 10000 rows"),
    (lambda d: d["device"].update(clock=1), "'clock' is not known"),
    (lambda d: d["device"].update(name="analytic model of sm_90"), "only measured rows"),
    (lambda d: d["versions"].pop("ptxas"), "'ptxas'"),
    (lambda d: d["rows"].append(make_row()), "stands twice"),
])
def test_top_level(document, change, sentence):
    change(document)
    assert any(sentence in p for p in problems(document)), problems(document)


@pytest.mark.parametrize("change, sentence", [
    (lambda r: r.update(speed=1), "'speed' is not known"),
    (lambda r: r.pop("tokens"), "'tokens' is missing"),
    (lambda r: r["ms"].pop("compile"), "'compile' (null if not measured)"),
    (lambda r: r["ms"].update(egg=0.5), "its samples give 1.1"),
    (lambda r: r["ms"].update(egg=1.10002), "its samples give 1.1"),
    (lambda r: r["ms"].update(max_autotune=1.0), "no samples to show for it"),
    (lambda r: r["ms"].update(eager=None), "is null but it has samples"),
    (lambda r: r["ms"].update(eager=0), "above 0"),
    (lambda r: r["ms"].update(eager=True), "above 0"),
    (lambda r: r["samples"].update(cublaslt=[[1.0]]), "no entry in 'ms'"),
    (lambda r: r["samples"].update(eager=[2.0]), "list of processes"),
    (lambda r: r["samples"].update(eager=[[2.0, -1.0]]), "to 1e+09, not -1.0"),
    (lambda r: r["samples"].update(eager=[[1e300]]), "to 1e+09, not 1e+300"),
    (lambda r: r["samples"].update(eager=[[]]), "not empty"),
    (lambda r: r["interval"].update(eager=[1.0, 9.0]), "'interval' of 'eager' is [1.0, 9.0]"),
    (lambda r: r["interval"].update(eager=None), "its samples give ["),
    (lambda r: r["interval"].pop("compile"), "'interval' of 'compile' is missing"),
    (lambda r: r["interval"].update(max_autotune=[1.0, 1.0]), "no samples of both systems"),
    (lambda r: r.update(error=1e-9), "largest of 'errors' is 2e-07"),
    (lambda r: r.update(error=None), "no 'error' measured"),
    (lambda r: r.update(error=-1.0), "at least 0"),
    (lambda r: r.update(correct=False), "no 'error_kind'"),
    (lambda r: r.update(correct=False, error_kind="wrong-result"), "a wrong answer has no time"),
    (lambda r: r.update(correct=None), "egg was not run"),
    (lambda r: r.update(error_kind="oops"), "error kinds"),
    (lambda r: r.update(floor_ms=2.0), "'below-floor' is missing"),
    (lambda r: r.update(flags=["below-floor"]), "has no reason"),
    (lambda r: r.update(flags=["analytic"]), "analytic model have no place"),
    (lambda r: r.update(flags=["nice"]), "flags out of"),
    (lambda r: r.update(flags=[["nice"]]), "a list of flags"),
    (lambda r: r.update(error_kind=["ptxas"]), "error kinds"),
    (lambda r: r.update(workload=["a"]), "a text that is not empty"),
    (lambda r: r.update(flags=["plain", "plain"]), "each flag once"),
    (lambda r: r.update(mutants_killed=[6, 5]), "killed at most tried"),
    (lambda r: r.update(payload="../../etc/passwd"), "path inside the repository"),
    (lambda r: r.update(payload="/etc/passwd"), "path inside the repository"),
    (lambda r: r.update(ptx_hash="abc"), "64 hexadecimal digits"),
    (lambda r: r.update(tokens={"in": 0}), "'out' is missing"),
    (lambda r: r.update(ms_after_phase={"algorithm": 1.0}), "'mapping'"),
    (lambda r: r.update(workspace_bytes=1.5), "whole number"),
])
def test_rows(change, sentence):
    row = make_row()
    change(row)
    assert any(sentence in p for p in problems(make_document(row))), problems(make_document(row))


def test_a_failed_row_is_fine_without_times():
    row = make_row(correct=False, error_kind="wrong-result")
    row["ms"]["egg"] = None
    row["samples"].pop("egg")
    row["interval"] = {}
    assert problems(make_document(row)) == []


def test_graph_peers_compare_with_egg_in_graph_mode():
    row = make_row()
    row["samples"]["max_autotune_graph"] = [[3.0]] * 5
    row["ms"]["max_autotune_graph"] = 3.0
    assert problems(make_document(row)) == []  # egg_graph was not measured: no interval
    row["samples"]["egg_graph"] = [[1.0]] * 5
    row["ms"]["egg_graph"] = 1.0
    assert any("'interval' of 'max_autotune_graph' is missing" in p for p in problems(make_document(row)))
    row["interval"]["max_autotune_graph"] = [3.0, 3.0]
    assert problems(make_document(row)) == []


def test_two_processes_carry_no_interval():
    row = make_row()
    row["samples"] = {"egg": [[1.0], [1.0]], "eager": [[2.0], [2.0]]}
    row["ms"].update(egg=1.0, eager=2.0, compile=None)
    row["interval"] = {"eager": None}
    assert problems(make_document(row)) == []


@pytest.mark.parametrize("text, sentence", [
    ("{", "not JSON"),
    ('{"format": 1, "format": 1}', "stands twice"),
    ('{"format": NaN}', "NaN is not a number"),
    ("[" * 100000, "nested too deeply"),
    ("[" + "9" * 5000 + "]", "digits"),
    ("[1, 2]", None),
])
def test_files_that_cannot_be_read(save, text, sentence):
    path = save(text)
    if sentence is None:
        assert results.document_problems(results.load(path)) == ["is not an object"]
        return
    with pytest.raises(results.Problem, match=sentence):
        results.load(path)


def test_a_huge_file_is_refused(save, monkeypatch):
    monkeypatch.setattr(results, "MAX_BYTES", 10)
    with pytest.raises(results.Problem, match="at most 10"):
        results.load(save("[" + "1," * 20 + "1]"))


def test_huge_integers_do_not_crash():
    row = make_row(seconds=10 ** 400)
    assert any("'seconds'" in p for p in problems(make_document(row)))


def test_rounding_is_half_a_unit_of_the_sixth_digit():
    for value in (1.2345678, 999999.4, 1.00000049e-7):
        assert results.close(stats.rounded(value), value)
    assert not results.close(1.23458, 1.23456)


JUNK = (None, True, False, 0, -1, 1, 1.5, 1e308, 10 ** 30, "", "x", "\x00", "egg", [], [[]], [None], [[1.0]], {}, {"egg": None},
        {"": 1}, [1.0, 2.0])


def places(value, path=()):
    """Every place in a document, as a path of keys."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield from places(inner, path + (key,))


def test_any_value_anywhere_is_a_sentence_or_fine():
    """Each place of a document replaced by each odd value, or taken out; what has
    no problem can be shown."""
    text = json.dumps(make_document())
    spots = [p for p in places(json.loads(text)) if p and "samples" not in p[:-1]]
    assert len(spots) > 60
    for path in spots:
        for junk in (*JUNK, "remove"):
            document = json.loads(text)
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            if junk == "remove":
                del inner[path[-1]]
            else:
                inner[path[-1]] = junk
            found = results.document_problems(document)
            assert all(isinstance(sentence, str) for sentence in found)
            if not found:
                assert tables.document_markdown(document) and page.render([document], plotly=None)
