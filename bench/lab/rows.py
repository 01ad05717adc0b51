"""Rows of `orbweaver bench … --json` (docs/bench.md), and comparisons between their subjects."""

from dataclasses import dataclass

import figures
import ratios

OURS = "orbweaver"
FLOOR = "floor"
# No other systems: the mechanisms alone, Orbweaver with its SCA components, and its micro library.
NOT_OTHERS = (FLOOR, "sca", "orbweaver-micro")


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
        "wait",
        "pin",
        "mode",
        "packets",
        "pace_ms",
        "interceptors",
    )
    if row["experiment"] == "pipeline":  # omniORB has no shared memory
        row = {**row, "transport": None}
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
    if row["experiment"] == "footprint":
        return f"footprint, {row['transport']}"
    if row["experiment"] == "pipeline":
        pace = f", {row['pace_ms']:g} ms between them" if row.get("pace_ms") else ""
        return f"pipeline, {row['mode']}, {row['packets']:,} packets{pace}"
    size = "" if row["type"] in ("empty", "mix") else " " + text_of_bytes(row["bytes"])
    return f"{row['experiment']} {row['transport']}, {row['type']}{size}"


_WAITS = {"spin": "polls", "adaptive": "polls, then blocks", "block": "blocks", "default": "default"}
_PINS = {"one": "one core", "two": "two cores", "none": "not pinned"}


def text_of_conditions(row):
    """How both ends wait, and their cores: "blocks, one core"."""
    texts = (_WAITS.get(row.get("wait"), row.get("wait")), _PINS.get(row.get("pin"), row.get("pin")))
    return ", ".join(text for text in texts if text)


def figure_of(row):
    """The value of the first figure that is compared (figures.py)."""
    return figures.of_row(row)[0].of(row)


def rounds_of(row):
    return figures.of_row(row)[0].rounds_of(row)


def has_figure(row):
    """Whether the row has the figure that is compared: with `userplane` only at the same load."""
    own = figures.of_row(row)
    return bool(own) and own[0].key in row and row.get("at_reached", True)


def text_of_subject(row):
    text = row["subject"] + (", batched" if row.get("batch_us") else "")
    return text + (", interceptors" if row.get("interceptors") else "")


def _is_part(row):
    """A part of a latency: what is sent earlier may be received in another part."""
    return row["experiment"] == "profile" and row["type"] != "latency"


@dataclass
class Comparison:
    """A figure of ours beside that of another subject in the same case."""

    figure: figures.Figure
    ours: dict
    theirs: dict
    ratio: ratios.Ratio


def _ratio(figure, ours, theirs):
    if figure.exact:
        return ratios.exact(figure.of(ours) or 0, figure.of(theirs) or 0)
    return ratios.paired(figure.rounds_of(ours), figure.rounds_of(theirs))


def _comparisons(rows, figures_of):
    found = []
    ours = {case_of(row): row for row in rows if row["subject"] == OURS}
    for row in rows:
        mine = ours.get(case_of(row))
        if row["subject"] == OURS or mine is None or _is_part(row):
            continue
        if not has_figure(row) or not has_figure(mine):
            continue
        for figure in figures_of(row):
            ratio = _ratio(figure, mine, row)
            if ratio:
                found.append(Comparison(figure, mine, row, ratio))
    return found


def comparisons(rows):
    """Of Orbweaver with every other subject, in each case that both have, in the experiment's first figure."""
    return _comparisons(rows, lambda row: figures.of_row(row)[:1])


def comparisons_of_all_figures(rows):
    return _comparisons(rows, figures.of_row)


def floor_to(row, all_rows, batched):
    """The ratio of the throughput of plain sockets to that of a row of `userplane` at the same load, round by
    round; None if one of them has not had that load in each round."""
    for floor in all_rows:
        case = [(each["transport"], each["ip"], each["messages"]) for each in (floor, row)]
        if floor["subject"] == FLOOR and bool(floor["batch_us"]) == batched and case[0] == case[1]:
            if has_figure(floor) and has_figure(row):
                return ratios.paired(floor["rounds_at_mbit_per_s"], row["rounds_at_mbit_per_s"])
    return None


def matching(rows, select):
    """Rows whose members have one of the selected values."""
    return [
        row
        for row in rows
        if all(
            row.get(key) in (value if isinstance(value, list) else [value]) for key, value in select.items()
        )
    ]
