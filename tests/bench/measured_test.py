#!/usr/bin/env python3
"""Tests of bench/measured.py: measured_test.py BENCH-DIRECTORY"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)
sys.path.insert(0, BENCH)
import measured  # noqa: E402


def ratio(middle, low, high):
    return {"name": "r", "about": "", "ratio": middle, "low": low, "high": high, "goal": 1.0, "ok": middle >= 1.0}


def seconds(middle, low, high):
    return {"name": "s", "about": "", "value": middle, "low": low, "high": high, "limit": 3, "unit": "s", "ok": middle <= 3}


class Moved(unittest.TestCase):
    def test_a_larger_ratio_is_better_and_a_longer_time_is_worse(self):
        self.assertEqual(measured.moved(ratio(1.0, 0.95, 1.05), ratio(1.2, 1.1, 1.3)), "better")
        self.assertEqual(measured.moved(ratio(1.2, 1.1, 1.3), ratio(1.0, 0.95, 1.05)), "worse")
        self.assertEqual(measured.moved(seconds(2.0, 1.9, 2.1), seconds(3.0, 2.9, 3.1)), "worse")
        self.assertEqual(measured.moved(seconds(3.0, 2.9, 3.1), seconds(2.0, 1.9, 2.1)), "better")

    def test_overlapping_quartiles_are_noise(self):
        self.assertIsNone(measured.moved(ratio(1.0, 0.8, 1.2), ratio(1.3, 1.15, 1.4)))

    def test_small_differences_are_noise_however_close_the_quartiles(self):
        self.assertIsNone(measured.moved(ratio(1.0, 1.0, 1.0), ratio(1.04, 1.04, 1.04)))

    def test_figures_of_other_units_are_not_compared(self):
        self.assertIsNone(measured.moved({**seconds(2.0, 1.9, 2.1), "unit": "ms"}, seconds(3.0, 2.9, 3.1)))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_what_is_written_is_read_again(self):
        measured.write(self.path("a.json"), [ratio(1.0, 0.9, 1.1), seconds(2.0, 1.9, 2.1)])
        claims = measured.read(self.path("a.json"))
        self.assertEqual(claims["s"], seconds(2.0, 1.9, 2.1))
        self.assertEqual(measured.comparison(claims, claims), ["nothing moved beyond the noise"])

    def test_the_history_has_a_column_for_each_file_and_marks_missed_goals(self):
        measured.write(self.path("0.1.json"), [ratio(0.5, 0.4, 0.6)])
        measured.write(self.path("0.2.json"), [ratio(1.5, 1.4, 1.6), seconds(2.0, 1.9, 2.1)])
        lines = [line.split() for line in measured.history(self.folder.name)]
        self.assertEqual(lines, [["claim", "0.1", "0.2"], ["r", "0.50x", "!", "1.50x"], ["s", "-", "2", "s"]])

    def test_another_file_is_refused_by_name(self):
        with open(self.path("other.json"), "w") as file:
            json.dump([1, 2], file)
        done = subprocess.run([os.path.join(BENCH, "run"), "--against", self.path("other.json")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("other.json is no file of bench/run --json", done.stderr)


if __name__ == "__main__":
    unittest.main()
