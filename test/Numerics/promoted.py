#!/usr/bin/env python3
"""Computes cases of the corpus in f64 by two ways that share no lowering, and
compares: the CPU runner and the plain kernels under the emulator.

usage: promoted.py CPU-CHILD EMULATOR-CHILD [STRIDE]    (each STRIDE-th case)

Prints a line for a case that differs by more than 1e-10, or that one of the two
alone refuses, and the counts; exit code 1 when there is such a case.
"""

import concurrent.futures
import shlex
import sys

import numpy as np

from backends import CpuBackend, Refused
from families import all_cases
from plain_refusals import judge_refusal


def run(command: str, cases):
    backend = CpuBackend(shlex.split(command), {"promote": "f64"})
    results = []
    for case in cases:
        try:
            results.append(backend.run(case))
        except Refused as error:
            results.append(error)
    backend.close()
    return results


def distance(found, wanted) -> float:
    """The largest |a - b| / max(1, |b|); infinite for other types or shapes, or
    where one is not finite or NaN and the other is not the same."""
    worst = 0.0 if len(found) == len(wanted) else np.inf
    for a, b in zip(found, wanted):
        if a.dtype != b.dtype or a.shape != b.shape:
            return np.inf
        with np.errstate(all="ignore"):
            same = (a == b) | ((a != a) & (b != b))
            off = np.where(same, 0, np.abs(a.astype(float) - b.astype(float))
                           / np.maximum(1, np.abs(b.astype(float))))
        worst = max(worst, np.nan_to_num(off, nan=np.inf).max(initial=0.0))
    return worst


def main() -> int:
    cpu, emulator = sys.argv[1:3]
    cases = all_cases()[::int(sys.argv[3]) if len(sys.argv) > 3 else 1]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        one, two = pool.map(run, (cpu, emulator), (cases, cases))
    agreed = refused = failed = 0
    for case, a, b in zip(cases, one, two):
        if isinstance(a, Refused) and isinstance(b, Refused):
            refused += 1
        elif isinstance(b, Refused) and judge_refusal(case.name, str(b))[0]:
            refused += 1
        elif isinstance(a, Refused) or isinstance(b, Refused):
            failed += 1
            print(f"FAIL {case.name}: only one refuses: {a if isinstance(a, Refused) else b}")
        elif not (off := distance(b, a)) <= 1e-10:
            failed += 1
            print(f"FAIL {case.name}: the two differ by {off:.3g}")
        else:
            agreed += 1
    print(f"{agreed} agree, {refused} refused, {failed} failed")
    return 1 if failed or not agreed else 0


if __name__ == "__main__":
    sys.exit(main())
