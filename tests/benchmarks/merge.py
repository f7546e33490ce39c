#!/usr/bin/env python3
"""benchmarks/domains/merge.py makes one archive of what several runs measured."""

import csv
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "domains" / "merge.py"
BEFORE = "rank,state,BM,N,time_ms,message\n"
SINCE = "rank,state,BM,DEEP,N,time_ms,message\n"


class Merge(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_with(self, run, size, text):
        device = self.folder / run / "saxpy" / "h100"
        device.mkdir(parents=True, exist_ok=True)
        (device / "device.json").write_text("{}")
        (device / f"N{size}.csv").write_text(text)

    def merged(self, *arguments):
        out = self.folder / "out.tar.gz"
        subprocess.run([sys.executable, PROGRAM, out, *arguments], check=True, cwd=self.folder, capture_output=True)
        with tarfile.open(out) as archive:
            return {member.name: archive.extractfile(member).read().decode() for member in archive}

    def rows(self, files, size):
        return [tuple(row.values()) for row in csv.DictReader(io.StringIO(files[f"saxpy/h100/N{size}.csv"]))]

    def test_rows_of_a_size_are_ranked_anew_and_a_new_parameter_is_filled_in(self):
        self.run_with("old", 64, BEFORE + "1,ok,8,64,0.5,\n2,ok,16,64,0.7,\n3,dropped,32,64,0.1,slow\n4,failed,4,64,,no\n")
        self.run_with("new", 64, SINCE + "1,ok,8,2,64,0.6,\n2,ok,16,1,64,0.65,\n")
        files = self.merged("old", "new", "--added", "DEEP=1")
        self.assertEqual(self.rows(files, 64), [
            ("1", "ok", "8", "1", "64", "0.5", ""), ("2", "ok", "8", "2", "64", "0.6", ""),
            ("3", "ok", "16", "1", "64", "0.65", ""), ("4", "dropped", "32", "1", "64", "0.1", "slow")])
        self.assertEqual(files["saxpy/h100/device.json"], "{}")

    def test_what_is_best_at_one_size_stays_at_all(self):
        self.run_with("a", 64, BEFORE + "1,ok,8,64,0.5,\n2,ok,16,64,0.7,\n3,ok,32,64,0.9,\n")
        self.run_with("b", 128, BEFORE + "1,ok,16,128,0.5,\n2,ok,8,128,0.7,\n3,ok,32,128,0.9,\n")
        files = self.merged("a", "b", "--best", "1")
        self.assertEqual([row[2] for row in self.rows(files, 64)], ["8", "16"])
        self.assertEqual([row[2] for row in self.rows(files, 128)], ["16", "8"])


if __name__ == "__main__":
    unittest.main()
