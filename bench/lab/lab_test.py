#!/usr/bin/python3
"""Tests of the runner and of the report. The measured program is a shell script."""

import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

sys.dont_write_bytecode = True
import conditions
import losses
import measures
import peers
import plan
import plots
import ratios
import report
import rows
import runner
import tables
from sample_rows import footprint, pipelined, ratio_of_loads, row, scaled, userplane_row

HERE = os.path.dirname(os.path.abspath(__file__))


NEAR = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 10.1]


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


class Ratios(unittest.TestCase):
    def test_a_clear_difference_is_shown(self):
        self.assertEqual(ratios.paired([2 * each for each in NEAR], NEAR).verdict, "slower")
        self.assertEqual(ratios.paired(NEAR, [2 * each for each in NEAR]).verdict, "faster")

    def test_a_difference_within_the_spread_is_not_shown(self):
        ratio = ratios.paired(NEAR, list(reversed(NEAR[3:] + NEAR[:3])))
        self.assertEqual(ratio.verdict, "not shown")
        self.assertLess(ratio.low, 1)
        self.assertGreater(ratio.high, 1)

    def test_rounds_are_compared_with_their_like(self):
        slow_machine = [each * factor for each, factor in zip(NEAR, (1, 5, 1, 5, 1, 5, 1))]
        ratio = ratios.paired([1.1 * each for each in slow_machine], slow_machine)
        self.assertAlmostEqual(ratio.median, 1.1)
        self.assertAlmostEqual(ratio.high, 1.1)

    def test_few_rounds_have_no_interval(self):
        self.assertEqual(ratios.paired([2.0] * 4, [1.0] * 4).verdict, "too few rounds")

    def test_what_they_never_have_is_infinitely_less(self):
        ratio = ratios.paired(NEAR, [0.0] * len(NEAR))
        self.assertEqual((ratio.verdict, tables.text_of_ratio(ratio)), ("slower", "∞"))

    def test_values_that_do_not_vary_are_compared_exactly(self):
        self.assertEqual(ratios.exact(2.0, 1.0).verdict, "slower")
        self.assertEqual(ratios.exact(1.0, 1.0).verdict, "not shown")
        self.assertIsNone(ratios.exact(1.0, 0.0))

    def test_without_positive_values_there_is_no_ratio(self):
        self.assertIsNone(ratios.paired([1.0], [0.0]))
        self.assertIsNone(ratios.unpaired([1.0] * 5, [0.0] * 5))

    def test_cases_of_different_times_are_compared_by_their_medians(self):
        ratio = ratios.unpaired([2 * each for each in NEAR], list(reversed(NEAR)))
        self.assertAlmostEqual(ratio.median, 2)
        self.assertLess(ratio.low, 2)
        self.assertGreater(ratio.high, 2)


class Goals(unittest.TestCase):
    @staticmethod
    def verdict(at_most, ours, theirs, **members):
        goal = {
            "goal": "a call",
            "by": "p50",
            "against": "floor",
            "at_most": at_most,
            "verdict": "met",
            "within_rounds": True,
            "rounds_ours": ours,
            "rounds_theirs": theirs,
            **members,
        }
        return tables.of([goal])[1][0][-1]

    def test_a_limit_within_the_spread_is_neither_met_nor_missed(self):
        theirs = [10.0] * len(NEAR)
        self.assertEqual(self.verdict(1.1, NEAR, theirs), "met")
        self.assertEqual(self.verdict(0.9, NEAR, theirs), "missed")
        self.assertEqual(self.verdict(1.0, NEAR, theirs), "not shown")

    def test_figures_without_another_system_and_of_few_rounds(self):
        self.assertEqual(self.verdict(11.0, NEAR, [], against=""), "met")
        self.assertEqual(self.verdict(1.1, NEAR[:3], NEAR[:3]), "met (too few rounds)")
        self.assertEqual(self.verdict(0, [0.0] * 5, [], against="", by="copied"), "met")
        self.assertEqual(self.verdict(1, [], [], verdict="not measured"), "not measured")

    def test_goals_are_drawn(self):
        goal = {"goal": "a", "by": "p50", "against": "floor", "at_most": 1.0, "within_rounds": False}
        found = [{**goal, "rounds_ours": NEAR, "rounds_theirs": NEAR, "verdict": "met"}]
        self.assertEqual(len(plots.of({"kind": "goals"}, found)), 1)


