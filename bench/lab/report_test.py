#!/usr/bin/python3
"""The report: its page, tables and plots."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import plan
import plots
import report
import tables
from sample_rows import CONSECUTIVE, NEAR, footprint, monitored, pipelined, profiled, row, scaled


class Report(unittest.TestCase):
    def test_a_run_that_was_left_out_has_the_reason(self):
        run = plan.Run("fifo", ["profile", "--fifo", "50"], [], [1, 1])
        experiment = plan.Experiment("profile", "P", "Q", "M", runs=[run])
        with tempfile.TemporaryDirectory() as out:
            with open(os.path.join(out, "fifo.meta.json"), "w", encoding="utf-8") as file:
                json.dump({"left_out": "SCHED_FIFO is not permitted"}, file)
            with open(report.write([experiment], out, False), encoding="utf-8") as file:
                page = file.read()
        self.assertIn("Not measured: SCHED_FIFO is not permitted.", page)
        self.assertIn("Nothing has been measured", page)

    def test_load_and_stolen_time_are_beside_each_run(self):
        page = self.page([row("orbweaver", NEAR)])
        self.assertIn("1.0 s; load average before it 0.1, 0.0 % of the time taken by the host", page)

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

    def test_orbweavers_own_components_and_micro_library_are_no_other_systems(self):
        for own in ("sca", "orbweaver-micro"):
            found = [scaled("orbweaver", 1), scaled(own, 1)]
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
        self.assertIn("<b>zeromq</b>: ZeroMQ, libzmq.so.5.2.4. TCP and Unix sockets. A pair", page)
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

    def test_a_pipeline_has_its_kind_of_work_and_its_verdict(self):
        headings, lines = tables.of([pipelined("orbweaver", "shm", 2), pipelined("omniorb", "tcp", 1)])
        self.assertEqual(lines[0][headings.index("work")], "timed wait")
        self.assertEqual(lines[0][headings.index("processes")], "polls, then blocks, not pinned")
        self.assertEqual(lines[0][headings.index("rounds/ms")], "19.6 – 20.4")
        self.assertEqual([line[-1] for line in lines], ["", "slower"])

    def test_sizes_have_verdicts_and_unknown_ones_are_empty(self):
        headings, lines = tables.of([footprint("orbweaver", 100), footprint("grpc", 200, generated_kib=0.0)])
        self.assertEqual(lines[1][headings.index("generated/KiB")], "")
        smaller = lines[1][headings.index("orbweaver is smaller in")]
        self.assertIn("libraries", smaller)
        self.assertNotIn("generated", smaller)
        self.assertEqual(lines[1][headings.index("orbweaver is larger in")], "")

    def test_ratios_of_the_monitor_have_intervals(self):
        headings, lines = tables.of([monitored()])
        self.assertRegex(lines[0][headings.index("ratio [95 %]")], r"^1\.000 \[0\.\d+, 1\.\d+\] \(not shown\)$")
        self.assertRegex(lines[0][headings.index("ratio cpu")], r"^1\.500 \[1\.\d+, 1\.\d+\]$")

    def test_objects_have_threads_and_processor_time_of_the_server(self):
        headings, lines = tables.of([{**scaled("orbweaver", 100), "type": "objects"}])
        self.assertEqual(lines[0][headings.index("threads")], "103")
        self.assertEqual(lines[0][headings.index("server CPU/µs")], "3.00")

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

    def test_other_members_of_the_rows_are_drawn(self):
        found = [row(each, NEAR, rounds_sd_us=NEAR) for each in ("orbweaver", "omniorb")]
        for y, unit in (("sd_us", "µs"), ("mb_per_s", "MB/s")):
            drawn = plots.of({"kind": "cases", "title": "a call", "y": y, "unit": unit}, found)
            self.assertEqual(len(drawn), 1)
            self.assertIn(unit, drawn[0])
        self.assertEqual(plots.of({"kind": "cases", "title": "a call", "type": "octet"}, found), [])

    def test_lengths_with_none_are_drawn_on_linear_axes(self):
        found = [profiled("orbweaver", "latency", bytes=size, mean_us=77.0) for size in (0, 4096)]
        plot = {"kind": "size", "type": "latency", "statistic": "mean", "y": "µs, mean"}
        drawn = plots.of(plot, found)
        self.assertEqual(len(drawn), 1)
        self.assertIn("µs, mean", drawn[0])
        self.assertTrue(">0<" in drawn[0].replace(" ", ""), "the axis of bytes begins with 0")

    def test_sizes_parts_and_the_monitor_are_drawn(self):
        sizes = [footprint("orbweaver", 100), footprint("grpc", 200, generated_kib=0.0)]
        drawn = plots.of({"kind": "footprint", "title": "sizes"}, sizes)
        self.assertIn("server, private", drawn[0])
        parts = [profiled(each, part) for each in ("orbweaver", "omniorb") for part in CONSECUTIVE]
        drawn = plots.of({"kind": "parts", "title": "parts"}, parts)
        self.assertEqual(len(drawn), 1)
        for text in ("tcp: parts", "omniorb", "stub+marshalling", "wake-up"):
            self.assertIn(text, drawn[0])
        self.assertEqual(plots.of({"kind": "parts", "title": "parts"}, [profiled("floor", "latency")]), [])
        self.assertIn("packets/s", plots.of({"kind": "monitor", "title": "m"}, [monitored()])[0])

    def test_points_beside_each_other_have_the_same_scale(self):
        few = [profiled("orbweaver", "latency", points=[[0, 10.0], [1, 12.0]])]
        many = [profiled("orbweaver", "latency", points=[[0, 10.0], [1, 90000.0]])]
        plot = {"kind": "points", "subject": "orbweaver"}
        self.assertFalse("10000" in plots.of(plot, few)[0])
        self.assertTrue("10000" in plots.of({**plot, "beside_rows": many}, few)[0])

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
