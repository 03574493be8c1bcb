"""egg-suite: times a suite against PyTorch on this machine's GPU and writes a
results file."""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import egg_mlir
from egg_mlir import report, results
from egg_mlir.suite import artifact, collect, systems, workloads

ALL_SYSTEMS = [*systems.TORCH_MODES, "egg", "egg_graph"]


def parser():
    """The command line."""
    result = argparse.ArgumentParser(prog="egg-suite", description=__doc__)
    result.add_argument("suite", choices=["spine", "spine_twin"], help="which table of benchmarks/suites")
    result.add_argument("--out", required=True, help="the results file to write")
    result.add_argument("--artifacts", help="folder with NAME.egg for each workload, as egg-run --emit=artifact "
                        "writes them; without it only the peers are timed")
    result.add_argument("--egg-run", metavar="PATH", help="build the artifacts first, with this egg-run, into the folder "
                        "of --artifacts")
    result.add_argument("--runtime", help="libegg_runtime.so (default: beside the build)")
    result.add_argument("--workloads", default="", help="comma-separated names (all)")
    result.add_argument("--systems", default=",".join(ALL_SYSTEMS), help="comma-separated (all)")
    result.add_argument("--processes", type=int, default=5, help="fresh processes (5)")
    result.add_argument("--seed", type=int, default=1, help="seed of the first process; the next add one (1)")
    result.add_argument("--timeout", type=float, default=3600, help="seconds for one process (3600)")
    result.add_argument("--commit", help="hash of the commit, where this is no git checkout")
    result.add_argument("--root", help="root of the repository")
    return result


