#!/usr/bin/python3
"""The runner of `make bench`. The measured program is a shell script."""

import io
import json
import os
import stat
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

sys.dont_write_bytecode = True
import conditions
import plan
import runner


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
        with open(os.path.join(self.out, "fifo.meta.json"), encoding="utf-8") as file:
            self.assertIn("SCHED_FIFO is not permitted", json.load(file)["left_out"])
        conditions.may_use_fifo = lambda: True
        self.assertTrue(self.execute([run])[0])
        self.assertEqual(self.executed(), ["twoway"])

    def test_no_run_begins_when_the_time_is_over(self):
        complete, text = self.execute([self.run_1, self.run_2], limit=0)
        self.assertFalse(complete)
        self.assertIn("not run: the time is over", text)
        self.assertEqual(self.executed(), [])

    def test_a_run_ends_when_the_time_is_over(self):
        table = os.path.join(self.folder.name, "table")
        self.assertEqual(runner.Runner.follow(["/bin/sh", "-c", "sleep 1000 & wait"], table, 0.1), -9)


if __name__ == "__main__":
    unittest.main()
