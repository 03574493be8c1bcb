"""Medians and intervals: one definition, for the suite that writes a results
file and for the check that recomputes it.

Samples are grouped by process: within one process they share clocks, memory
layout and luck, so the process is what is resampled.
"""
import functools
import math
import random

# Fixed, so that a recomputed interval is the same interval.
SEED = 20260626
RESAMPLES = 2000
# Fewer processes than this carry no interval.
LEAST_PROCESSES = 3
# A win needs the lower end of the interval above this.
WIN = 1.01


def median(values):
    """The median of a non-empty list; the mean of the middle two if even."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("the median of no values is not defined")
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2.0


def system_ms(processes):
    """The time of a system in ms: the median of its processes' medians.
    `processes` is a list, one list of samples in ms a process."""
    return median([median(samples) for samples in processes])


def ratio_interval(peer, egg, seed=SEED, resamples=RESAMPLES):
    """The 95 % percentile bootstrap interval of time(peer) / time(egg).

    Both are lists of processes in the same order: process i timed both. Each
    resample draws processes with replacement, the same ones for both systems,
    and takes the ratio of the medians of their medians. The generator is
    Python's Mersenne Twister, `random()`, whose sequence Python keeps fixed.
    None when there are fewer than three processes or the counts differ."""
    if len(peer) != len(egg) or len(egg) < LEAST_PROCESSES:
        return None
    low, high = _interval(tuple(map(median, peer)), tuple(map(median, egg)), seed, resamples)
    return [low, high]


@functools.lru_cache(maxsize=4096)
def _interval(peers, eggs, seed, resamples):
    count = len(eggs)
    draw = random.Random(seed).random
    ratios = []
    for _ in range(resamples):
        chosen = [int(draw() * count) for _ in range(count)]
        ratios.append(median([peers[i] for i in chosen]) / median([eggs[i] for i in chosen]))
    ratios.sort()
    return percentile(ratios, 0.025), percentile(ratios, 0.975)


def percentile(ordered, fraction):
    """Linear interpolation between the two nearest of a sorted list."""
    position = fraction * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def verdict(interval):
    """`faster` when the interval of peer / egg lies above 1.01, `slower` when it
    lies below 1 / 1.01, `tie` between, `unknown` without an interval."""
    if interval is None:
        return "unknown"
    if interval[0] > WIN:
        return "faster"
    if interval[1] < 1.0 / WIN:
        return "slower"
    return "tie"


def geometric_mean(values):
    """exp of the mean logarithm of a non-empty list of positive numbers."""
    return math.exp(sum(math.log(value) for value in values) / len(values))


def rounded(value, digits=6):
    """`value` to `digits` significant digits, as results files hold figures."""
    return float(f"{value:.{digits}g}")
