"""In what order systems are timed, and which of their blocks count.

A round times every system once, a block each, in an order that turns around from
round to round (A B C, C B A, ...), so that drift falls on all alike. A block is a
number of calls, each timed by itself. Where clocks are read, a round whose blocks
saw different clocks or throttle reasons is void as a whole and is run again.
"""
import dataclasses

from egg_mlir import stats


@dataclasses.dataclass(frozen=True)
class Rules:
    """How much is timed in one process.

    block_seconds: the length of a block, at least one call
    least_calls: calls of each system, at least
    least_seconds: seconds of each system's blocks, at least
    clock_tolerance: SM clocks of a round may differ by this fraction
    max_void: void rounds before a workload is given up
    """
    block_seconds: float = 0.05
    least_calls: int = 20
    least_seconds: float = 0.0
    warm_up_calls: int = 3
    clock_tolerance: float = 0.02
    max_void: int = 20


def rules_for(kind, processes):
    """The rules of a class of workload when `processes` processes share the
    work: a compute-bound system runs for 2 s in total over all of them."""
    if kind == "compute":
        return Rules(block_seconds=0.1, least_calls=10, least_seconds=2.0 / processes)
    return Rules()


@dataclasses.dataclass(frozen=True)
class Clock:
    """What a block ran at: the SM clock in MHz and the throttle reasons, a mask
    of NVML's that slow the chip."""
    sm_mhz: int
    reasons: int


# NVML's reason for a clock held down by the power limit.
POWER_CAP = 0x4


class ClocksDiffer(Exception):
    """Too many void rounds; the text says what was seen."""


def round_is_void(clocks, tolerance):
    """Whether the blocks of a round ran under different conditions: other throttle
    reasons, or other clocks. `clocks` holds one Clock a block, or None where none
    could be read, which voids nothing. The power cap is no such condition: how much
    power a kernel draws is its own doing, here as in use, and with kernels that reach
    the cap in turns no two blocks would ever agree."""
    known = [clock for clock in clocks if clock is not None]
    if len(known) < 2:
        return False
    if len({clock.reasons & ~POWER_CAP for clock in known}) > 1:
        return True
    mhz = [clock.sm_mhz for clock in known]
    capped = any(clock.reasons & POWER_CAP for clock in known)
    return not capped and max(mhz) - min(mhz) > tolerance * max(mhz)


def calls_per_block(ms, rules):
    """How many calls make a block when one takes `ms`."""
    return max(1, min(1000, round(rules.block_seconds * 1e3 / max(ms, 1e-3))))


def run(systems, time_block, rules):
    """Times the systems, a dict of names, in turns.

    `time_block(name, calls)` runs a block and gives (times in ms, seconds that the
    block took, Clock or None). The result is (samples by name, list of the clocks
    of the rounds that count, number of void rounds). The rounds that count are
    even in number. Raises ClocksDiffer."""
    names = list(systems)
    calls = {}
    for name in names:  # also the warm-up: compilers, caches, clocks
        times, _, _ = time_block(name, rules.warm_up_calls)
        calls[name] = calls_per_block(stats.median(times), rules)
    samples = {name: [] for name in names}
    seconds = dict.fromkeys(names, 0.0)
    clocks, void, rounds = [], 0, 0

    def enough():
        return rounds % 2 == 0 and all(
            len(samples[n]) >= rules.least_calls and seconds[n] >= rules.least_seconds for n in names)

    while not enough():
        taken, seen = {}, []
        for name in (names if rounds % 2 == 0 else reversed(names)):
            times, took, clock = time_block(name, calls[name])
            taken[name] = (times, took)
            seen.append(clock)
        if round_is_void(seen, rules.clock_tolerance):
            void += 1
            if void > rules.max_void:
                shown = ", ".join(f"{c.sm_mhz} MHz with reasons {c.reasons:#x}" for c in seen if c)
                raise ClocksDiffer(f"{void} rounds were void because clocks differed; the last saw {shown}")
            continue
        for name, (times, took) in taken.items():
            samples[name] += times
            seconds[name] += took
        clocks += [clock for clock in seen if clock is not None]
        rounds += 1
    return samples, clocks, void
