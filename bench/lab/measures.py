"""Our figures beside the statements of a document: each measure gives lines of text for selected rows."""

import rows


def _label(row):
    return f"{row['subject']}, {row['transport']}, {rows.text_of_bytes(row['bytes'])}"


def _times(key, unit="µs"):
    def lines(found, _):
        return [f"{_label(row)}: {row[key]:.2f} {unit}" for row in found]

    return lines


def _mbit_per_s(found, _):
    return [f"{_label(row)}: {8 * row['mb_per_s']:.0f} Mbit/s in one direction" for row in found]


def _receiver_cpu_ratio(found, all_rows):
    lines = []
    floors = {rows.case_of(row): row for row in all_rows if row["subject"] == rows.FLOOR}
    for row in found:
        floor = floors.get(rows.case_of(row))
        if floor and floor["receiver_cpu_us_per_call"] > 0:
            ratio = row["receiver_cpu_us_per_call"] / floor["receiver_cpu_us_per_call"]
            lines.append(
                f"{row['subject']}, {row['transport']}: {ratio:.3f} ({row['receiver_cpu_us_per_call']:.3f} "
                f"against {floor['receiver_cpu_us_per_call']:.3f} µs a message)"
            )
    return lines


def _pipeline(found, _):
    return [
        f"{row['subject']}, {row['mode']}: {row['last_packet_ms'][-1] / row['theoretical_ms']:.4f} of the "
        f"theoretical time, {sum(row['reordered'])} packets reordered"
        for row in found
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
    "mbit_per_s": _mbit_per_s,
    "receiver_cpu_ratio": _receiver_cpu_ratio,
    "pipeline": _pipeline,
}


def lines(figure, all_rows):
    """The lines beside one statement (`figures` of experiments.toml)."""
    return MEASURES[figure["measure"]](rows.matching(all_rows, figure["select"]), all_rows)
