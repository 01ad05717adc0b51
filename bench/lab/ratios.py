"""Ratios of measurements that were made in the same rounds."""

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


def paired(ours, theirs):
    """The ratio of ours to theirs, round by round; None without positive values. The interval is the
    percentile bootstrap of the median over rounds."""
    pairs = [(a, b) for a, b in zip(ours, theirs) if a > 0 and b > 0]
    if not pairs:
        return None
    ratios = numpy.array([a / b for a, b in pairs])
    if len(ratios) < LEAST_ROUNDS:
        return Ratio(float(numpy.median(ratios)), None, None)
    generator = numpy.random.default_rng(0)  # the same rows give the same report
    medians = numpy.median(ratios[generator.integers(0, len(ratios), (_RESAMPLES, len(ratios)))], axis=1)
    low, high = numpy.percentile(medians, [2.5, 97.5])
    return Ratio(float(numpy.median(ratios)), float(low), float(high))
