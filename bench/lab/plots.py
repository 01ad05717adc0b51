"""Plots of rows as SVG, in colours that can be read on light and dark pages."""

import drawing
import rows
import tables

_COLOURS = {
    "orbweaver": "#2f7ed8",
    "omniorb": "#d9822b",
    "iceoryx2": "#2e9e6b",
    "iceoryx2-rr": "#7fb800",
    "floor": "#8a8a8a",
    "zeromq": "#b05bb5",
    "capnp": "#c9463d",
    "grpc": "#2aa3b8",
    "ice": "#a38b1f",
    "sca": "#2e9e6b",
    "omniorb-pypi": "#8a5a1f",
    "jacorb": "#7a6ff0",
    "cyclonedds": "#e07ab0",
}
_FURTHER = ["#b05bb5", "#c9463d", "#2aa3b8", "#a38b1f"]


def _colour(name, index=0):
    return _COLOURS.get(name, _FURTHER[index % len(_FURTHER)])


def _value_of(row, key):
    """A member of a row, by default the figure that is compared, and the smallest and largest one of a round."""
    if key == "mb_per_s":
        return _rate_of(row)[1:]
    value = row[key] if key else rows.figure_of(row)
    rounds = row.get("rounds_" + key, []) if key else rows.rounds_of(row)
    return (value, min(rounds), max(rounds)) if rounds else (value,)


def _spread(row, key=None):
    return (row["bytes"], *_value_of(row, key))


def _size(plot, all_rows):
    """Time by number of bytes, a curve for each subject, a plot for each transport. `statistic`: mean instead of
    the figure that is compared. The axes are linear if there is no byte in one case, otherwise logarithmic."""
    found = [row for row in all_rows if row["type"] == plot["type"]]
    key = plot["statistic"] + "_us" if "statistic" in plot else None
    log = "" if any(row["bytes"] == 0 for row in found) else "xy"
    drawn = []
    for transport in dict.fromkeys(row["transport"] for row in found):
        names = dict.fromkeys(row["subject"] for row in found if row["transport"] == transport)
        curves = [
            drawing.Curve(
                name,
                [
                    _spread(row, key)
                    for row in found
                    if row["transport"] == transport and row["subject"] == name
                ],
                _colour(name, i),
            )
            for i, name in enumerate(names)
        ]
        if any(len(curve.points) > 1 for curve in curves):
            title = f"{transport}, {plot['type']}"
            drawn.append(drawing.draw(title, "bytes", plot.get("y", "µs a call"), curves, log))
    return drawn


def _rate_of(row):
    """Payload in MB/s by number of bytes, with the spread of the rounds."""
    rates = [row["bytes"] / us for us in row["rounds_mean_us"] if us > 0]
    return (row["bytes"], row["mb_per_s"]) + ((min(rates), max(rates)) if rates else ())


def _rate(plot, all_rows):
    """Throughput by number of bytes, a curve for each subject, a plot for each transport."""
    found = [row for row in all_rows if row["type"] == plot["type"] and row["mb_per_s"] > 0]
    drawn = []
    for transport in dict.fromkeys(row["transport"] for row in found):
        own = [row for row in found if row["transport"] == transport]
        curves = [
            drawing.Curve(name, [_rate_of(row) for row in own if row["subject"] == name], _colour(name, i))
            for i, name in enumerate(dict.fromkeys(row["subject"] for row in own))
        ]
        if any(len(curve.points) > 1 for curve in curves):
            title = f"{transport}, {plot['type']}: throughput in one direction"
            drawn.append(drawing.draw(title, "bytes", "MB/s", curves))
    return drawn


