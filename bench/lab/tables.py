"""Tables of the report, by kind of row: headings, and lines of cells."""

import ratios
import rows


def _number(value, digits=3):
    return f"{value:,.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


def text_of_ratio(ratio):
    """With its confidence interval, if it has one."""
    if ratio is None:
        return ""
    if ratio.low is None or ratio.low == ratio.high:
        return f"{ratio.median:.3f}".replace("inf", "∞")
    return f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"


def _ratio(ratio):
    return text_of_ratio(ratio), ratio.verdict if ratio else ""


def _marked(ratio):
    """A ratio in a column without another one for its verdict."""
    text = text_of_ratio(ratio)
    return text + " (not shown)" if ratio and ratio.low is not None and ratio.verdict == "not shown" else text


def _spread(row, digits=3):
    """The smallest and the largest value of a round, of the figure that is compared."""
    rounds = rows.rounds_of(row)
    return f"{_number(min(rounds), digits)} – {_number(max(rounds), digits)}" if rounds else ""


def _ratios_by_row(all_rows):
    return {
        (rows.case_of(each.theirs), each.theirs["subject"]): each.ratio for each in rows.comparisons(all_rows)
    }


def _calls(all_rows):
    compared = _ratios_by_row(all_rows)
    lines = []
    for row in all_rows:
        own, verdict = _ratio(compared.get((rows.case_of(row), row["subject"])))
        lines.append(
            [rows.text_of_case(row), row["subject"], rows.text_of_conditions(row)]
            + [_number(row["p50_us"]), _number(row["mean_us"]), _spread(row)]
            + [_number(row[key]) for key in ("sd_us", "p99_us", "min_us", "max_us")]
            + [_number(row["mb_per_s"], 1) if row["bytes"] else "", _number(row["cpu_us_per_call"])]
            + [own, verdict]
        )
    return (
        [
            "case",
            "subject",
            "both ends",
            "p50/µs",
            "mean/µs",
            "rounds/µs",
            "sd/µs",
            "p99/µs",
            "min/µs",
            "max/µs",
            "MB/s",
            "CPU/µs",
            "orbweaver to it [95 %]",
            "orbweaver is",
        ],
        lines,
    )


def _profile(all_rows):
    compared = _ratios_by_row(all_rows)
    keys = ("mean_us", "sd_us", "p99_us", "p999_us", "min_us", "max_us")
    lines = []
    for row in all_rows:
        own, verdict = _ratio(compared.get((rows.case_of(row), row["subject"])))
        lines.append(
            [rows.text_of_case(row), rows.text_of_subject(row), rows.text_of_conditions(row)]
            + [_number(row["p50_us"]), _spread(row)]
            + [_number(row[key]) for key in keys]
            + [own, verdict]
        )
    headings = ["part", "subject", "both ends", "p50/µs", "rounds/µs"]
    headings += ["mean/µs", "sd/µs", "p99/µs", "p99.9/µs", "min/µs", "max/µs"]
    return headings + ["orbweaver to it [95 %]", "orbweaver is"], lines


def ratio_of_goal(row):
    """What a goal limits: a ratio, or our figure; None if it was not measured."""
    ours, theirs = row["rounds_ours"], row["rounds_theirs"]
    if not row["against"]:
        return ratios.of_rounds(ours)
    return ratios.paired(ours, theirs) if row["within_rounds"] else ratios.unpaired(ours, theirs)


def _verdict_on_goal(row, ratio):
    """met and missed only where the interval does not contain the limit."""
    if ratio is None or ratio.low is None:
        return row["verdict"] + ("" if ratio is None else " (too few rounds)")
    if ratio.low <= row["at_most"] < ratio.high:
        return "not shown"
    return "met" if ratio.high <= row["at_most"] else "missed"


def _goals(all_rows):
    lines = []
    for row in all_rows:
        ratio = ratio_of_goal(row)
        lines.append(
            [
                row["goal"],
                row["by"],
                row["against"],
                _number(row["at_most"]),
                _ratio(ratio)[0],
                _verdict_on_goal(row, ratio),
            ]
        )
    return ["goal", "by", "against", "at most", "measured [95 %]", "verdict"], lines


_WORK = {"wait": "timed wait", "compute": "processor time"}


