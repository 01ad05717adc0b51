"""The state of the machine, as it is printed beside results."""

import os
import platform


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def processor():
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def steal_ticks():
    """Ticks that the host has given to others since the start of this machine, and all ticks."""
    fields = [int(each) for each in _read("/proc/stat").splitlines()[0].split()[1:]]
    return (fields[7] if len(fields) > 7 else 0), sum(fields[:8])


def machine():
    """What does not change during the experiments."""
    system = {}
    for line in _read("/etc/os-release").splitlines():
        if "=" in line:
            key, value = line.split("=", 1)
            system[key] = value.strip('"')
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "system": system.get("PRETTY_NAME", ""),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        or "none (virtual machine)",
        "real-time processes": _read("/proc/sys/kernel/sched_rt_runtime_us") + " µs of each second",
    }


def may_use_fifo():
    """Whether processes of this one may have the real-time policy SCHED_FIFO."""
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


class Observation:
    """The load of the machine from now until end()."""

    def __init__(self):
        self._load = os.getloadavg()[0]
        self._ticks = steal_ticks()

    def end(self):
        stolen, all_ticks = (after - before for before, after in zip(self._ticks, steal_ticks()))
        return {
            "load_before": round(self._load, 2),
            "steal_percent": round(100 * stolen / all_ticks, 2) if all_ticks else 0.0,
        }
