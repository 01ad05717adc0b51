"""Rows of `orbweaver bench … --json` (docs/bench.md), and comparisons between their subjects."""

from dataclasses import dataclass

import ratios

OURS = "orbweaver"
FLOOR = "floor"


def case_of(row):
    """What was measured, without the subject."""
    return tuple(row.get(key) for key in ("experiment", "transport", "type", "bytes", "receivers"))


def text_of_bytes(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


def text_of_case(row):
    size = "" if row["type"] in ("empty", "mix") else " " + text_of_bytes(row["bytes"])
    return f"{row['experiment']} {row['transport']}, {row['type']}{size}"


def figure_of(row):
    """The time that is compared: the mean of one-way messages, otherwise the median."""
    return row["mean_us"] if row["experiment"] == "oneway" else row["p50_us"]


def rounds_of(row):
    return row["rounds_mean_us"] if row["experiment"] == "oneway" else row["rounds_p50_us"]


@dataclass
class Comparison:
    """Our time beside that of another subject in the same case."""

    ours: dict
    theirs: dict
    ratio: ratios.Ratio


def comparisons(rows):
    """Of Orbweaver with every other subject, in each case that both have."""
    found = []
    ours = {case_of(row): row for row in rows if row["subject"] == OURS}
    for row in rows:
        mine = ours.get(case_of(row))
        if row["subject"] == OURS or mine is None:
            continue
        ratio = ratios.paired(rounds_of(mine), rounds_of(row))
        if ratio:
            found.append(Comparison(mine, row, ratio))
    return found


def matching(rows, select):
    """Rows whose members have one of the selected values."""
    return [
        row
        for row in rows
        if all(
            row.get(key) in (value if isinstance(value, list) else [value]) for key, value in select.items()
        )
    ]