def _pipeline(all_rows):
    compared = _ratios_by_row(all_rows)
    lines = []
    for row in all_rows:
        own, verdict = _ratio(compared.get((rows.case_of(row), row["subject"])))
        lines.append(
            [
                row["mode"],
                row["subject"],
                row["transport"],
                rows.text_of_conditions(row),
                _WORK.get(row["work_by"], row["work_by"]),
                _number(row["last_packet_ms"][-1], 1),
                _spread(row, 1),
                f"{row['last_packet_ms'][-1] / row['theoretical_ms']:.4f}",
                str(sum(row["reordered"])),
                str(row["lost"]),
                _number(row["send_p50_us"], 2),
                _number(row["send_max_us"], 1),
                _number(row["producer_peak_kib"], 0),
                own,
                verdict,
            ]
        )
    return (
        [
            "mode",
            "subject",
            "transport",
            "processes",
            "work",
            "last packet/ms",
            "rounds/ms",
            "to theory",
            "reordered",
            "lost",
            "send p50/µs",
            "send max/µs",
            "producer/KiB",
            "orbweaver to it [95 %]",
            "orbweaver is",
        ],
        lines,
    )


def _deployment(all_rows):
    lines = []
    for row in all_rows:
        times, floors = sorted(row["create_to_started_ms"]), sorted(row["floor_ms"])
        middle = len(times) // 2
        to_floor = ratios.paired(row["create_to_started_ms"], row["floor_ms"])
        lines.append(
            [
                f"{row['components']} "
                + ("libraries in a process" if row["in_one_process"] else "processes"),
                str(row["connections"]),
                _number(times[middle], 1),
                _number(times[0], 1),
                _number(times[-1], 1),
                _number(floors[middle], 2),
                _ratio(to_floor)[0],
                f"{times[middle] / row['components']:.2f}",
            ]
        )
    return (
        ["components", "connections", "p50/ms", "min/ms", "max/ms", "floor/ms", "to floor [95 %]", "ms each"],
        lines,
    )