class Rows(unittest.TestCase):
    def test_only_the_same_case_is_compared(self):
        found = [row("orbweaver", NEAR), row("omniorb", NEAR), row("omniorb", NEAR, transport="unix")]
        self.assertEqual(len(rows.comparisons(found)), 1)

    def test_parts_of_a_latency_are_not_compared(self):
        parts = [
            row(
                subject,
                NEAR,
                experiment="profile",
                type=part,
                samples=512,
                threads="connection",
                load=load,
                fifo=0,
            )
            for subject in ("orbweaver", "omniorb")
            for part in ("latency", "send")
            for load in (0, 4)
        ]
        compared = [(each.ours["type"], each.ours["load"]) for each in rows.comparisons(parts)]
        self.assertEqual(compared, [("latency", 0), ("latency", 4)])
        self.assertEqual(rows.text_of_case(parts[1]), "tcp, 512 samples, latency, 4 busy processes")

    def test_numbers_of_clients_and_callers_are_cases_of_their_own(self):
        found = [
            scaled(subject, count, callers)
            for subject in ("orbweaver", "omniorb")
            for count in (1, 1000)
            for callers in (1, 4)
        ]
        compared = [rows.text_of_case(each.ours) for each in rows.comparisons(found)]
        self.assertEqual(
            compared, ["1 client", "1 client, 4 callers", "1,000 clients", "1,000 clients, 4 callers"]
        )

    def test_one_way_messages_are_compared_by_the_mean(self):
        one = row("orbweaver", NEAR, experiment="oneway", mean_us=3.0, p50_us=1.0)
        self.assertEqual(rows.figure_of(one), 3.0)


class Figures(unittest.TestCase):
    """Each experiment's figures in which systems are compared."""

    @staticmethod
    def compared(ours, theirs):
        found = losses.Losses()
        found.add([ours, theirs], "a note")
        return {line[0]: line for kind in found.lost.values() for line in kind}, found

    def test_sizes_and_memory_of_the_footprint(self):
        lost, found = self.compared(footprint("orbweaver", 200), footprint("omniorb", 100))
        self.assertEqual(found.compared, 4)
        self.assertEqual(lost["libraries"][1:5], ["footprint, tcp (a note)", "", "omniorb", "200 KiB"])
        self.assertIn("private memory of the client", lost)
        self.assertEqual(found.summary(), [["memory and sizes", "4", "4", "0", "0"]])

    def test_memory_and_connecting_of_many_clients(self):
        slow = scaled("orbweaver", 100, server_kib_each=9.0)
        fast = scaled("omniorb", 100, server_kib_each=3.0)
        for each, factor in ((slow, 3), (fast, 1)):
            each["rounds_server_kib_each"] = each["rounds_connect_ms"] = [factor * value for value in NEAR]
        lost, _ = self.compared(slow, fast)
        self.assertEqual(lost["server's memory for each client"][4:6], ["9.000 KiB", "3.000 KiB"])
        self.assertIn("connecting all clients", lost)
        self.assertNotIn("median", lost)

    def test_a_pipeline_over_another_transport(self):
        lost, found = self.compared(pipelined("orbweaver", "shm", 2), pipelined("omniorb", "tcp", 1))
        self.assertEqual(lost["last packet at the last stage"][4:6], ["20.000 ms", "10.000 ms"])
        self.assertEqual(found.compared, 1)


