#!/usr/bin/python3
"""Comparisons of systems: ratios, which rows are compared, and the figures of each experiment."""

import sys
import unittest

sys.dont_write_bytecode = True
import losses
import measures
import plots
import ratios
import rows
import tables
from sample_rows import NEAR, footprint, pipelined, profiled, ratio_of_loads, row, scaled, userplane_row


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

    def test_a_latency_with_interceptors_is_a_case_of_its_own(self):
        found = [
            profiled(subject, part, interceptors=interceptors)
            for subject, interceptors in (("orbweaver", False), ("orbweaver", True), ("omniorb", False))
            for part in ("latency", "wake-up")
        ]
        compared = [(each.ours["type"], each.ours["interceptors"]) for each in rows.comparisons(found)]
        self.assertEqual(compared, [("latency", False)])
        subjects = [line[1] for line in tables.of(found)[1] if line[0].endswith("latency")]
        self.assertEqual(subjects, ["orbweaver", "orbweaver, interceptors", "omniorb"])

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
        self.assertEqual(lines[1][7], "2.000")
        self.assertEqual(lines[1][9:12], ["0.50 %", "0", "10 %"])
        self.assertEqual(lines[4][1:4], ["orbweaver, batched", "two cores", "≥ 800.0"])
        self.assertEqual(lines[4][7], "≤ 0.120")

    def test_the_ratio_to_plain_sockets_has_an_interval(self):
        floor, slow, near = (userplane_row(*each) for each in (
            ("floor", 100.0, ratio_of_loads(1.0)),
            ("orbweaver", 50.0, ratio_of_loads(2.0)),
            ("omniorb", 100.0, ratio_of_loads(1.0)),
        ))
        slow["rounds_at_mbit_per_s"] = [50.0, 49.0, 51.0, 50.0, 48.0]
        near["rounds_at_mbit_per_s"] = list(reversed(floor["rounds_at_mbit_per_s"]))
        headings, lines = tables.of([floor, slow, near])
        column = [line[headings.index("plain to it [95 %]")] for line in lines]
        self.assertEqual(column[0], "1.000")
        self.assertRegex(column[1], r"^2\.0\d\d \[[12]\.\d\d\d, 2\.\d\d\d\]$")
        self.assertRegex(column[2], r"\] \(not shown\)$")
        texts = measures.MEASURES["plain_to_orb"]([slow, near], [floor, slow, near])
        self.assertRegex(texts[0], r"carry 2\.0\d times as much \[[12]\.\d\d, 2\.\d\d\]$")
        self.assertRegex(texts[1], "a difference is not shown$")

    def test_the_ratio_to_plain_sockets_is_beside_that_of_the_document(self):
        lines = measures.MEASURES["plain_to_orb"](self.ROWS, self.ROWS)
        self.assertEqual(
            lines[1],
            "orbweaver, tcp, IPv4, Internet mix: 50 Mbit/s; plain sockets carry 2.00 times as much [2.00, 2.00]",
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
    def test_throughput_has_the_unit_of_the_table(self):
        found = [row("orbweaver", NEAR, mb_per_s=2521.0)]
        self.assertEqual(
            measures.MEASURES["mb_per_s"](found, found), ["orbweaver, tcp, double 4 KiB: 2,521 MB/s"]
        )

    def test_times_over_tcp_are_compared_with_those_of_other_transports(self):
        found = [row("orbweaver", [2 * each for each in NEAR]), row("orbweaver", NEAR, transport="shm")]
        compared = measures.MEASURES["tcp_to_it"](found[1:], found)
        self.assertRegex(
            compared[0], r"^orbweaver, shm, double 4 KiB: TCP takes 2\.00 times as long \[[\d.]+, [\d.]+\]$"
        )
        compared = measures.MEASURES["tcp_to_it"](found[1:], [row("orbweaver", NEAR)])
        self.assertIn("not shown", compared[0])

    def test_times_over_shared_memory_are_compared_with_those_of_message_queues(self):
        found = [row("orbweaver", NEAR, transport="shm"), row("orbweaver", [3 * each for each in NEAR], transport="mqueue")]
        compared = measures.MEASURES["shm_to_it"](found[1:], found)
        self.assertIn("mqueue, double 4 KiB: shared memory takes 0.33 times as long", compared[0])

    def test_the_largest_time_is_compared_with_the_smallest(self):
        found = [row("orbweaver", NEAR, min_us=2.0, max_us=3000.0)]
        self.assertEqual(
            measures.MEASURES["largest_to_smallest"](found, found),
            ["orbweaver, tcp, double 4 KiB: from 2.00 to 3,000.00 µs, 1,500 times as long"],
        )

    def test_times_have_the_spread_of_their_rounds(self):
        found = [row("orbweaver", NEAR)]
        self.assertEqual(
            measures.MEASURES["p50"](found, found),
            ["orbweaver, tcp, double 4 KiB: 10.00 µs (rounds: 9.80 to 10.20)"],
        )
        self.assertNotIn("rounds", measures.MEASURES["max"](found, found)[0])

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
            [
                "omniorb, unordered: 1,000 µs at least, half of them at most 2,000 µs, 2.00 ms in the mean, "
                "3.0 ms at most"
            ],
        )


if __name__ == "__main__":
    unittest.main()
