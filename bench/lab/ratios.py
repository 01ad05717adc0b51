"""Ratios of measurements, with their confidence intervals."""

from dataclasses import dataclass

import numpy

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


def _resampled_medians(values, generator):
    chosen = generator.integers(0, len(values), (_RESAMPLES, len(values)))
    return numpy.median(numpy.array(values)[chosen], axis=1)


def _with_interval(median, medians):
    low, high = numpy.percentile(medians, [2.5, 97.5])
    return Ratio(float(median), float(low), float(high))


def of_rounds(values):
    """The median of the values of all rounds, as a Ratio; None without values. The interval is the percentile
    bootstrap of the median over rounds."""
    if not values:
        return None
    if len(values) < LEAST_ROUNDS:
        return Ratio(float(numpy.median(values)), None, None)
    generator = numpy.random.default_rng(0)  # the same rows give the same report
    return _with_interval(numpy.median(values), _resampled_medians(values, generator))


def paired(ours, theirs):
    """The ratio of ours to theirs, round by round; None without positive values."""
    return of_rounds([a / b for a, b in zip(ours, theirs) if a > 0 and b > 0])


def unpaired(ours, theirs):
    """The ratio of the medians of values that were not measured at the same time; None without them."""
    if not ours or not theirs or numpy.median(theirs) <= 0:
        return None
    median = numpy.median(ours) / numpy.median(theirs)
    if min(len(ours), len(theirs)) < LEAST_ROUNDS or min(theirs) <= 0:
        return Ratio(float(median), None, None)
    generator = numpy.random.default_rng(0)
    return _with_interval(
        median, _resampled_medians(ours, generator) / _resampled_medians(theirs, generator)
    )