class Userplane(unittest.TestCase):
    ROWS = [
        userplane_row("floor", 100.0, ratio_of_loads(1.0)),
        userplane_row("orbweaver", 50.0, ratio_of_loads(2.0)),
        userplane_row("omniorb", 25.0, ratio_of_loads(4.0)),
        userplane_row("floor", 900.0, ratio_of_loads(0.11, at_most=True), 1000, False),
        userplane_row("orbweaver", 800.0, ratio_of_loads(0.12, at_most=True), 1000, False),
    ]

    @staticmethod
    def compared(found):
        return [
            (each.theirs["subject"], each.ours["batch_us"], each.ratio.verdict)
            for each in rows.comparisons(found)
        ]

    def test_the_time_of_a_packet_is_compared_at_the_same_load(self):
        self.assertEqual(self.compared(self.ROWS), [("floor", 0, "slower"), ("omniorb", 0, "faster")])

    def test_batches_are_compared_with_batches(self):
        loaded = [{**row, "at_reached": True} for row in self.ROWS]
        self.assertEqual(self.compared(loaded)[2:], [("floor", 1000, "slower")])

    def test_rows_without_a_throughput_are_not_compared(self):
        lossy = dict(self.ROWS[2])
        del lossy["at_mbit_per_s"], lossy["receiver_us_per_packet"]
        self.assertEqual(rows.comparisons([self.ROWS[1], lossy]), [])
        self.assertEqual(tables.of([self.ROWS[1], lossy])[1][1][3], "")
        self.assertIn("too many packets were lost", measures.MEASURES["plain_to_orb"]([lossy], [])[0])

    def test_the_table_marks_bounds(self):
        _, lines = tables.of(self.ROWS)
        self.assertEqual(lines[1][1:4], ["orbweaver", "two cores", "50.0"])
        self.assertEqual(lines[1][7], "2.00")
        self.assertEqual(lines[1][9:12], ["0.50 %", "0", "10 %"])
        self.assertEqual(lines[4][1:4], ["orbweaver, batched", "two cores", "≥ 800.0"])
        self.assertEqual(lines[4][7], "≤ 0.12")

    def test_the_ratio_to_plain_sockets_is_beside_that_of_the_document(self):
        lines = measures.MEASURES["plain_to_orb"](self.ROWS, self.ROWS)
        self.assertEqual(
            lines[1],
            "orbweaver, tcp, IPv4, Internet mix: 50 Mbit/s; plain sockets carry 2.00 times as much",
        )
        self.assertIn("at least 800 Mbit/s; plain sockets carry at most 0.12 times as much", lines[4])

    def test_a_busy_machine_is_beside_its_figures(self):
        busy = userplane_row("orbweaver", 50.0, ratio_of_loads(2.0))
        busy["points"][0]["waited_percent"] = 21
        lines = measures.MEASURES["plain_to_orb"]([self.ROWS[1], busy], [])
        self.assertNotIn("busy", lines[0])
        self.assertIn("2.00 times as much (busy machine", lines[1])

    def test_a_ratio_of_two_bounds_is_unknown(self):
        unknown = userplane_row("orbweaver", 800.0, ratio_of_loads(1.0, True, True), 1000, False)
        self.assertNotIn("times as much", measures.MEASURES["plain_to_orb"]([unknown], [])[0])
        self.assertEqual(tables.of([unknown])[1][0][7], "")

    def test_loads_are_drawn_for_each_case(self):
        other = userplane_row("orbweaver", 50.0, ratio_of_loads(2.0), ip=6)
        self.assertEqual(len(plots.of({"kind": "load"}, self.ROWS + [other])), 2)

    def test_throughput_is_drawn_by_size(self):
        large = userplane_row("orbweaver", 90.0, ratio_of_loads(1.5), bytes=1024, messages="1024 bytes")
        self.assertEqual(len(plots.of({"kind": "throughput"}, self.ROWS + [large])), 1)
        self.assertEqual(plots.of({"kind": "throughput"}, self.ROWS), [])


class Measures(unittest.TestCase):
    def test_times_over_tcp_are_compared_with_those_of_other_transports(self):
        found = [row("orbweaver", [2 * each for each in NEAR]), row("orbweaver", NEAR, transport="shm")]
        compared = measures.MEASURES["tcp_to_it"](found[1:], found)
        self.assertEqual(compared, ["orbweaver, shm, double 4 KiB: TCP takes 2.00 times as long"])
        compared = measures.MEASURES["tcp_to_it"](found[1:], [row("orbweaver", NEAR)])
        self.assertIn("not shown", compared[0])

    def test_stages_of_a_pipeline_have_a_time_and_reordered_packets_each(self):
        stages = {
            "subject": "omniorb",
            "mode": "unordered",
            "last_packet_ms": [5416.57, 5421.74],
            "reordered": [95, 216],
            "packets": 1000,
            "send_us": [1000.0, 3000.0],
            "send_max_us": 3000.0,
        }
        self.assertEqual(
            measures.MEASURES["pipeline"]([stages], []),
            ["omniorb, unordered: 5,416.6, 5,421.7 ms; 95, 216 of 1,000 packets reordered"],
        )
        self.assertEqual(
            measures.MEASURES["sends"]([stages], []),
            ["omniorb, unordered: 2.00 ms in the mean, 3.0 ms at most"],
        )


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
        self.assertEqual([run.name for run in optional], ["profile-full"])
        for names in ([], ["profile"]):
            self.assertNotIn(optional[0], plan.selected(experiments, names))
        self.assertEqual(plan.selected(experiments, ["profile-full"]), optional)

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

    def test_every_subject_of_the_runs_is_described(self):
        described = {each["name"] for each in peers.load()} | {"orbweaver", "sca"}
        for run in (run for each in plan.load() for run in each.runs):
            command = run.command(False)
            if "--subject" in command:
                self.assertLessEqual(set(command[command.index("--subject") + 1].split(",")), described)
        for each in peers.load():
            self.assertTrue(each["settings"] and each["get"], each["name"])


