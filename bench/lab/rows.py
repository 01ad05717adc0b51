"""Rows of `orbweaver bench … --json` (docs/bench.md), and comparisons between their subjects."""

from dataclasses import dataclass

import ratios

OURS = "orbweaver"
FLOOR = "floor"


def case_of(row):
    """What was measured, without the subject."""
    keys = (
        "experiment",
        "transport",
        "type",
        "bytes",
        "receivers",
        "threads",
        "load",
        "fifo",
        "ip",
        "batch_us",
        "count",
        "callers",
    )
    return tuple(row.get(key) for key in keys)


def text_of_bytes(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


def text_of_case(row):
    if row["experiment"] == "profile":
        text = f"{row['transport']}, {row['samples']} samples, {row['type']}"
        text += "" if row["threads"] == "connection" else f", {row['threads']}"
        text += f", {row['load']} busy processes" if row["load"] else ""
        return text + (f", SCHED_FIFO {row['fifo']}" if row["fifo"] else "")
    if row["experiment"] == "userplane":
        text = f"{row['transport']}, IPv{row['ip']}, {row['messages']}"
        return text + (", batched" if row["batch_us"] else "")
    if row["experiment"] == "scale":
        text = f"{row['count']:,} {row['type'] if row['count'] != 1 else row['type'][:-1]}"
        text += f", {row['callers']} callers" if row["callers"] != 1 else ""
        return text + ("" if row["threads"] == "connection" else f", {row['threads']}")
    size = "" if row["type"] in ("empty", "mix") else " " + text_of_bytes(row["bytes"])
    return f"{row['experiment']} {row['transport']}, {row['type']}{size}"


# The time that is compared: the median, with these exceptions.
_FIGURES = {"oneway": "mean_us", "userplane": "receiver_us_per_packet"}


def figure_of(row):
    """The time that is compared: the mean of one-way messages; with `userplane` the processor time of the
    receiver for a packet, at the load at which throughput is compared; otherwise the median."""
    return row[_FIGURES.get(row["experiment"], "p50_us")]


def rounds_of(row):
    return row["rounds_" + _FIGURES.get(row["experiment"], "p50_us")]


def has_figure(row):
    """Whether the row has a time that is compared: with `userplane` only at the same load."""
    return _FIGURES.get(row.get("experiment"), "p50_us") in row and row.get("at_reached", True)


def text_of_subject(row):
    return row["subject"] + (", batched" if row.get("batch_us") else "")


def _is_part(row):
    """A part of a latency: what is sent earlier may be received in another part."""
    return row["experiment"] == "profile" and row["type"] != "latency"


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
        if row["subject"] == OURS or mine is None or _is_part(row):
            continue
        if not has_figure(row) or not has_figure(mine):
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
