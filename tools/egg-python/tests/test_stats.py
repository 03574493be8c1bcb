import random

import pytest

from egg_mlir import stats


def test_median_of_odd_and_even():
    assert stats.median([3, 1, 2]) == 2
    assert stats.median([4, 1, 3, 2]) == 2.5
    with pytest.raises(ValueError):
        stats.median([])


def test_system_is_the_median_of_process_medians():
    # Pooling would give 1.0: the process with more samples must not weigh more.
    assert stats.system_ms([[1.0] * 9, [2.0], [3.0]]) == 2.0


def test_interval_holds_the_ratio_and_is_reproducible():
    draw = random.Random(1)
    egg = [[1 + 0.02 * draw.random() for _ in range(20)] for _ in range(7)]
    peer = [[1.5 + 0.02 * draw.random() for _ in range(20)] for _ in range(7)]
    low, high = stats.ratio_interval(peer, egg)
    assert low <= stats.system_ms(peer) / stats.system_ms(egg) <= high
    assert 1.4 < low < high < 1.6
    assert stats.ratio_interval(peer, egg) == [low, high]


def test_interval_is_pinned():
    """The generator and the definition are part of the format."""
    egg = [[1.0], [1.1], [1.2], [1.3]]
    peer = [[2.0], [2.4], [2.2], [2.9]]
    assert [stats.rounded(v) for v in stats.ratio_interval(peer, egg)] == [1.83333, 2.23077]


def test_interval_uses_pairs_of_processes():
    """Both slow down together in one process: the ratio does not vary."""
    egg = [[1.0], [1.5], [2.0]]
    assert stats.ratio_interval([[2 * a for a in p] for p in egg], egg) == [2.0, 2.0]


def test_no_interval_from_two_processes_or_unequal_counts():
    assert stats.ratio_interval([[1.0], [1.0]], [[1.0], [1.0]]) is None
    assert stats.ratio_interval([[1.0]] * 4, [[1.0]] * 3) is None


@pytest.mark.parametrize("interval, word", [
    ([1.02, 1.5], "faster"), ([1.005, 1.5], "tie"), ([1.01, 1.5], "tie"), ([0.8, 0.95], "slower"),
    ([0.8, 1.2], "tie"), ([0.985, 0.995], "tie"), (None, "unknown")])
def test_verdict(interval, word):
    assert stats.verdict(interval) == word
