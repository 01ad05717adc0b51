"""Rows as those of `orbweaver bench … --json`, with invented figures, for the tests of the lab."""

import json
import os

# A figure in seven rounds: their median is 10, and they vary by two per cent.
NEAR = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 10.1]


def row(subject, rounds, **members):
    """A row of two-way calls."""
    middle = sorted(rounds)[len(rounds) // 2]
    return {
        "experiment": "twoway",
        "subject": subject,
        "transport": "tcp",
        "type": "double",
        "bytes": 4096,
        "calls": 10,
        "mean_us": middle,
        "p50_us": middle,
        "p99_us": middle,
        "p999_us": middle,
        "min_us": min(rounds),
        "max_us": max(rounds),
        "sd_us": 0.1,
        "mb_per_s": 1000.0,
        "cpu_us_per_call": middle,
        "wait": "block",
        "pin": "one",
        "rounds_p50_us": rounds,
        "rounds_mean_us": rounds,
        **members,
    }


def userplane_row(subject, at_mbit_per_s, ratio, batch_us=0, reached=True, **members):
    """A row of user-plane data: the rounds differ a little."""
    rounds = [at_mbit_per_s * factor for factor in (1.0, 1.01, 0.99, 1.02, 0.98)]
    return {
        "experiment": "userplane",
        "subject": subject,
        "transport": "tcp",
        "ip": 4,
        "type": "mix",
        "messages": "Internet mix",
        "bytes": 346,
        "batch_us": batch_us,
        "pin": "two",
        "at_cpu_percent": 20,
        "at_mbit_per_s": at_mbit_per_s,
        "at_reached": reached,
        "receiver_us_per_packet": 500 / at_mbit_per_s,
        "plain_to_it": ratio,
        "best_to_it": None,
        "rounds_at_mbit_per_s": rounds,
        "rounds_receiver_us_per_packet": [500 / each for each in rounds],
        "points": [
            {
                "mbit_per_s": at_mbit_per_s * factor,
                "cpu_percent": 20 * factor,
                "waited_percent": 5 * factor,
                "sent": 100,
                "lost": lost,
                "reordered": 0,
            }
            for factor, lost in ((0.5, 0), (2, 1))
        ],
        **members,
    }


def ratio_of_loads(ratio, at_least=False, at_most=False):
    return {"ratio": ratio, "at_least": at_least, "at_most": at_most}


def scaled(subject, count, callers=1, **members):
    """A row of many clients."""
    return row(
        subject,
        [10.0 * count] * 5,
        experiment="scale",
        type="clients",
        count=count,
        callers=callers,
        threads="connection",
        p90_us=12.0,
        server_cpu_us_per_call=3.0,
        connections=float(count),
        server_threads=float(count + 3),
        server_descriptors=float(count + 9),
        server_resident_kib=9000.0,
        server_private_kib=4000.0,
        connect_ms=5.0,
        **members,
    )


def goal(at_most, **members):
    """A row of the goals."""
    rounds = [10.0, 10.1, 9.9, 10.2, 9.8]
    return {
        "goal": "twoway shm, double 4096 B",
        "by": "p50",
        "against": "floor",
        "at_most": at_most,
        "verdict": "met",
        "within_rounds": True,
        "rounds_ours": rounds,
        "rounds_theirs": [9.0] * len(rounds),
        **members,
    }


CONSECUTIVE = ("latency", "stub+marshalling", "transport+skeleton", "copy", "queue", "wake-up")


def profiled(subject, part, **members):
    """A row of a part of the latency."""
    defaults = {
        "experiment": "profile",
        "type": part,
        "samples": 512,
        "threads": "connection",
        "load": 0,
        "fifo": 0,
        "histogram": [[10.0, 5], [11.2, 0], [12.6, 7]],
        "points": [[0, 10.0], [1, 12.0]],
    }
    return row(subject, [10.0, 10.1, 9.9, 10.2, 9.8], **{**defaults, **members})


def pipelined(subject, transport="shm", factor=1, mode="twoway"):
    """A row of a pipeline of two stages."""
    rounds = [10.0, 10.1, 9.9, 10.2, 9.8]
    return {
        "experiment": "pipeline",
        "subject": subject,
        "transport": transport,
        "mode": mode,
        "packets": 100,
        "pace_ms": 0.0,
        "work_by": "wait",
        "wait": "adaptive",
        "pin": "none",
        "theoretical_ms": 9.5,
        "last_packet_ms": [1.0, factor * 10.0],
        "reordered": [0, 0],
        "lost": 0,
        "send_p50_us": 12.0,
        "send_max_us": 4000.0,
        "producer_peak_kib": 8192,
        "rounds_last_packet_ms": [factor * each for each in rounds],
        "rounds_reordered": [0] * len(rounds),
        "send_us": [9.0, 4000.0, 12.0],
    }


def footprint(subject, kib, **members):
    """A row of sizes and memory, all `kib` but for `members`."""
    return {
        "experiment": "footprint",
        "subject": subject,
        "transport": "tcp",
        **{key: kib for key in ("generated_kib", "libraries_kib", "program_kib")},
        **members,
        **{f"{end}_{kind}_kib": kib for end in ("client", "server") for kind in ("resident", "private")},
        "rounds_client_private_kib": [kib + each for each in (10.0, 10.1, 9.9, 10.2, 9.8)],
    }


def monitored():
    """A row of the monitor's cost: the ratios vary around 1."""
    near = [1.0, 1.01, 0.99, 1.02, 0.98]
    return {
        "experiment": "monitor",
        "components": 9,
        "browsers": 10,
        "packets_per_s": [1000 * each for each in near],
        "watched_packets_per_s": [1000 / each for each in near],
        **{key: near for key in ("ratio", "ratio_of_unwatched")},
        "cpu_ratio": [1.5 * each for each in near],
        **{key: [2.0] * 5 for key in ("cpu_percent", "watched_cpu_percent")},
    }


_SUBJECTS = ("floor", "orbweaver", "omniorb", "omniorb-pypi", "cyclonedds")


def _calls(experiment):
    return [
        row(
            subject,
            [(1.0 + i) * each * (1 + size / 4096) for each in (1.0, 1.02, 0.98, 1.01, 0.99)],
            experiment=experiment,
            transport=transport,
            bytes=size,
            rounds_p99_us=[30.0 / (1 + i)] * 5,
        )
        for transport in ("shm", "unix", "tcp")
        for size in (128, 4096, 32768)
        for i, subject in enumerate(_SUBJECTS)
    ]


def _of_run(run):
    """Rows as the command of a run writes them."""
    kind = run.arguments[0]
    if kind in ("twoway", "oneway", "hops", "fanout"):
        return _calls(kind)
    if kind == "profile":
        return [
            profiled(subject, part, transport=transport)
            for transport in ("tcp", "unix")
            for subject in _SUBJECTS[:3]
            for part in (CONSECUTIVE if "--parts" in run.arguments else ("latency", "send", "dispatch", "queue"))
        ]
    if kind == "userplane":
        return [
            userplane_row(subject, at, ratio_of_loads(ratio), bytes=size, messages=f"{size} bytes")
            for size in (64, 1024)
            for subject, at, ratio in (("floor", 100.0, 1.0), ("orbweaver", 50.0, 2.0), ("omniorb", 25.0, 4.0))
        ]
    if kind == "scale":
        return [scaled(subject, count) for count in (1, 10, 1000) for subject in _SUBJECTS[:3]]
    if kind == "pipeline":
        return [pipelined("orbweaver", "shm", 2), pipelined("omniorb", "tcp", 1)]
    if kind == "footprint":
        return [footprint("orbweaver", 1500.0), footprint("omniorb", 2500.0)]
    if kind == "monitor":
        return [monitored()]
    if kind == "goals":
        return [goal(at_most) for at_most in (1.0, 1.1, 1.2)]
    return []


def write_results(experiments, out):
    """Writes the files of all runs, as bench/lab/run does."""
    for run in (run for each in experiments for run in each.runs):
        with open(os.path.join(out, f"{run.name}.json"), "w", encoding="utf-8") as file:
            json.dump(_of_run(run), file)
        with open(os.path.join(out, f"{run.name}.txt"), "w", encoding="utf-8") as file:
            file.write("a machine\nclock: time-stamp counter, 9 ns a stamp (subtracted), 0.38 ns a tick\n")
        with open(os.path.join(out, f"{run.name}.meta.json"), "w", encoding="utf-8") as file:
            json.dump(
                {
                    "command": run.arguments,
                    "quick": False,
                    "status": 0,
                    "seconds": 1.0,
                    "load_before": 0.1,
                    "steal_percent": 0.0,
                    "programs": {"orbweaver": "0123456789abcdef" * 4},
                    "versions": {"omniorb": "libomniORB4.so.2.5"},
                    "machine": {"processor": "a processor", "cores": 2, "kernel": "6.1"},
                },
                file,
            )
