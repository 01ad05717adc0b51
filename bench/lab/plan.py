"""The experiments of experiments.toml."""

import os
import tomllib
from dataclasses import dataclass, field


class UnknownName(Exception):
    """A name that no experiment and no run has."""


@dataclass
class Run:
    """One execution of `orbweaver bench`."""

    name: str
    arguments: list
    quick: list
    seconds: list  # about how long it takes: in full, in short form
    note: str = ""  # how it is measured, where the commands of an experiment differ
    optional: bool = False  # only executed if it is named

    def command(self, quick):
        """Arguments of `orbweaver bench`: in the short form its options replace those of the same name."""
        if not quick:
            return self.arguments
        replaced = dict(zip(self.quick[::2], self.quick[1::2]))
        command = list(self.arguments)
        for option, value in replaced.items():
            if option in command:
                command[command.index(option) + 1] = value
            else:
                command += [option, value]
        return command


@dataclass
class Experiment:
    """A section of the report."""

    name: str
    title: str
    question: str
    method: str
    document: str = ""
    figures: list = field(default_factory=list)
    runs: list = field(default_factory=list)
    plots: list = field(default_factory=list)


def load(path=os.path.join(os.path.dirname(os.path.abspath(__file__)), "experiments.toml")):
    with open(path, "rb") as file:
        entries = tomllib.load(file)["experiment"]
    experiments = []
    for entry in entries:
        runs = [Run(**each) for each in entry.pop("run")]
        plots = entry.pop("plot", [])
        experiments.append(Experiment(**entry, runs=runs, plots=plots))
    return experiments


def selected(experiments, names):
    """The runs of these experiments, or with these names; all if there are no names. Optional runs only by
    their own names."""
    if not names:
        return [run for experiment in experiments for run in experiment.runs if not run.optional]
    runs = []
    for name in names:
        found = [
            run
            for experiment in experiments
            for run in experiment.runs
            if name == run.name or (name == experiment.name and not run.optional)
        ]
        if not found:
            known = ", ".join(experiment.name for experiment in experiments)
            raise UnknownName(f"there is no experiment '{name}': one of {known}")
        runs += [run for run in found if run not in runs]
    return runs


def text_of(experiments, runs):
    """The plan as a table: each run with its seconds in full and in short form, and its command."""
    lines = [f"{'run':<18}{'full/s':>7}{'quick/s':>9}  orbweaver bench"]
    for experiment in experiments:
        for run in experiment.runs:
            if run in runs:
                full, quick = run.seconds
                lines.append(f"{run.name:<18}{full:>7}{quick:>9}  {' '.join(run.command(False))}")
    full, quick = (sum(run.seconds[i] for run in runs) for i in (0, 1))
    lines.append(f"{'all':<18}{full:>7}{quick:>9}  about {full / 60:.0f} minutes, {quick / 60:.1f} with QUICK=1")
    return "\n".join(lines)
