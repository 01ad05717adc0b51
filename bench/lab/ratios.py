"""Ratios of measurements, with their confidence intervals. NumPy is imported when there is something to
compute, so that the plan can be printed without it."""

import math
import statistics
from dataclasses import dataclass

# Fewer rounds have no confidence interval.
LEAST_ROUNDS = 5
_RESAMPLES = 10_000


@dataclass
class Ratio:
    """Median of the ratios of all rounds, with the limits of its 95 % confidence interval if there is one."""

    median: float
    low: float | None
    high: float | None

    @property
    def verdict(self):
        """Of a ratio of times, ours to theirs."""
        if self.low is None:
            return "too few rounds"
        if self.low > 1:
            return "slower"
        if self.high < 1:
            return "faster"
        return "not shown"


def _generator():
    import numpy

    return numpy.random.default_rng(0)  # the same rows give the same report


def _resampled_medians(values, generator):
    import numpy

    chosen = generator.integers(0, len(values), (_RESAMPLES, len(values)))
    return numpy.median(numpy.array(values)[chosen], axis=1)


def _with_interval(median, medians):
    import numpy

    low, high = numpy.percentile(medians, [2.5, 97.5])
    return Ratio(float(median), float(low), float(high))


def of_rounds(values):
    """The median of the values of all rounds, as a Ratio; None without values. The interval is the percentile
    bootstrap of the median over rounds."""
    if not values:
        return None
    if len(values) < LEAST_ROUNDS:
        return Ratio(statistics.median(values), None, None)
    return _with_interval(statistics.median(values), _resampled_medians(values, _generator()))


def paired(ours, theirs):
    """The ratio of ours to theirs, round by round; None without positive values. Infinite where they never
    have any and we always do."""
    rounds = list(zip(ours, theirs))
    if len(rounds) >= LEAST_ROUNDS and all(a > 0 >= b for a, b in rounds):
        return Ratio(math.inf, math.inf, math.inf)
    return of_rounds([a / b for a, b in rounds if a > 0 and b > 0])


def exact(ours, theirs):
    """The ratio of two values that do not vary; None without positive values."""
    if ours <= 0 or theirs <= 0:
        return None
    return Ratio(ours / theirs, ours / theirs, ours / theirs)


def unpaired(ours, theirs):
    """The ratio of the medians of values that were not measured at the same time; None without them."""
    if not ours or not theirs or statistics.median(theirs) <= 0:
        return None
    median = statistics.median(ours) / statistics.median(theirs)
    if min(len(ours), len(theirs)) < LEAST_ROUNDS or min(theirs) <= 0:
        return Ratio(median, None, None)
    generator = _generator()
    return _with_interval(
        median, _resampled_medians(ours, generator) / _resampled_medians(theirs, generator)
    )
