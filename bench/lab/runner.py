"""Executes runs of `orbweaver bench`, and keeps what has been measured."""

import glob
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import conditions
import peers


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_of_time(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Runner:
    """Runs of one build, with their results in one folder, within a limit of time in seconds."""

    def __init__(self, build, out, quick, limit):
        self.build = build
        self.out = out
        self.quick = quick
        self.deadline = time.monotonic() + limit
        os.makedirs(out, exist_ok=True)
        programs = [os.path.join(build, "bin", "orbweaver")] + sorted(
            path for path in glob.glob(os.path.join(build, "bin", "bench-*")) if os.path.isfile(path)
        )
        programs += sorted(glob.glob(os.path.join(build, "lib", "*.so")))
        programs += sorted(glob.glob(os.path.join(build, "bin", "lib*.so")))
        self.programs = {os.path.basename(path): digest(path) for path in programs}
        self.versions = peers.versions(build)

    def execute(self, runs, fresh):
        """Executes runs that have not been executed. False if one failed, or if the time was too short."""
        missing = [run for run in runs if fresh or not self.is_measured(run)]
        if len(missing) < len(runs):
            print(
                f"{len(runs) - len(missing)} of {len(runs)} runs have been measured (--fresh repeats them)"
            )
        complete = True
        for i, run in enumerate(missing):
            remaining = sum(self.estimate(each) for each in missing[i:])
            print(
                f"\n== [{i + 1}/{len(missing)}, about {text_of_time(remaining)} left] orbweaver bench "
                + " ".join(run.command(self.quick)),
                flush=True,
            )
            limit = self.deadline - time.monotonic()
            if "--fifo" in run.arguments and not conditions.may_use_fifo():
                self.leave_out(run, "SCHED_FIFO is not permitted here (root, or ulimit -r)")
            elif limit <= 0:
                print("not run: the time is over; the next run continues here")
                complete = False
            elif not self.measure(run, limit):
                complete = False
        return complete

    def estimate(self, run):
        """Seconds that a run takes: as long as last time, otherwise as long as the plan says."""
        meta = self.meta(run)
        if meta and meta.get("quick") == self.quick and meta.get("status") == 0:
            return meta["seconds"]
        return run.seconds[1 if self.quick else 0]

    def meta(self, run):
        try:
            with open(self.path(run, "meta.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def is_measured(self, run):
        meta = self.meta(run)
        return bool(
            meta
            and meta.get("status") == 0
            and meta["command"] == run.command(self.quick)
            and meta["programs"] == self.programs
            and os.path.exists(self.path(run, "json"))
        )

    def path(self, run, suffix):
        return os.path.join(self.out, f"{run.name}.{suffix}")

    def forget(self, run):
        """Removes what has been measured."""
        for suffix in ("json", "meta.json"):
            if os.path.exists(self.path(run, suffix)):
                os.remove(self.path(run, suffix))

    def leave_out(self, run, reason):
        """Keeps for the report why a run is not executed; the next execution tries again."""
        print("left out: " + reason)
        self.forget(run)
        with open(self.path(run, "meta.json"), "w", encoding="utf-8") as file:
            json.dump({"left_out": reason}, file, ensure_ascii=False)

    def measure(self, run, limit):
        """Executes a run. False if it failed."""
        self.forget(run)
        command = [
            os.path.join(self.build, "bin", "orbweaver"),
            "bench",
            *run.command(self.quick),
            "--json",
            self.path(run, "json"),
        ]
        observation = conditions.Observation()
        begin = time.monotonic()
        status = self.follow(command, self.path(run, "txt"), limit)
        meta = {
            "command": run.command(self.quick),
            "quick": self.quick,
            "status": status,
            "seconds": round(time.monotonic() - begin, 1),
            "programs": self.programs,
            "versions": self.versions,
            "machine": conditions.machine(),
            **observation.end(),
        }
        with open(self.path(run, "meta.json"), "w", encoding="utf-8") as file:
            json.dump(meta, file, indent=1, ensure_ascii=False)
        if status != 0:
            print(
                f"FAILED: exit status {status}"
                if status > 0
                else f"FAILED: ended by signal {-status}"
                + (" (the time was over)" if time.monotonic() > self.deadline else "")
            )
        return status == 0

    @staticmethod
    def follow(command, table, limit):
        """Copies the standard output of a command to the terminal and a file. Its exit status, or minus the
        signal that has ended it. It is ended, with the processes of its group, after `limit` seconds."""
        with open(table, "w", encoding="utf-8") as file, subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, errors="replace", start_new_session=True
        ) as process:
            timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
            timer.start()
            try:
                for line in process.stdout:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                    file.write(line)
                return process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            finally:
                timer.cancel()
