import hashlib
import json
import pathlib
import re
import stat

import pytest

from conftest import make_document, make_row
from egg_mlir import markers, page, rebuild, report, tables

HOSTILE = "<script>alert(1)</script>|`x`\x1b[31m\u202e\n# head [a](javascript:b) &amp;"


def hostile_document():
    document = make_document(make_row(name=HOSTILE, note=HOSTILE))
    document["suite"] = document["command"] = HOSTILE
    document["device"]["name"] = HOSTILE
    document["versions"]["egg"] = HOSTILE
    return document


def test_markdown_escapes_everything():
    text = tables.document_markdown(hostile_document()) + tables.readme_table([hostile_document()])
    assert "<" not in text and "\x1b" not in text and "\u202e" not in text
    assert "alert" in text and "\n# head" not in text and not re.search(r"(?<!\\)\]\(", text)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = [line for line in lines if line.startswith("| workload")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert bars <= {len(re.findall(r"(?<!\\)\|", head)) for head in heads}


def test_page_escapes_everything_and_allows_no_script():
    text = page.render([hostile_document()], plotly=None)
    assert "<script" not in text and "alert(1)" in text
    assert "default-src &#x27;none&#x27;" in text and "script-src &#x27;none&#x27;" in text
    assert "Charts are left out" in text
    assert not re.search(r"(src|href)=", text)


def test_policy_names_each_script_by_its_hash():
    policy = page.policy(["a()", "b()"])
    assert policy.count("'sha256-") == 2 and "unsafe-inline'; img" in policy and "unsafe-eval" not in policy
    script = policy.split("script-src")[1]
    assert "unsafe" not in script


def test_headline_counts_a_failure_as_one():
    failed = make_row(name="b", correct=False, error_kind="ptxas")
    failed["ms"]["egg"] = None
    failed["samples"].pop("egg")
    failed["interval"] = {}
    apart = make_row(name="c", flags=["zeros-pass"])
    figures = tables.headline([make_row(), failed, apart], "eager")
    ratio = tables.ratio(make_row(), "eager")
    assert figures["tasks"] == 2 and figures["failed"] == 1
    assert figures["with_fallback"]["geometric"] == pytest.approx(ratio ** 0.5)
    assert figures["without_fallback"]["geometric"] == pytest.approx(ratio)
    assert figures["fast"][1.0] == 0.5
    assert tables.headline([make_row()], "cublaslt") is None


def test_check_of_good_and_bad_files(save, capsys):
    good = save(make_document(), "good.json")
    assert report.main(["--check", str(good)]) == 0
    bad = make_document()
    bad["rows"][0]["ms"]["egg"] = 0.1
    assert report.main(["--check", str(good), str(save(bad, "bad.json"))]) == 1
    captured = capsys.readouterr()
    assert "bad.json: row 0 (gelu_f32): 'ms' of 'egg' is 0.1; its samples give 1.1" in captured.err
    assert "2 files" in captured.out


def test_check_of_a_missing_payload(save, tmp_path, capsys):
    path = save(make_document(make_row(payload="benchmarks/kernels/none.mlir")))
    assert report.main(["--check", "--root", str(tmp_path), str(path)]) == 1
    assert "none.mlir is not in the tree" in capsys.readouterr().err


def test_a_folder_means_its_files(save, tmp_path, capsys):
    save(make_document(), "a.json")
    save(make_document(), "b.json")
    assert report.main(["--check", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("2 files, 2 rows")
    (tmp_path / "empty").mkdir()
    assert report.main(["--check", str(tmp_path / "empty")]) == 0


def fake_egg_run(tmp_path, body):
    tool = tmp_path / "egg-run"
    tool.write_text("#!/bin/sh\n" + body)
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return tool


def rebuild_document(tmp_path, ptx):
    for name in ("k.mlir", "r.mlir"):
        (tmp_path / name).write_text("module {}")
    return make_document(make_row(payload="k.mlir", recipe="r.mlir", ptx_hash=rebuild.ptx_hash([ptx])))


def test_rebuild_compares_the_ptx(save, tmp_path, capsys):
    path = save(rebuild_document(tmp_path, b".version 8.7\n"), "x.json")
    emit = 'for f; do :; done; printf "%s\\n" "$PTX" > "$f/0.ptx"\n'
    same = fake_egg_run(tmp_path, 'PTX=".version 8.7"\n' + emit)
    base = ["--check", "--root", str(tmp_path), str(path), "--egg-run"]
    assert report.main(base + [str(same)]) == 0
    assert "1 rebuilt, 0 left out" in capsys.readouterr().out
    other = fake_egg_run(tmp_path, 'PTX=".version 8.8"\n' + emit)
    assert report.main(base + [str(other)]) == 1
    assert "the PTX has the hash" in capsys.readouterr().err
    broken = fake_egg_run(tmp_path, "echo no such op >&2; exit 3\n")
    assert report.main(base + [str(broken)]) == 1
    assert "the build failed (3): no such op" in capsys.readouterr().err
    assert report.main(base + [str(tmp_path / "absent")]) == 1


def test_rebuild_stops_at_its_time_and_in_a_fixed_order(tmp_path):
    document = rebuild_document(tmp_path, b"x")
    document["rows"] = [dict(document["rows"][0], workload=f"w{i}") for i in range(6)]
    order = [key for key, _, _ in rebuild.candidates([document], tmp_path)]
    assert order == sorted(order) and len(set(order)) == 6
    tool = fake_egg_run(tmp_path, "exit 1\n")
    clock = iter(range(0, 1000, 10))
    _, rebuilt, left = rebuild.check([document], tmp_path, str(tool), 25.0, now=lambda: next(clock))
    assert (rebuilt, left) == (2, 4)
    _, rebuilt, left = rebuild.check([document], tmp_path, str(tool), 0.5, full=True)
    assert (rebuilt, left) == (6, 0)


def test_a_row_is_rebuilt_for_its_device(tmp_path):
    devices = tmp_path / "lib" / "Device" / "devices"
    devices.mkdir(parents=True)
    (devices / "x.json").write_text(json.dumps({"id": "sm_90a_h200", "driver_names": ["NVIDIA H200", "GH200"]}))
    assert rebuild.device_name("NVIDIA H200", tmp_path) == "sm_90a_h200"
    assert rebuild.device_name("NVIDIA RTX 4090", tmp_path) is None
    tree = pathlib.Path(__file__).resolve().parents[3]
    assert rebuild.device_name("NVIDIA H200", tree) == "sm_90a_h200"
    row = make_row(payload="k.mlir")
    assert rebuild.command("r", row, "h100", "f") == ["r", "k.mlir", "--device", "h100", "--emit=ptx", "-o", "f"]
    assert rebuild.command("r", make_row(payload="k.mlir", recipe="x"), None, "f") == ["r", "k.mlir", "--recipe", "x", "--emit=ptx", "-o", "f"]


def test_modules_are_in_the_order_of_their_numbers():
    names = ["10-b.ptx", "2-a.ptx", "0-z.ptx", "1-y.ptx"]
    ordered = sorted(map(pathlib.Path, names), key=rebuild.module_number)
    assert [p.name for p in ordered] == ["0-z.ptx", "1-y.ptx", "2-a.ptx", "10-b.ptx"]


def test_ptx_hash_tells_modules_apart():
    assert rebuild.ptx_hash([b"ab", b"c"]) != rebuild.ptx_hash([b"a", b"bc"])
    assert rebuild.ptx_hash([b"a"]) == hashlib.sha256(b"\1" + b"\0" * 7 + b"a").hexdigest()


def test_readme_is_rewritten_and_then_not_stale(save, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(f"# egg\n\n{markers.BEGIN}\nold\n{markers.END}\n\ntail\n")
    base = ["--readme", str(readme), str(save(make_document()))]
    assert report.main(["--check"] + base) == 1
    assert "is stale" in capsys.readouterr().err
    assert report.main(base) == 0
    assert "gelu\\_f32" in readme.read_text() and readme.read_text().endswith("\n\ntail\n")
    assert report.main(["--check"] + base) == 0
    readme.write_text("no markers")
    assert report.main(base) == 1


def test_without_results_nothing_is_claimed(tmp_path, capsys):
    assert tables.readme_table([]) == "Results: not measured yet."
    assert report.main([]) == 0
    assert capsys.readouterr().out == "Results: not measured yet.\n"
    assert "not measured yet" in page.render([])


def test_page_and_tables_are_written(save, tmp_path):
    path = save(make_document())
    out, text = tmp_path / "o.html", tmp_path / "o.md"
    assert report.main([str(path), "--html", str(out), "--markdown", str(text)]) == 0
    assert "faster" in out.read_text() and "| gelu\\_f32 | 1.1 | 2.1 |" in text.read_text()
    assert report.main([str(save(json.dumps({"format": 1}), "bad.json")), "--html", str(out)]) == 1