def _monitor(all_rows):
    def middle(values):
        return sorted(values)[len(values) // 2]

    lines = [
        [
            f"{row['components']} processes, {row['browsers']} browsers",
            _number(middle(row["packets_per_s"]), 0),
            _number(middle(row["watched_packets_per_s"]), 0),
            *(_marked(ratios.of_rounds(row[key])) for key in ("ratio", "ratio_of_unwatched", "cpu_ratio")),
            _number(middle(row["cpu_percent"]), 2),
            _number(middle(row["watched_cpu_percent"]), 2),
        ]
        for row in all_rows
    ]
    return (
        ["", "packets/s", "watched", "ratio [95 %]", "ratio unwatched", "ratio cpu"]
        + ["manager/% of a core", "watched"],
        lines,
    )


def _titles(compared, verdict):
    return ", ".join(each.figure.title for each in compared if each.ratio.verdict == verdict)


def _footprint(all_rows):
    every = rows.comparisons_of_all_figures(all_rows)
    keys = (
        "generated_kib",
        "libraries_kib",
        "program_kib",
        "client_resident_kib",
        "client_private_kib",
        "server_resident_kib",
        "server_private_kib",
    )
    return (
        [
            "subject",
            "generated/KiB",
            "libraries/KiB",
            "program (client and server)/KiB",
            "client/KiB",
            "private/KiB",
            "server/KiB",
            "private/KiB",
            "orbweaver is larger in",
            "orbweaver is smaller in",
            "not shown",
        ],
        [
            # A size of 0 is one that is not known: generated code that is not compiled alone, a script.
            [row["subject"]]
            + [_number(row[key], 1) if row[key] else "" for key in keys]
            + [
                _titles([each for each in every if each.theirs is row], verdict)
                for verdict in ("slower", "faster", "not shown")
            ]
            for row in all_rows
        ],
    )


def _to_floor(row, all_rows, key):
    """The throughput of plain sockets to its own at the same load, with an interval; a bound if one of them has
    not had that load. `key`: plain_to_it, or best_to_it for sockets that send many packets at once."""
    ratio = row[key]
    if ratio is None or (ratio["at_least"] and ratio["at_most"]):
        return ""
    shown = rows.floor_to(row, all_rows, batched=key == "best_to_it")
    if shown:
        return text_of_ratio(shown) if row["subject"] == rows.FLOOR else _marked(shown)
    return ("≥ " if ratio["at_least"] else "≤ " if ratio["at_most"] else "") + f"{ratio['ratio']:.3f}"


def _userplane(all_rows):
    compared = _ratios_by_row(all_rows)
    load = all_rows[0]["at_cpu_percent"]
    lines = []
    for row in all_rows:
        own, verdict = _ratio(compared.get((rows.case_of(row), row["subject"])))
        found = [each for each in row["rounds_at_mbit_per_s"] if each > 0]
        throughput = ["", "", "", ""]
        if "at_mbit_per_s" in row:
            throughput = [
                ("" if row["at_reached"] else "≥ ") + _number(row["at_mbit_per_s"], 1),
                _number(min(found), 1),
                _number(max(found), 1),
                _number(row["receiver_us_per_packet"]),
            ]
        sent = sum(each["sent"] for each in row["points"])
        lines.append(
            [rows.text_of_case(row), rows.text_of_subject(row), rows.text_of_conditions(row)]
            + throughput
            + [_to_floor(row, all_rows, key) for key in ("plain_to_it", "best_to_it")]
            + [f"{100 * sum(each['lost'] for each in row['points']) / sent:.2f} %"]
            + [str(sum(each["reordered"] for each in row["points"]))]
            + [f"{max(each['waited_percent'] for each in row['points']):.0f} %", own, verdict]
        )
    return (
        [
            "case",
            "subject",
            "both ends",
            f"Mbit/s at {load:g} %",
            "min",
            "max",
            "receiver/µs",
            "plain to it [95 %]",
            "best to it [95 %]",
            "lost",
            "reordered",
            "waited",
            "orbweaver to it [95 %]",
            "orbweaver is",
        ],
        lines,
    )


_SCALE = {
    "clients": (
        ("p50/µs", "p50_us"),
        ("p90/µs", "p90_us"),
        ("p99/µs", "p99_us"),
        ("max/µs", "max_us"),
        ("CPU/µs", "cpu_us_per_call"),
        ("server CPU/µs", "server_cpu_us_per_call"),
        ("connections", "connections"),
        ("threads", "server_threads"),
        ("descriptors", "server_descriptors"),
        ("server/KiB", "server_resident_kib"),
        ("private/KiB", "server_private_kib"),
        ("KiB a client", "server_kib_each"),
        ("connecting/ms", "connect_ms"),
    ),
    "objects": (
        ("p50/µs", "p50_us"),
        ("p90/µs", "p90_us"),
        ("p99/µs", "p99_us"),
        ("max/µs", "max_us"),
        ("CPU/µs", "cpu_us_per_call"),
        ("server CPU/µs", "server_cpu_us_per_call"),
        ("threads", "server_threads"),
        ("server/KiB", "server_resident_kib"),
        ("private/KiB", "server_private_kib"),
        ("KiB an object", "server_kib_each"),
        ("KiB a reference", "client_kib_each"),
        ("activation/ms", "activate_ms"),
        ("µs an object", "activate_us_each"),
    ),
    "components": (
        ("p50/µs", "p50_us"),
        ("p90/µs", "p90_us"),
        ("min/µs", "min_us"),
        ("max/µs", "max_us"),
        ("sd/µs", "sd_us"),
        ("all/ms", "all_ms"),
        ("CPU/µs", "component_cpu_us"),
        ("resident/KiB", "component_resident_kib"),
        ("private/KiB", "component_private_kib"),
        ("threads", "component_threads"),
    ),
}


def _scale(all_rows):
    """Of the rows of one part: those of a run."""
    compared = _ratios_by_row(all_rows)
    columns = _SCALE[all_rows[0]["type"]]
    counts = ("connections", "server_threads", "server_descriptors", "component_threads")
    lines = []
    for row in all_rows:
        own, verdict = _ratio(compared.get((rows.case_of(row), row["subject"])))
        lines.append(
            [rows.text_of_case(row), row["subject"], rows.text_of_conditions(row), _spread(row, 2)]
            + [_number(row[key], 0 if key in counts else 2) if key in row else "" for _, key in columns]
            + [own, verdict]
        )
    headings = ["case", "subject", "both ends", "rounds/µs"] + [heading for heading, _ in columns]
    return headings + ["orbweaver to it [95 %]", "orbweaver is"], lines


def of(all_rows):
    """Headings and lines of the rows of one run."""
    if not all_rows:
        return [], []
    if "goal" in all_rows[0]:
        return _goals(all_rows)
    tables = {
        "pipeline": _pipeline,
        "deployment": _deployment,
        "footprint": _footprint,
        "monitor": _monitor,
        "profile": _profile,
        "userplane": _userplane,
        "scale": _scale,
    }
    return tables.get(all_rows[0]["experiment"], _calls)(all_rows)
