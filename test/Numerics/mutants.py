#!/usr/bin/env python3
"""The power of the comparison: each case's own reference passes, and a result
with one element changed, all zeros, or shifted by one does not."""

import sys

import numpy as np

from case import DTYPES, PRECISION, FLOATS, difference, ulp_of
from families import all_cases


def one_off(want):
    """The reference with one element moved just beyond what is allowed."""
    golden = want.value.astype(DTYPES[want.type])
    flat = golden.reshape(-1)
    if want.type not in FLOATS:
        flat[-1] = not flat[-1] if want.type == "i1" else flat[-1] ^ 1
        return golden
    finite = np.flatnonzero(np.isfinite(flat.astype(np.float64)))
    if finite.size == 0:
        flat[-1] = 0
        return golden
    place = finite[-1]
    value = float(want.value.reshape(-1)[place])
    step = (want.ulp + 2) * float(ulp_of(np.array(value), want.type))
    if want.scale is not None:
        step += want.eps * 2.0 ** (1 - PRECISION[want.type]) * float(
            np.broadcast_to(want.scale, want.value.shape).reshape(-1)[place])
    moved = np.float64(value - np.copysign(1.2 * step, value)).astype(DTYPES[want.type])
    flat[place] = moved
    return golden


def main() -> int:
    counts = {"itself": 0, "one element": 0, "zeros": 0, "shift": 0}
    problems = []
    with np.errstate(all="ignore"):
        for case in all_cases():
            for want in case.expected:
                golden = want.value.astype(DTYPES[want.type])
                if difference(golden, want, False):
                    problems.append(f"{case.name}: its own reference fails")
                counts["itself"] += 1
                if golden.size == 0:
                    continue
                mutants = {"one element": one_off(want)}
                if np.count_nonzero(golden.astype(np.float64)) * 2 > golden.size > 4:
                    mutants["zeros"] = np.zeros_like(golden)
                if want.exact and golden.size > 4 and len(np.unique(golden)) > 3:
                    mutants["shift"] = np.roll(golden, 1)
                for kind, mutant in mutants.items():
                    counts[kind] += 1
                    if not difference(mutant, want, False):
                        problems.append(f"{case.name}: {kind} passes")
    for problem in problems:
        print("FAIL", problem)
    print("; ".join(f"{kind}: {count}" for kind, count in counts.items()))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
