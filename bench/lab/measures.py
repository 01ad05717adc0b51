"""Our figures beside the statements of a document: each measure gives lines of text for selected rows."""

import statistics

import ratios
import rows


def _label(row):
    if row["experiment"] == "profile":
        return f"{row['subject']}, {rows.text_of_case(row)}"
    size = "" if row["type"] == "empty" else " " + rows.text_of_bytes(row["bytes"])
    return f"{row['subject']}, {row['transport']}, {row['type']}{size}"


def _times(key, unit="µs"):
    """With the smallest and largest value of a round, if the rows have them."""

    def lines(found, _):
        texts = []
        for row in found:
            rounds = row.get("rounds_" + key, [])
            spread = f" (rounds: {min(rounds):.2f} to {max(rounds):.2f})" if len(rounds) > 1 else ""
            texts.append(f"{_label(row)}: {row[key]:.2f} {unit}{spread}")
        return texts

    return lines


def _mb_per_s(found, _):
    return [f"{_label(row)}: {row['mb_per_s']:,.0f} MB/s" for row in found]


# As kMostWaitedPercent of bench/userplane/load_curve.h.
_MOST_WAITED_PERCENT = 20


def _interval(ratio):
    """The 95 % confidence interval, and whether it contains 1."""
    if ratio.low is None:
        return " (too few rounds for an interval)"
    shown = "" if ratio.low > 1 or ratio.high < 1 else ": a difference is not shown"
    return f" [{ratio.low:.2f}, {ratio.high:.2f}]{shown}"


def _plain_to_orb(found, all_rows):
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
            shown = rows.floor_to(row, all_rows, batched=False) if row["subject"] != rows.FLOOR else None
            text += f"; plain sockets carry {bound}{shown.median if shown else ratio['ratio']:.2f} times as much"
            text += _interval(shown) if shown else ""
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
        f"{row['subject']}, {row['mode']}: {min(row['send_us']):,.0f} µs at least, half of them at most "
        f"{statistics.median(row['send_us']):,.0f} µs, "
        f"{sum(row['send_us']) / len(row['send_us']) / 1e3:.2f} ms in the "
        f"mean, {row['send_max_us'] / 1e3:.1f} ms at most"
        for row in found
    ]


def _other_to_it(transport, name):
    """Times over a transport to those over others, of the same bytes, with their interval."""

    def lines(found, all_rows):
        texts = []
        for row in found:
            for other in all_rows:
                if (other["transport"], other["subject"], other["bytes"]) != (
                    transport,
                    row["subject"],
                    row["bytes"],
                ):
                    continue
                ratio = ratios.unpaired(rows.rounds_of(other), rows.rounds_of(row))
                if ratio:
                    texts.append(
                        f"{_label(row)}: {name} takes {ratio.median:.2f} times as long{_interval(ratio)}"
                    )
        return texts

    return lines


def _largest_to_smallest(found, _):
    return [
        f"{_label(row)}: from {row['min_us']:.2f} to {row['max_us']:,.2f} µs, "
        f"{row['max_us'] / row['min_us']:,.0f} times as long"
        for row in found
        if row["min_us"] > 0
    ]


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
    "tcp_to_it": _other_to_it("tcp", "TCP"),
    "shm_to_it": _other_to_it("shm", "shared memory"),
    "largest_to_smallest": _largest_to_smallest,
}


def lines(figure, all_rows):
    """The lines beside one statement (`figures` of experiments.toml)."""
    return MEASURES[figure["measure"]](rows.matching(all_rows, figure["select"]), all_rows)
