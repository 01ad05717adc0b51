"""Our figures beside the statements of a document: each measure gives lines of text for selected rows."""

import ratios
import rows


def _label(row):
    if row["experiment"] == "profile":
        return f"{row['subject']}, {rows.text_of_case(row)}"
    size = "" if row["type"] == "empty" else " " + rows.text_of_bytes(row["bytes"])
    return f"{row['subject']}, {row['transport']}, {row['type']}{size}"


def _times(key, unit="µs"):
    def lines(found, _):
        return [f"{_label(row)}: {row[key]:.2f} {unit}" for row in found]

    return lines


def _mb_per_s(found, _):
    return [f"{_label(row)}: {row['mb_per_s']:,.0f} MB/s" for row in found]


# As kMostWaitedPercent of bench/userplane/load_curve.h.
_MOST_WAITED_PERCENT = 20


def _plain_to_orb(found, _):
    """Throughput of plain sockets to that of the ORB, at the same load of the receiver."""
    lines = []
    for row in found:
        text = f"{rows.text_of_subject(row)}, {row['transport']}, IPv{row['ip']}, {row['messages']}: "
        if "at_mbit_per_s" not in row:
            lines.append(text + "too many packets were lost")
            continue
        text += f"{'' if row['at_reached'] else 'at least '}{row['at_mbit_per_s']:.0f} Mbit/s"
        ratio = row["plain_to_it"]
        if ratio and not (ratio["at_least"] and ratio["at_most"]):
            bound = "at least " if ratio["at_least"] else "at most " if ratio["at_most"] else ""
            text += f"; plain sockets carry {bound}{ratio['ratio']:.2f} times as much"
        if max(each["waited_percent"] for each in row["points"]) > _MOST_WAITED_PERCENT:
            text += " (busy machine: other processes had the receiver's processor)"
        lines.append(text)
    return lines


def _pipeline(found, _):
    def listed(values, digits):
        return ", ".join(f"{value:,.{digits}f}" for value in values)

    return [
        f"{row['subject']}, {row['mode']}: {listed(row['last_packet_ms'], 1)} ms; "
        f"{listed(row['reordered'], 0)} of {row['packets']:,} packets reordered"
        for row in found
    ]


def _sends(found, _):
    return [
        f"{row['subject']}, {row['mode']}: {sum(row['send_us']) / len(row['send_us']) / 1e3:.2f} ms in the "
        f"mean, {row['send_max_us'] / 1e3:.1f} ms at most"
        for row in found
    ]


def _tcp_to_it(found, all_rows):
    """Times over TCP to those over other transports, of the same bytes; marked if the spread is larger."""
    lines = []
    for row in found:
        for tcp in all_rows:
            if (tcp["transport"], tcp["subject"], tcp["bytes"]) != ("tcp", row["subject"], row["bytes"]):
                continue
            ratio = ratios.unpaired(rows.rounds_of(tcp), rows.rounds_of(row))
            if ratio:
                shown = "" if ratio.low is None or ratio.low > 1 or ratio.high < 1 else " (a difference is not shown)"
                lines.append(f"{_label(row)}: TCP takes {ratio.median:.2f} times as long{shown}")
    return lines


def _footprint(found, _):
    return [
        f"{row['subject']}: private memory {row['server_private_kib']:.0f} KiB at the server and "
        f"{row['client_private_kib']:.0f} KiB at the client; libraries {row['libraries_kib']:.0f} KiB, "
        f"generated code {row['generated_kib']:.0f} KiB"
        for row in found
    ]


MEASURES = {
    "footprint": _footprint,
    "p50": _times("p50_us"),
    "mean": _times("mean_us"),
    "sd": _times("sd_us"),
    "max": _times("max_us"),
    "mb_per_s": _mb_per_s,
    "plain_to_orb": _plain_to_orb,
    "pipeline": _pipeline,
    "sends": _sends,
    "tcp_to_it": _tcp_to_it,
}


def lines(figure, all_rows):
    """The lines beside one statement (`figures` of experiments.toml)."""
    return MEASURES[figure["measure"]](rows.matching(all_rows, figure["select"]), all_rows)
