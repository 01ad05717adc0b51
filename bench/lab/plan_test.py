#!/usr/bin/python3
"""The experiments of `make bench`: their runs, their commands, and the systems that they measure."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import measures
import peers
import plan
import plots
import ratios

HERE = os.path.dirname(os.path.abspath(__file__))


class Commands(unittest.TestCase):
    def test_options_of_the_short_form_replace_those_of_the_full_one(self):
        run = plan.Run("calls", ["twoway", "--rounds", "7"], ["--rounds", "3", "--calls", "500"], [1, 1])
        self.assertEqual(run.command(False), ["twoway", "--rounds", "7"])
        self.assertEqual(run.command(True), ["twoway", "--rounds", "3", "--calls", "500"])

    def test_every_option_is_given_once(self):
        for experiment in plan.load():
            for run in experiment.runs:
                options = [word for word in run.command(True) if word.startswith("--")]
                self.assertEqual(len(options), len(set(options)), run.name)


class Plan(unittest.TestCase):
    def test_the_experiments_are_complete(self):
        experiments = plan.load()
        runs = [run.name for each in experiments for run in each.runs]
        self.assertEqual(len(runs), len(set(runs)))
        for each in experiments:
            for figure in each.figures:
                self.assertIn(figure["measure"], measures.MEASURES)
                self.assertIn(figure["run"], runs)
            for plot in each.plots:
                self.assertIn(plot["run"], [run.name for run in each.runs])
                self.assertIn(plot["kind"], plots.KINDS)
                self.assertIn(plot.get("beside", plot["run"]), runs)

    def test_experiments_and_runs_are_selected_by_name(self):
        experiments = plan.load()
        self.assertEqual(
            [run.name for run in plan.selected(experiments, ["packets", "hops"])], ["hops", "fanout", "fanout-user", "hops-user"]
        )
        with self.assertRaisesRegex(plan.UnknownName, "no experiment 'none': one of calls"):
            plan.selected(experiments, ["none"])

    def test_all_runs_fit_into_the_limits(self):
        def seconds(prefix, i):
            runs = [run for run in plan.selected(plan.load(), []) if run.name.startswith(prefix)]
            return sum(run.seconds[i] for run in runs)

        # Of 30 and 3 minutes a tenth is kept, for slower machines.
        for i, limit in enumerate((27 * 60, 165)):
            self.assertLessEqual(seconds("", i), limit)
        for prefix in ("userplane", "scale"):
            for i, limit in enumerate((150, 10)):
                self.assertLessEqual(seconds(prefix, i), limit, prefix)

    def test_optional_runs_are_selected_by_their_own_names(self):
        experiments = plan.load()
        optional = [run for each in experiments for run in each.runs if run.optional]
        self.assertEqual([run.name for run in optional], ["peers-types-jacorb", "profile-full"])
        for names in ([], ["profile", "peers"]):
            for run in optional:
                self.assertNotIn(run, plan.selected(experiments, names))
        self.assertEqual(plan.selected(experiments, ["profile-full"]), optional[1:])

    def test_the_plan_is_printed_without_numpy(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as file:
                file.write("raise ImportError('no NumPy here')\n")
            shown = subprocess.run(
                [sys.executable, os.path.join(HERE, "run"), "build", "out", "--plan"],
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("calls-two-cores", shown.stdout)

    def test_values_are_lines_without_escaped_quotes(self):
        # `orbweaver bench list` reads the file without a TOML library.
        with open(os.path.join(HERE, "experiments.toml"), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                text = line.strip()
                self.assertTrue(not text or text[0] in "#[" or " = " in text, number)
                self.assertNotIn('\\"', text, number)
                if " = " in text and text[0] not in "#[":
                    self.assertIn(text[-1], '"]}0123456789e', number)

    def test_enough_rounds_for_confidence_intervals(self):
        for run in (run for each in plan.load() for run in each.runs):
            command = run.command(False)
            if "--rounds" in command:
                self.assertGreaterEqual(
                    int(command[command.index("--rounds") + 1]), ratios.LEAST_ROUNDS, run.name
                )

    def test_the_plan_has_each_run_with_its_time(self):
        experiments = plan.load()
        text = plan.text_of(experiments, plan.selected(experiments, ["packets"]))
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:]], ["hops", "fanout", "fanout-user", "hops-user", "all"])

    def test_most_experiments_have_a_run_that_is_not_pinned(self):
        for each in plan.load():
            if each.name in ("goals",):
                continue
            notes = [run.note for run in each.runs]
            self.assertTrue(any("not pinned" in note for note in notes), each.name)


class Peers(unittest.TestCase):
    PEERS = [
        {"name": "one", "title": "One", "program": "bench-one", "library": "libone", "settings": "s", "get": "g"},
        {"name": "jacorb", "title": "J", "program": "bench-jacorb", "library": "jacorb", "settings": "s", "get": "g"},
        {"name": "none", "title": "None", "program": "bench-none", "settings": "s", "get": "g"},
    ]

    def test_the_version_is_that_of_the_library(self):
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "bin"))
            real = os.path.join(build, "libone.so.1.2.3")
            link = os.path.join(build, "libone.so.1")
            open(real, "w", encoding="utf-8").close()
            os.symlink(real, link)
            for name, text in (
                ("bench-one", f"#!/bin/sh\necho /lib/other.so\necho {link}\n"),
                ("bench-jacorb", "#!/bin/sh\nexec java -cp /jars/jacorb-3.9.jar:/jars/jacorb-idl-3.9.jar\n"),
            ):
                path = os.path.join(build, "bin", name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                os.chmod(path, 0o755)
            self.assertEqual(
                peers.versions(build, self.PEERS), {"one": "libone.so.1.2.3", "jacorb": "jacorb-3.9.jar"}
            )

    def test_the_version_of_a_crate_is_that_of_its_cargo_file(self):
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "bin"))
            open(os.path.join(build, "bin", "liborbweaver_bench_iceoryx2.so"), "w", encoding="utf-8").close()
            found = peers.versions(build)
            self.assertEqual(list(found), ["iceoryx2", "iceoryx2-rr"])
            self.assertRegex(found["iceoryx2"], r"^iceoryx2 \d+\.\d+\.\d+$")

    def test_every_subject_of_the_runs_is_described(self):
        described = {each["name"] for each in peers.load()} | {"orbweaver", "sca"}
        for run in (run for each in plan.load() for run in each.runs):
            command = run.command(False)
            if "--subject" in command:
                self.assertLessEqual(set(command[command.index("--subject") + 1].split(",")), described)
        for each in peers.load():
            self.assertTrue(each["settings"] and each["get"], each["name"])


if __name__ == "__main__":
    unittest.main()
