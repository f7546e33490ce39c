#!/usr/bin/env python3
"""scripts/fewer_rows.py keeps of a ranking what is shipped."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "fewer_rows.py"
# An export that has one configuration.
TUNER = """#!/bin/sh
echo '/* tuner-table'
echo '{"parameters": ["FORM", "B"], "configurations": [["fast", 150]]}'
echo 'tuner-table */'
"""


class FewerRows(unittest.TestCase):
    def kept(self, rows):
        """Ranks and lines that stay of (FORM, B, basis), the fastest first."""
        with tempfile.TemporaryDirectory() as folder:
            tuner = Path(folder, "tuner")
            tuner.write_text(TUNER)
            tuner.chmod(0o755)
            file = Path(folder, "n1.csv")
            file.write_text("rank,FORM,B,time_ms,basis\n" + "".join(
                f"{rank},{form},{b},{rank},{basis}\n" for rank, (form, b, basis) in enumerate(rows, 1)))
            subprocess.run([sys.executable, PROGRAM, tuner, "study.yaml", folder], check=True)
            header, *lines = file.read_text().splitlines()
        self.assertEqual(header, "rank,FORM,B,time_ms,basis")
        return [int(line.split(",")[0]) for line in lines]

    def test_finalists_and_what_fits_beside_them_stay(self):
        self.assertEqual(self.kept([("fast", 1, "final")] * 120 + [("fast", 2, "search")] * 100), [*range(1, 221)])

    def test_of_the_others_a_hundred_stay(self):
        self.assertEqual(self.kept([("fast", 1, "final"), *[("fast", 1, "search")] * 200]), [*range(1, 102)])

    def test_what_an_export_has_and_the_best_of_each_form_stay(self):
        rows = [("fast", 1, "search")] * 200 + [("fast", 150, "search"), ("slow", 1, "search"), ("slow", 1, "")]
        self.assertEqual(self.kept(rows), [*range(1, 99), 201, 202])


if __name__ == "__main__":
    unittest.main()