def commit_of(root):
    """The commit of the tree, with -dirty where a tracked file differs; None
    outside git."""
    try:
        commit = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        dirty = subprocess.run(["git", "-C", str(root), "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit.stdout.strip() + ("-dirty" if dirty.stdout.strip() else "")


def ask_worker(request, timeout):
    """Runs one fresh process; its answer. Raises results.Problem."""
    environment = dict(os.environ)
    source = str(pathlib.Path(egg_mlir.__file__).parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [source, environment.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory(prefix="egg-suite-") as folder:
        request = dict(request, answer=str(pathlib.Path(folder, "answer.json")))
        try:
            done = subprocess.run([sys.executable, "-m", "egg_mlir.suite.worker"], input=json.dumps(request), text=True,
                                  stdout=2, env=environment, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise results.Problem(f"a process took more than {timeout:.0f} s") from error
        if done.returncode != 0:
            raise results.Problem(f"a process ended with {done.returncode}")
        return results.load(request["answer"])


def ask_whole(ask, request, timeout):
    """One process's answer on every workload. Where egg fails on one, a new process
    goes on from there, without that workload's artifact: the peers are still timed,
    and the failure stays in the answer."""
    answer = ask(request, timeout)
    while answer["unfinished"]:
        failed = answer["unfinished"][0]
        if failed not in request["artifacts"]:
            raise results.Problem(f"a process stopped at {failed} without an artifact to blame")
        request = dict(request, workloads=answer["unfinished"],
                       artifacts={k: v for k, v in request["artifacts"].items() if k != failed})
        rest, first = ask(request, timeout), answer["workloads"][failed]
        peers = rest["workloads"][failed]
        rest["workloads"][failed] = dict(peers, error_kind=first["error_kind"], notes=first["notes"] + peers["notes"])
        answer = dict(rest, workloads={**answer["workloads"], **rest["workloads"]})
    return answer


def build_artifact(tool, root, workload, path):
    """Builds one workload: {"ptx_hash", "error_kind", "note"}. A build that fails
    is a row that failed, not the end of the suite."""
    command = [str(pathlib.Path(tool).resolve()), workload["payload"], "--emit=artifact", "-o", str(path.resolve()), "--json", "--quiet"]
    path.unlink(missing_ok=True)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode == 0 and path.is_file():
        try:
            return {"ptx_hash": json.loads(done.stdout)["ptx_hash"], "error_kind": None, "note": ""}
        except (ValueError, KeyError, TypeError) as error:
            raise results.Problem(f"{tool} --json printed no ptx_hash: {error}") from error
    found = re.search(r"error: ([a-z-]+): (.*)", done.stderr)
    kind = found.group(1) if found and found.group(1) in results.ERROR_KINDS else "internal"
    note = found.group(2) if found else f"egg-run ended with {done.returncode}"
    return {"ptx_hash": None, "error_kind": kind, "note": f"not built: {note[:500]}"}


def build_all(options, root, chosen):
    """{name: what build_artifact gave}; nothing without --egg-run."""
    if not options.egg_run:
        return {}
    if not options.artifacts:
        raise results.Problem("--egg-run needs --artifacts, the folder to build into")
    folder = pathlib.Path(options.artifacts)
    folder.mkdir(parents=True, exist_ok=True)
    built = {}
    for workload in chosen:
        print(f"building {workload['name']}", file=sys.stderr, flush=True)
        built[workload["name"]] = build_artifact(options.egg_run, root, workload, folder / (workload["name"] + ".egg"))
    return built


def add_builds(rows, built):
    """What the builds say, into the rows: the PTX's hash, and failures."""
    for row in rows:
        build = built.get(row["workload"])
        if build is None:
            continue
        row["ptx_hash"] = build["ptx_hash"]
        if build["error_kind"]:
            row.update(correct=False, error_kind=build["error_kind"],
                       note="; ".join(filter(None, [build["note"], row["note"]]))[:4096])


def find_artifacts(folder, chosen):
    """({name: path}, {name: what artifact.read gave}) of the workloads that have
    one. Raises results.Problem where a file is there and damaged."""
    paths, read = {}, {}
    for workload in chosen if folder else ():
        path = pathlib.Path(folder, workload["name"] + ".egg")
        if path.is_file():
            paths[workload["name"]] = str(path.resolve())
            read[workload["name"]] = artifact.read(path)
    return paths, read


def build_rows(suite, chosen, answers, artifacts):
    """The rows of the chosen workloads from the processes' answers."""
    copies = sorted(a["copy_gbps"] for a in answers)
    reads = sorted(a["read_gbps"] for a in answers)
    copy, read = copies[len(copies) // 2], reads[len(reads) // 2]
    return [collect.row(w, [a["workloads"][w["name"]] for a in answers], workloads.floor_ms(suite, w, copy, read),
                        artifacts.get(w["name"])) for w in chosen], copy


def versions_of(answers, artifacts):
    """Versions of the toolchain from the artifacts, of the peers from a process."""
    versions = {"egg": None, "llvm": None, "ptxas": None, "libdevice": None}
    for found in artifacts.values():
        versions.update({k: v for k, v in found["toolchain"].items() if k in versions})
    return {**versions, **answers[0]["versions"]}


def measure(options, ask=ask_worker):
    """The results document of a run; `ask` runs one process."""
    root = workloads.repository_root(options.root)
    path = root / "benchmarks" / "suites" / f"{options.suite}.json"
    suite = workloads.load(path)
    chosen = workloads.select(suite, [n for n in options.workloads.split(",") if n])
    wanted = [n for n in options.systems.split(",") if n]
    unknown = [n for n in wanted if n not in ALL_SYSTEMS]
    if unknown or options.processes < 1:
        raise results.Problem(f"no system is named {', '.join(unknown)}; there are {', '.join(ALL_SYSTEMS)}"
                              if unknown else "at least one process is needed")
    commit = options.commit or commit_of(root)
    if commit is None:
        raise results.Problem("this is no git checkout; name the commit with --commit")
    built = build_all(options, root, chosen)
    paths, artifacts = find_artifacts(options.artifacts, chosen)
    library = options.runtime or str(root / "build" / "default" / "lib" / "libegg_runtime.so")
    request = {"suite": str(path), "workloads": [w["name"] for w in chosen], "systems": wanted,
               "processes": options.processes, "artifacts": paths, "runtime": library if paths else None}
    answers = []
    for number in range(options.processes):
        print(f"process {number + 1} of {options.processes}", file=sys.stderr, flush=True)
        answers.append(ask_whole(ask, dict(request, seed=options.seed + number, full=number == 0), options.timeout))
    for found in artifacts.values():
        found["launches"] = artifact.launches(found["plan"]["nodes"])
    rows, copy = build_rows(suite, chosen, answers, artifacts)
    add_builds(rows, built)
    device = {**answers[0]["device"], "copy_gbps": float(f"{copy:.6g}")}
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return collect.document(suite, rows, device, versions_of(answers, artifacts), date, commit,
                            "egg-suite " + " ".join(shlex.quote(a) for a in options.arguments))


def dump(document):
    """JSON with a line a row: diffs and reviews stay possible."""
    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in document.items() if k != "rows"]
    rows = ",\n".join("  " + json.dumps(row) for row in document["rows"])
    return "{\n" + ",\n".join(lines) + ',\n "rows": [\n' + rows + "\n ]\n}\n"


def main(argv=None):
    """Exit code 0 when the file was written."""
    options = parser().parse_args(argv)
    options.arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        report.write(options.out, dump(measure(options)))
    except results.Problem as problem:
        print(f"egg-suite: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