def _transports(plot, all_rows):
    """Mean, smallest and largest time by number of bytes, as in the document, a curve for each transport."""
    colours = dict(zip(("shm", "mqueue", "unix", "tcp"), ("#2f7ed8", "#2e9e6b", "#d9822b", "#b05bb5")))
    curves = []
    for transport in dict.fromkeys(row["transport"] for row in all_rows):
        points = [
            (row["bytes"], row["mean_us"], row["min_us"], row["max_us"])
            for row in all_rows
            if row["subject"] == plot["subject"] and row["transport"] == transport
        ]
        curves.append(drawing.Curve(transport, points, colours.get(transport, _FURTHER[0])))
    return [drawing.draw("transfer time: mean, smallest and largest", "bytes", "µs a call", curves)]


def _sends(plot, all_rows):
    """Time of each send of the producer."""
    drawn = []
    for row in all_rows:
        if row["subject"] != rows.OURS or row["mode"] not in plot["modes"]:
            continue
        points = list(enumerate(row["send_us"], 1))
        drawn.append(
            drawing.draw(
                row["mode"],
                "packet",
                "µs of its send",
                [drawing.Curve("send", points, "#2f7ed8", "points")],
                log="y",
                size=(520, 300),
            )
        )
    return drawn


def _deployment(_, all_rows):
    """Time from create() to a started application, by number of components."""

    def median(values):
        return sorted(values)[len(values) // 2]

    found = [row for row in all_rows if not row["in_one_process"]]
    curves = [
        drawing.Curve(
            name,
            [(row["components"], median(row[key]), min(row[key]), max(row[key])) for row in found],
            _colour(name),
        )
        for name, key in (("orbweaver", "create_to_started_ms"), ("floor", "floor_ms"))
    ]
    return [drawing.draw("from create() to a started application", "components, each a process", "ms", curves)]


def _histogram(plot, all_rows):
    """Packets by latency, a curve for each subject, a plot for each transport."""
    found = [row for row in all_rows if row.get("histogram") and row["type"] == "latency"]
    drawn = []
    for transport in dict.fromkeys(row["transport"] for row in found):
        curves = [
            drawing.Curve(
                row["subject"],
                [(us, count or 0.5) for us, count in row["histogram"]],
                _colour(row["subject"]),
                "steps",
            )
            for row in found
            if row["transport"] == transport
        ]
        title = f"{transport}: latency" + (", " + plot["title"] if "title" in plot else "")
        drawn.append(drawing.draw(title, "µs", "packets", curves))
    return drawn


def _points(plot, all_rows):
    """Latency of each packet, as points; a plot for each transport of one subject. The plots of all subjects, and
    those of `beside_rows`, have the same scale."""
    found = [row for row in all_rows if row.get("points") and row["subject"] == plot["subject"]]
    every = [us for row in [*all_rows, *plot.get("beside_rows", [])] for _, us in row.get("points", [])]
    y_range = (min(every) / 1.5, max(every) * 1.5) if every and min(every) > 0 else None
    return [
        drawing.draw(
            f"{row['subject']}, {rows.text_of_case(row)}",
            "packet",
            "µs",
            [drawing.Curve("latency", row["points"], _colour(row["subject"]), "points")],
            log="y",
            size=(520, 300),
            y_range=y_range,
        )
        for row in found
    ]


def _curve_names(found):
    return dict.fromkeys(rows.text_of_subject(row) for row in found)


def _shade(name):
    """The colour of a subject; batches, whose lines are dashed, have the same one."""
    return _colour(name.partition(", ")[0])


def _load(_, all_rows):
    """Processor time of the receiver by throughput, a curve for each subject, a plot for each case."""
    drawn = []
    for case in dict.fromkeys((row["transport"], row["ip"], row["messages"]) for row in all_rows):
        found = [row for row in all_rows if (row["transport"], row["ip"], row["messages"]) == case]
        curves = [
            drawing.Curve(
                rows.text_of_subject(row),
                sorted(
                    (point["mbit_per_s"], point["cpu_percent"])
                    for point in row["points"]
                    if point["mbit_per_s"] > 0 and point["cpu_percent"] > 0
                ),
                _shade(rows.text_of_subject(row)),
            )
            for row in found
        ]
        curves = [curve for curve in curves if curve.points]
        if not curves:
            continue
        span = [curve.points[i][0] for curve in curves for i in (0, -1)]
        load = found[0]["at_cpu_percent"]
        level = drawing.Curve(f"{load:g} %", [(min(span), load), (max(span), load)], "#8a8a8a", "lines")
        title = f"{case[0]}, IPv{case[1]}, {case[2]}"
        drawn.append(drawing.draw(title, "Mbit/s", "% of a processor, receiver", curves + [level]))
    return drawn


def _throughput(_, all_rows):
    """Throughput at one load of the receiver by size of messages, a curve for each subject."""
    drawn = []
    for case in dict.fromkeys((row["transport"], row["ip"]) for row in all_rows):
        found = [
            row for row in all_rows if (row["transport"], row["ip"]) == case and "at_mbit_per_s" in row
        ]
        curves = []
        for name in _curve_names(found):
            points = [
                (
                    row["bytes"],
                    row["at_mbit_per_s"],
                    min(each for each in row["rounds_at_mbit_per_s"] if each > 0),
                    max(row["rounds_at_mbit_per_s"]),
                )
                for row in found
                if rows.text_of_subject(row) == name
            ]
            curves.append(drawing.Curve(name, sorted(points), _shade(name)))
        if any(len(curve.points) > 1 for curve in curves):
            load = found[0]["at_cpu_percent"]
            title = f"{case[0]}, IPv{case[1]}: throughput at {load:g} % of the receiver's processor"
            drawn.append(drawing.draw(title, "bytes of a message", "Mbit/s", curves))
    return drawn


def _scale(plot, all_rows):
    """A member of the rows (`y`, in `unit`) by number of clients, objects or components, a curve for each
    subject, with the spread of the rounds if it is the median; a plot for each number of callers and kind of
    threads."""
    found = [row for row in all_rows if row.get(plot["y"])]
    cases = dict.fromkeys((row["callers"], row["threads"]) for row in found)
    drawn = []
    for case in cases:
        own = [row for row in found if (row["callers"], row["threads"]) == case]
        curves = [
            drawing.Curve(
                name,
                [
                    (row["count"], row[plot["y"]])
                    + ((min(rows.rounds_of(row)), max(rows.rounds_of(row))) if plot["y"] == "p50_us" else ())
                    for row in own
                    if row["subject"] == name
                ],
                _colour(name, i),
            )
            for i, name in enumerate(dict.fromkeys(row["subject"] for row in own))
        ]
        if any(len(curve.points) > 1 for curve in curves):
            title = plot["title"] + (f", {case[0]} callers" if case[0] != 1 else "")
            title += "" if case[1] == "connection" else f", {case[1]}"
            drawn.append(drawing.draw(title, own[0]["type"], plot["unit"], curves))
    return drawn


def _cases(plot, all_rows):
    """Times of several cases, which are named below the plot, or another member of the rows (`y`, in `unit`); a
    curve of points for each subject. `type`: only rows of this one."""
    key = plot.get("y")
    found = [row for row in all_rows if rows.has_figure(row) and row["type"] == plot.get("type", row["type"])]
    found = [row for row in found if _value_of(row, key)[0] > 0]
    cases = list(dict.fromkeys(rows.text_of_case(row) for row in found))
    names = list(dict.fromkeys(row["subject"] for row in found))
    curves = []
    for i, name in enumerate(names):
        shift = (i - (len(names) - 1) / 2) * 0.6 / len(names)  # beside each other
        points = [
            (cases.index(rows.text_of_case(row)) + shift, *_value_of(row, key))
            for row in found
            if row["subject"] == name
        ]
        curves.append(drawing.Curve(name, points, _colour(name, i), "points"))
    experiments = tuple(f"{each} " for each in ("twoway", "oneway", "hops", "fanout"))
    labels = [case.split(" ", 1)[1] if case.startswith(experiments) else case for case in cases]
    return [drawing.draw(plot["title"], "", plot.get("unit", "µs"), curves, log="y", labels=labels)]


_SIZES = (
    ("generated code", "generated_kib"),
    ("libraries", "libraries_kib"),
    ("program", "program_kib"),
    ("client, private", "client_private_kib"),
    ("server, private", "server_private_kib"),
)


def _footprint(plot, all_rows):
    """Sizes and memory, which are named below the plot; a curve of points for each subject."""
    curves = []
    for i, row in enumerate(all_rows):
        shift = (i - (len(all_rows) - 1) / 2) * 0.6 / len(all_rows)
        points = [
            (at + shift, *_value_of(row, key)) for at, (_, key) in enumerate(_SIZES) if row.get(key, 0) > 0
        ]
        bars = [(*point, point[1], point[1])[:4] if len(point) == 2 else point for point in points]
        curves.append(drawing.Curve(row["subject"], bars, _colour(row["subject"], i), "points"))
    return [drawing.draw(plot["title"], "", "KiB", curves, log="y", labels=[label for label, _ in _SIZES])]


def _monitor(plot, all_rows):
    """Packets a second in each round, without and with the browsers."""
    curves = [
        drawing.Curve(name, list(enumerate(row[key], 1)), colour)
        for row in all_rows
        for name, key, colour in (
            ("not watched", "packets_per_s", "#8a8a8a"),
            ("watched", "watched_packets_per_s", "#2f7ed8"),
        )
    ]
    return [drawing.draw(plot["title"], "round", "packets/s", curves, log="")]


_PARTS = {
    "stub+marshalling": "#2f7ed8",
    "stub": "#7fb5ef",
    "marshalling": "#2f7ed8",
    "transport+skeleton": "#d9822b",
    "transport": "#d9822b",
    "skeleton": "#f0c080",
    "copy": "#c9463d",
    "queue": "#b05bb5",
    "wake-up": "#2e9e6b",
}


def _parts(plot, all_rows):
    """The medians of consecutive parts on each other, a bar for each subject, a plot for each transport."""
    found = [row for row in all_rows if row["type"] in _PARTS]
    drawn = []
    for transport in dict.fromkeys(row["transport"] for row in found):
        own = [row for row in found if row["transport"] == transport]
        names = list(_curve_names(own))
        tops, boxes = dict.fromkeys(names, 0.0), {}
        for row in own:
            name = rows.text_of_subject(row)
            low, tops[name] = tops[name], tops[name] + max(row["p50_us"], 0)
            x = names.index(name)
            boxes.setdefault(row["type"], []).append((x, low, x - 0.35, x + 0.35, low, tops[name]))
        drawn.append(drawing.draw_boxes(f"{transport}: {plot['title']}", "µs, medians", boxes, names, _PARTS))
    return drawn


def _goals(_, all_rows):
    """Each goal's figure divided by its limit, with its confidence interval, below each other."""
    lines = [(row, tables.ratio_of_goal(row)) for row in all_rows if row["at_most"] > 0]
    lines = [(row, ratio) for row, ratio in lines if ratio and ratio.median > 0]
    points = []
    for i, (row, ratio) in enumerate(lines):
        low, high = (ratio.median, ratio.median) if ratio.low is None else (ratio.low, ratio.high)
        points.append(tuple(value / row["at_most"] for value in (ratio.median, low, high)) + (i,))
    labels = [
        f"{row['goal']} ({row['by']}{', ' + row['against'] if row['against'] else ''})" for row, _ in lines
    ]
    return [drawing.draw_below_each_other("measured / at most", points, labels)]


KINDS = {
    "cases": _cases,
    "footprint": _footprint,
    "monitor": _monitor,
    "parts": _parts,
    "goals": _goals,
    "size": _size,
    "rate": _rate,
    "transports": _transports,
    "sends": _sends,
    "deployment": _deployment,
    "histogram": _histogram,
    "points": _points,
    "load": _load,
    "throughput": _throughput,
    "scale": _scale,
}


def of(plot, all_rows):
    """The SVG elements of one plot of experiments.toml."""
    return [each for each in KINDS[plot["kind"]](plot, all_rows) if each]
