#!/usr/bin/env python3
"""tests/golden/golden.py notices every change of an output, says how to make it, and nothing else."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import golden

FAKE = """#!/bin/sh
case "$1" in
  --version) echo "tuner 1.2.3" ;;
  check) echo '{"valid": "7", "build_seconds": 0.5, "constraints": [{"constraint": "A > 1", "exact": false}]}' ;;
  *) %s ;;
esac
"""


class Golden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def maker(self, does):
        program = self.folder / "tuner"
        program.write_text(FAKE % does)
        program.chmod(0o755)
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        return golden.Maker(program, out, self.folder)

    def made(self, does, *arguments, kind="text"):
        step = golden.Step(["export", *arguments], {"a/header": None}, kind)
        return self.maker(does).make(step)["a/header"][1]

    def compared(self, listed, outputs):
        file = self.folder / "list"
        golden.write_list(file, listed)
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            status = golden.compare(file, outputs)
        return status, told.getvalue()

    def test_dates_and_the_version_become_words(self):
        does = """printf '// Made by tuner 1.2.3; do not edit.\\n"autotuner_version": "1.2.3" 2026-11-22T13:19:16Z 1.2.3'"""
        self.assertEqual(self.made(does), b'// Made by tuner VERSION; do not edit.\n'
                                          b'"autotuner_version": "VERSION" DATE 1.2.3')

    def test_what_depends_on_time_is_left_out_of_a_check(self):
        step = golden.Step(["check", "a.yaml", "--json"], {"a/check": None}, "check")
        self.assertEqual(self.maker("").make(step)["a/check"][1],
                         b'{\n "constraints": [\n  "A > 1"\n ],\n "valid": "7"\n}')

    def test_an_output_that_names_a_folder_of_this_machine_is_refused(self):
        with self.assertRaisesRegex(golden.Broken, "names the folder"):
            self.made(f"echo source {self.folder}/a.cu")

    def test_a_command_that_fails_says_which_and_why(self):
        with self.assertRaisesRegex(golden.Broken, "tuner export x.yaml\n.*status 3: no device"):
            self.made("echo no device >&2; exit 3", "x.yaml")

    def test_files_are_read_where_the_command_was_told_to_write_them(self):
        step = golden.Step(["export", "-o", "OUT/x"], {"a/x": "OUT/x"})
        self.assertEqual(self.maker('echo written >"$3"').make(step)["a/x"][1], b"written\n")

    def test_equal_sums_pass(self):
        outputs = {"a/csv": ("tuner export a", b"1"), "a/json": ("tuner export b", b"2")}
        self.assertEqual(self.compared(golden.sums_of(outputs), outputs), (0, "2 outputs are as they were\n"))

    def test_another_byte_is_told_with_the_command_that_makes_it(self):
        before = golden.sums_of({"a/csv": ("", b"1"), "a/json": ("", b"2")})
        status, told = self.compared(before, {"a/csv": ("tuner export a --format csv", b"11"),
                                              "a/json": ("tuner export b", b"2")})
        self.assertEqual(status, 1)
        self.assertIn("DIFFERS  a/csv", told)
        self.assertIn("made by: tuner export a --format csv", told)
        self.assertNotIn("a/json", told)

    def test_new_outputs_and_lost_ones_are_told(self):
        status, told = self.compared({"a/old": "1" * 64}, {"a/new": ("tuner export new", b"")})
        self.assertEqual(status, 1)
        self.assertIn("GONE     a/old", told)
        self.assertIn("NEW      a/new\n  is not in the list; made by: tuner export new", told)

    def test_a_list_is_read_as_it_was_written(self):
        sums = {"a/csv/N 1": "0" * 64, "b": "f" * 64}
        golden.write_list(self.folder / "list", sums)
        self.assertEqual(golden.read_list(self.folder / "list"), sums)

    def test_sizes_are_told_from_the_names_of_files(self):
        for name in ("M1024_N64_K3.csv", "N100.csv", "device.json"):
            (self.folder / name).touch()
        self.assertEqual(golden.sizes_of(self.folder),
                         [("M1024_N64_K3", "M=1024,N=64,K=3"), ("N100", "N=100")])

    def test_every_shipped_result_and_study_has_its_outputs(self):
        shipped = golden.copy_tracked(self.folder, *golden.INPUTS)
        names = {name for steps in golden.chains(shipped) for step in steps for name in step.outputs}
        for study in (shipped / "search_spaces").glob("*.yaml"):
            self.assertIn(f"{study.stem}/check", names)
        for csv in (shipped / "results").glob("*/nvidia-*/*.csv"):
            device = csv.parent.relative_to(shipped / "results")
            for form in ("csv", "t4", "defines"):
                self.assertIn(f"{device}/{form}/{csv.stem}", names)


if __name__ == "__main__":
    unittest.main()