class Runs(unittest.TestCase):
    """Runs of a program that appends its arguments to a file."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = os.path.join(self.folder.name, "build")
        self.out = os.path.join(self.folder.name, "out")
        os.makedirs(os.path.join(self.build, "bin"))
        self.log = os.path.join(self.folder.name, "log")
        self.run_1 = plan.Run("one", ["twoway"], ["--rounds", "3"], [10, 1])
        self.run_2 = plan.Run("two", ["oneway"], [], [10, 1])
        self.write_program("")

    def write_program(self, more):
        path = os.path.join(self.build, "bin", "orbweaver")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'#!/bin/sh\necho "$@" >> {self.log}\n{more}\n'
                'for last; do :; done\necho table; echo "[]" > "$last"\n'
            )
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def execute(self, runs, fresh=False, quick=False, limit=60.0):
        text = io.StringIO()
        with redirect_stdout(text):
            complete = runner.Runner(self.build, self.out, quick, limit).execute(runs, fresh)
        return complete, text.getvalue()

    def executed(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return [line.split()[1] for line in file]

    def test_results_and_conditions_are_kept(self):
        complete, text = self.execute([self.run_1], quick=True)
        self.assertTrue(complete)
        self.assertIn("orbweaver bench twoway --rounds 3", text)
        with open(os.path.join(self.out, "one.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "table\n")
        with open(os.path.join(self.out, "one.meta.json"), encoding="utf-8") as file:
            meta = json.load(file)
        self.assertEqual(meta["status"], 0)
        self.assertEqual(len(meta["programs"]["orbweaver"]), 64)
        self.assertIn("kernel", meta["machine"])

    def test_a_measured_run_is_not_repeated(self):
        self.execute([self.run_1])
        self.assertTrue(self.execute([self.run_1, self.run_2])[0])
        self.assertEqual(self.executed(), ["twoway", "oneway"])
        self.execute([self.run_1], fresh=True)
        self.assertEqual(self.executed(), ["twoway", "oneway", "twoway"])

    def test_other_programs_and_other_commands_are_measured(self):
        self.execute([self.run_1])
        self.execute([self.run_1], quick=True)
        self.write_program("# another build")
        self.execute([self.run_1], quick=True)
        self.assertEqual(len(self.executed()), 3)

    def test_a_failure_does_not_end_the_others(self):
        self.write_program('case "$*" in *twoway*) exit 3;; esac')
        complete, text = self.execute([self.run_1, self.run_2])
        self.assertFalse(complete)
        self.assertIn("FAILED: exit status 3", text)
        self.assertEqual(self.executed(), ["twoway", "oneway"])
        self.execute([self.run_1, self.run_2])
        self.assertEqual(self.executed(), ["twoway", "oneway", "twoway"])

    def test_a_run_that_needs_real_time_priority_is_left_out_where_it_is_not_permitted(self):
        run = plan.Run("fifo", ["twoway", "--fifo", "50"], [], [1, 1])
        permitted = conditions.may_use_fifo
        self.addCleanup(setattr, conditions, "may_use_fifo", permitted)
        conditions.may_use_fifo = lambda: False
        complete, text = self.execute([run])
        self.assertTrue(complete)
        self.assertIn("left out: SCHED_FIFO is not permitted", text)
        self.assertEqual(self.executed(), [])

    def test_no_run_begins_when_the_time_is_over(self):
        complete, text = self.execute([self.run_1, self.run_2], limit=0)
        self.assertFalse(complete)
        self.assertIn("not run: the time is over", text)
        self.assertEqual(self.executed(), [])

    def test_a_run_ends_when_the_time_is_over(self):
        table = os.path.join(self.folder.name, "table")
        self.assertEqual(runner.Runner.follow(["/bin/sh", "-c", "sleep 1000 & wait"], table, 0.1), -9)


class Report(unittest.TestCase):
    def page(self, found, figures=(), note=""):
        run = plan.Run("calls", ["twoway"], [], [1, 1], note)
        experiment = plan.Experiment(
            "calls",
            "Calls <&>",
            "How long?",
            "So.",
            "A document",
            list(figures),
            [run],
            [{"kind": "size", "run": "calls", "type": "double"}],
        )
        with tempfile.TemporaryDirectory() as out:
            with open(os.path.join(out, "calls.json"), "w", encoding="utf-8") as file:
                json.dump(found, file)
            with open(os.path.join(out, "calls.meta.json"), "w", encoding="utf-8") as file:
                json.dump(
                    {
                        "command": ["twoway"],
                        "quick": False,
                        "status": 0,
                        "seconds": 1.0,
                        "load_before": 0.1,
                        "steal_percent": 0.0,
                        "programs": {"orbweaver": "abc"},
                        "versions": {"zeromq": "libzmq.so.5.2.4"},
                        "machine": {"cores": 2},
                    },
                    file,
                )
            with open(os.path.join(out, "calls.txt"), "w", encoding="utf-8") as file:
                file.write("a machine\nclock: time-stamp counter, 9 ns a stamp\nclock: time-stamp counter, 8 ns\n")
            with open(report.write([experiment], out, False), encoding="utf-8") as file:
                return file.read()

    def test_faster_systems_come_first(self):
        page = self.page([row("orbweaver", [2 * each for each in NEAR]), row("omniorb", NEAR)])
        self.assertIn("In 1 of 1 comparisons", page)
        self.assertLess(page.index("In 1 of 1 comparisons"), page.index("Calls &lt;&amp;&gt;"))

    def test_every_figure_is_compared(self):
        ours = row("orbweaver", NEAR, rounds_p99_us=[2 * each for each in NEAR], rounds_sd_us=NEAR)
        theirs = row("omniorb", [2 * each for each in NEAR], rounds_p99_us=NEAR, rounds_sd_us=NEAR)
        page = self.page([ours, theirs])
        self.assertIn("In 1 of 3 comparisons", page)
        self.assertIn("<td class=words>p99</td><td class=words>twoway tcp, double 4 KiB</td><td class=words>blocks, one core</td>", page)
        self.assertIn("<td class=words>time</td><td>1</td><td>0</td><td>1</td><td>0</td>", page)
        self.assertIn("<td class=words>spread</td><td>2</td><td>1</td><td>0</td><td>1</td>", page)

    def test_orbweavers_own_components_are_no_other_system(self):
        found = [scaled("orbweaver", 1), scaled("sca", 1)]
        found[0]["rounds_p50_us"] = [2 * each for each in found[1]["rounds_p50_us"]]
        self.assertIn("Nothing has been compared", self.page(found))

    def test_the_clock_is_named_with_its_cost(self):
        page = self.page([row("orbweaver", NEAR)])
        self.assertIn("<dt>clock</dt><dd>time-stamp counter, 9 ns a stamp</dd>", page)
        self.assertNotIn("8 ns", page)

    def test_few_rounds_are_no_comparison(self):
        page = self.page([row("orbweaver", NEAR[:3]), row("omniorb", [each / 2 for each in NEAR[:3]])])
        self.assertIn("1 comparisons have too few rounds", page)
        self.assertNotIn("comparisons, at a confidence", page)

    def test_a_run_that_is_not_pinned_is_named_so(self):
        found = [row("orbweaver", [2 * each for each in NEAR]), row("omniorb", NEAR)]
        self.assertIn("(not pinned)</td>", self.page(found, note="not pinned"))

    def test_the_distance_of_the_cores_is_that_of_two_flags(self):
        for us, text in ((0.11, "near"), (0.48, "far")):
            blocked = row("floor", [5.0] * 5, transport="shm", type="empty")
            flags = row("floor", [us] * 5, transport="shm", type="empty", wait="spin", pin="two")
            self.assertIn(f"<dd>{text}", self.page([blocked, flags]))
            self.assertNotIn("distance of the cores", self.page([blocked]))

    def test_a_system_that_is_not_built_is_listed_with_how_to_get_it(self):
        page = self.page([row("orbweaver", NEAR)])
        self.assertIn("<b>zeromq</b>: ZeroMQ, libzmq.so.5.2.4. A pair of sockets", page)
        self.assertIn("not built here. To get it: Debian: cyclonedds-dev", page)

    def test_the_floor_is_no_other_system(self):
        page = self.page([row("orbweaver", [2 * each for each in NEAR]), row("floor", NEAR)])
        self.assertIn("Nothing has been compared", page)

    def test_the_figures_of_the_document_are_beside_ours(self):
        page = self.page(
            [row("orbweaver", NEAR)],
            [{"theirs": "At most 7 µs.", "measure": "p50", "run": "calls", "select": {"bytes": [4096]}}],
        )
        self.assertIn("At most 7 µs.", page)
        self.assertIn("orbweaver, tcp, double 4 KiB: 10.00 µs", page)

    def test_rows_are_drawn(self):
        page = self.page([row("orbweaver", NEAR), row("orbweaver", NEAR, bytes=128)])
        self.assertIn("<svg", page)
        self.assertNotIn("<?xml", page)

    def test_the_page_names_no_other_file_to_load(self):
        page = self.page([row("orbweaver", NEAR), row("orbweaver", NEAR, bytes=128)])
        for loaded in ("src=", "<link", "@import", "url(http"):
            self.assertNotIn(loaded, page)


class Tables(unittest.TestCase):
    def test_calls_have_their_conditions_their_spread_and_their_rate(self):
        headings, lines = tables.of([row("orbweaver", NEAR), row("orbweaver", NEAR, bytes=0)])
        self.assertEqual(lines[0][headings.index("both ends")], "blocks, one core")
        self.assertEqual(lines[0][headings.index("rounds/µs")], "9.800 – 10.200")
        self.assertEqual([line[headings.index("MB/s")] for line in lines], ["1,000", ""])

    def test_a_difference_within_the_spread_is_marked(self):
        _, lines = tables.of([row("orbweaver", NEAR), row("omniorb", list(reversed(NEAR[3:] + NEAR[:3])))])
        self.assertEqual(lines[1][-1], "not shown")


    def test_counts_of_many_clients_are_whole_numbers(self):
        headings, lines = tables.of([scaled("orbweaver", 1000), scaled("omniorb", 1000)])
        self.assertEqual(lines[0][headings.index("connections")], "1,000")
        self.assertEqual(lines[0][headings.index("p90/µs")], "12.00")
        self.assertEqual(lines[0][headings.index("KiB a client")], "")
        self.assertEqual(lines[1][-2], "1.000")


class Plots(unittest.TestCase):
    def test_throughput_is_drawn_by_number_of_bytes(self):
        found = [row("orbweaver", NEAR, bytes=size) for size in (128, 4096)]
        drawn = plots.of({"kind": "rate", "type": "double"}, found)
        self.assertEqual(len(drawn), 1)
        self.assertIn("MB/s", drawn[0])
        self.assertEqual(plots.of({"kind": "rate", "type": "double"}, found[:1]), [])

    def test_many_clients_have_a_plot_for_each_number_of_callers(self):
        found = [scaled("orbweaver", count, callers) for count in (1, 10) for callers in (1, 4)]
        found.append(scaled("orbweaver", 1, 9))  # a point is no curve
        plot = {"kind": "scale", "title": "calls", "y": "p50_us", "unit": "µs"}
        drawn = plots.of(plot, found)
        self.assertEqual(len(drawn), 2)
        self.assertIn("calls, 4 callers", drawn[1])
        self.assertEqual(plots.of({**plot, "y": "missing"}, found), [])

    def test_cases_are_drawn_beside_each_other(self):
        found = [row(subject, NEAR, transport=each) for subject in ("floor", "grpc") for each in ("tcp", "unix")]
        drawn = plots.of({"kind": "cases", "title": "a call"}, found)
        self.assertEqual(len(drawn), 1)
        self.assertIn("unix, double 4 KiB", drawn[0])
        self.assertNotRegex(drawn[0], "<use [^>]*#FFFFFF")  # white marks on dark pages

    def test_histograms_and_points_are_drawn(self):
        found = [
            row(
                "orbweaver",
                NEAR,
                experiment="profile",
                type="latency",
                samples=512,
                threads="connection",
                load=0,
                fifo=0,
                histogram=[[10.0, 5], [11.2, 0], [12.6, 7]],
                points=[[0, 10.0], [1, 12.0]],
            )
        ]
        self.assertEqual(len(plots.of({"kind": "histogram"}, found)), 1)
        self.assertEqual(len(plots.of({"kind": "points", "subject": "orbweaver"}, found)), 1)
        self.assertEqual(plots.of({"kind": "points", "subject": "omniorb"}, found), [])


if __name__ == "__main__":
    unittest.main()
