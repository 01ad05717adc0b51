"""The figures of each experiment in which systems are compared: of all of them a smaller value is better."""

from dataclasses import dataclass

# Kinds of figures, in the order of the report.
TIME, SPREAD, PROCESSOR, MEMORY, ORDER = "time", "spread", "processor time", "memory and sizes", "order"
KINDS = (TIME, SPREAD, PROCESSOR, MEMORY, ORDER)


@dataclass(frozen=True)
class Figure:
    """A member of a row; `rounds_KEY` has its value of each round. `exact`: it does not vary, and has none."""

    key: str
    title: str
    unit: str
    kind: str = TIME
    exact: bool = False

    def of(self, row):
        """The value of a row; None if it has none."""
        value = row.get(self.key)
        return value[-1] if isinstance(value, list) else value  # by stage: the last one

    def rounds_of(self, row):
        return row.get("rounds_" + self.key, [])


_P50 = Figure("p50_us", "median", "µs")
_P99 = Figure("p99_us", "p99", "µs", SPREAD)
_SD = Figure("sd_us", "standard deviation", "µs", SPREAD)
_CPU = Figure("cpu_us_per_call", "processor time of both ends", "µs", PROCESSOR)
_SERVER_MEMORY = Figure("server_private_kib", "private memory of the server", "KiB", MEMORY)

# The first one of an experiment is the one of its tables and plots.
_FIGURES = {
    "twoway": (_P50, _P99, _SD, _CPU),
    "oneway": (
        Figure("mean_us", "mean", "µs"),
        Figure("p99_us", "p99 of a send", "µs", SPREAD),
        _CPU,
        Figure("receiver_cpu_us_per_call", "processor time of the receiver", "µs", PROCESSOR),
    ),
    "hops": (_P50, _P99, _SD, _CPU),
    "fanout": (_P50, _P99, _SD, _CPU),
    "profile": (_P50, _P99, _SD),
    "userplane": (Figure("receiver_us_per_packet", "processor time of the receiver", "µs", PROCESSOR),),
    "scale clients": (
        _P50,
        Figure("connect_ms", "connecting all clients", "ms"),
        _P99,
        _SD,
        _CPU,
        Figure("server_cpu_us_per_call", "processor time of the server", "µs", PROCESSOR),
        _SERVER_MEMORY,
        Figure("server_kib_each", "server's memory for each client", "KiB", MEMORY),
    ),
    "scale objects": (
        _P50,
        Figure("activate_us_each", "activation of an object", "µs"),
        _P99,
        _SD,
        _CPU,
        Figure("server_cpu_us_per_call", "processor time of the server", "µs", PROCESSOR),
        _SERVER_MEMORY,
        Figure("server_kib_each", "server's memory for each object", "KiB", MEMORY),
        Figure("client_kib_each", "client's memory for each reference", "KiB", MEMORY),
    ),
    "scale components": (
        _P50,
        Figure("all_ms", "until the last first packet", "ms"),
        _SD,
        Figure("component_cpu_us", "processor time of a component", "µs", PROCESSOR),
        Figure("component_private_kib", "private memory of a component", "KiB", MEMORY),
    ),
    "footprint": (
        Figure("generated_kib", "generated code", "KiB", MEMORY, exact=True),
        Figure("libraries_kib", "libraries", "KiB", MEMORY, exact=True),
        Figure("program_kib", "program of both ends", "KiB", MEMORY, exact=True),
        Figure("client_private_kib", "private memory of the client", "KiB", MEMORY),
        _SERVER_MEMORY,
    ),
    "pipeline": (
        Figure("last_packet_ms", "last packet at the last stage", "ms"),
        Figure("send_p50_us", "median of a send", "µs"),
        Figure("send_max_us", "longest send", "µs", SPREAD),
        Figure("producer_peak_kib", "producer's largest memory", "KiB", MEMORY),
        Figure("reordered", "packets reordered at the last stage", "", ORDER),
    ),
}


def of_row(row):
    """The figures of the experiment of a row; none if systems are not compared in it."""
    name = row.get("experiment", "")
    return _FIGURES.get(f"{name} {row.get('type')}" if name == "scale" else name, ())
