#!/usr/bin/env python3
"""scripts/stand_in.py makes a ranked CSV of valid configurations."""

import csv
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "scripts" / "stand_in.py"
STUDY = """schema: 1
problem_sizes:
  # the small one
  - {M: 64, N : 32}
  - {M: 128, N: 128}
parameters:
  A: [1, 2]
"""


class StandIn(unittest.TestCase):
    def made(self, study, configurations):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(study)
            file.flush()
            return self.made_of(file.name, configurations)

    def made_of(self, path, configurations):
        return subprocess.run([sys.executable, PROGRAM, path], input=configurations,
                              capture_output=True, text=True, check=False)

    def test_ranks_configurations_in_their_order_for_the_first_size(self):
        done = self.made(STUDY, "A,FORM\r\n2,tile\r\n1,\"a,b\"\r\n")
        self.assertEqual(done.stdout, "rank,state,A,FORM,M,N,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,tie,message\n"
                                      "1,ok,2,tile,64,32,1,1,1,1,1,search,false,\n"
                                      "2,ok,1,\"a,b\",64,32,2,2,2,2,1,search,false,\n")

    def test_a_study_without_sizes_is_a_mistake(self):
        done = self.made("schema: 1\n", "A\n1\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("under problem_sizes", done.stderr)

    def test_understands_every_shipped_study(self):
        for study in sorted((ROOT / "search_spaces").glob("*.yaml")):
            with self.subTest(study=study.name):
                done = self.made_of(study, "A\n1\n")
                row = next(csv.DictReader(io.StringIO(done.stdout)))
                self.assertEqual((row["A"], row["rank"]), ("1", "1"))
                self.assertGreater(len(row), 10)  # at least one dimension


if __name__ == "__main__":
    unittest.main()
