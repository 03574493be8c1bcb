#!/usr/bin/env python3
"""Runs the corpus of payloads against NumPy.

usage: run_corpus.py --child COMMAND [--family F] [--filter TEXT]
       run_corpus.py --backend=emulator --child "egg-emulator-run OPTIONS"
       run_corpus.py --backend=device --egg-run COMMAND --worker COMMAND
       run_corpus.py --export DIR                   write the cases as files
       run_corpus.py --cases DIR --child COMMAND --save RESULTS
       run_corpus.py --cases DIR --backend=files --results RESULTS

Prints one line a family with the number of cases, one line a failure, and
`N cases, N failed`; exit code 1 when one fails or none ran.
"""

import argparse
import collections
import concurrent.futures
import queue
import re
import shlex
import sys
import time

from backends import CpuBackend, DeviceBackend, EmulatorBackend, Refused
from case import difference, type_of
from families import all_cases
from plain_refusals import judge_refusal
from store import FilesBackend, export, load, save_results


def judge(case, results, device: bool) -> str | None:
    if len(results) != len(case.expected):
        return f"{len(results)} results, wanted {len(case.expected)}"
    for position, (got, want) in enumerate(zip(results, case.expected)):
        if type_of(got) != want.type or got.shape != want.value.shape:
            return (f"result {position} is {type_of(got)}{list(got.shape)}, wanted "
                    f"{want.type}{list(want.value.shape)}")
        problem = difference(got, want, device)
        if problem:
            return f"result {position}: {problem}"
    return None


def run_all(cases, make_backend, workers: int, save: str | None,
            plain: bool) -> tuple[dict[str, str], collections.Counter]:
    """The failures, case name -> sentence, and how many cases of each family of
    plain_refusals.py were refused as they are to be."""
    refused = collections.Counter()

    backends = queue.SimpleQueue()
    for _ in range(workers):
        backends.put(make_backend())

    def one(case):
        backend = backends.get()
        try:
            results = backend.run(case)
            if save:
                save_results(save, case, results)
            problem = judge(case, results, backend.device)
            if plain and problem is None:
                _, problem = judge_refusal(case.name, None)
            return case.name, problem
        except Refused as error:
            if not plain:
                return case.name, str(error)
            family, problem = judge_refusal(case.name, str(error))
            if family:
                refused[family] += 1
            return case.name, problem
        finally:
            backends.put(backend)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        failures = {name: problem for name, problem in pool.map(one, cases) if problem}
    for _ in range(workers):
        backends.get().close()
    return failures, refused


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", choices=["cpu", "device", "emulator", "files"],
                        default="cpu")
    parser.add_argument("--child", help="command that answers run-cpu requests")
    parser.add_argument("--egg-run", default="egg-run", help="builds, for --backend=device")
    parser.add_argument("--worker", default="egg-eval-worker", help="runs, for --backend=device")
    parser.add_argument("--export", metavar="DIR", help="write the cases and run nothing")
    parser.add_argument("--cases", metavar="DIR", help="cases that --export wrote")
    parser.add_argument("--save", metavar="DIR", help="write the results as files")
    parser.add_argument("--results", metavar="DIR", help="results to judge, for --backend=files")
    parser.add_argument("--order", choices=["forward", "reversed", "shuffled"])
    parser.add_argument("--level", type=int, help="LLVM's optimisation level, 0 to 2")
    parser.add_argument("--family", action="append", help="only this family")
    parser.add_argument("--filter", help="only cases whose name matches")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="print the payloads that fail")
    parser.add_argument("--list", action="store_true", help="print names, run nothing")
    args = parser.parse_args()

    start = time.monotonic()
    cases = [c for c in (load(args.cases) if args.cases
                           else all_cases(args.backend == "emulator"))
             if (not args.family or c.family in args.family)
             and (not args.filter or re.search(args.filter, c.name))]
    if args.list:
        for case in cases:
            print(case.name)
        return 0
    if args.export:
        export(args.export, cases)
        print(f"{len(cases)} cases written")
        return 0
    wanted = {"device": True, "files": args.results}.get(args.backend, args.child)
    if not wanted:
        parser.error("--backend=files needs --results; cpu and emulator need --child")
    made = time.monotonic() - start
    fields = {"promote": "none"}
    if args.order:
        fields |= {"order": args.order, "seed": 7}
    if args.level:
        fields["level"] = args.level

    def make_backend():
        if args.backend == "files":
            return FilesBackend(args.results)
        if args.backend == "device":
            return DeviceBackend(shlex.split(args.egg_run), shlex.split(args.worker))
        kind = EmulatorBackend if args.backend == "emulator" else CpuBackend
        return kind(shlex.split(args.child), fields)

    failures, refused = run_all(cases, make_backend, args.workers, args.save,
                                args.backend in ("device", "emulator"))

    counts = collections.Counter(c.family for c in cases)
    failed = collections.Counter(c.family for c in cases if c.name in failures)
    for case in cases:
        if case.name in failures:
            print(f"FAIL {case.name}: {failures[case.name]}")
            if args.show:
                print(case.text)
    for family in sorted(counts):
        print(f"{family}: {counts[family]} cases, {failed[family]} failed")
    for family in sorted(refused):
        print(f"refused: {family}: {refused[family]} cases")
    print(f"made in {made:.1f} s, run in {time.monotonic() - start - made:.1f} s")
    print(f"total: {len(cases)} cases, {len(failures)} failed")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
