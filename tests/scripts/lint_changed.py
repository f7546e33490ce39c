#!/usr/bin/env python3
"""scripts/lint_changed.py names a source again when anything that it is made of changed."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "lint_changed.py"


class LintChanged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(os.path.realpath(folder.name))
        for name in ("tuner/a.cpp", "tuner/b.cpp", "tuner/a.h", "tests/c.cpp"):
            self.write(name, name)
        (self.root / "stamps").mkdir()
        self.deps = "\n".join(["a.o: #deps 4, deps mtime 1 (VALID)",
                               f"    {self.root}/build/dev/tuner/rooms.dir/cmake_pch.hxx",
                               "    ../../tuner/a.cpp",
                               f"    {self.root}/tuner/a.h", "    /usr/include/stdio.h", "",
                               "b.o: #deps 1, deps mtime 1 (VALID)", "    ../../tuner/b.cpp", "",
                               "c.o: #deps 1, deps mtime 1 (VALID)", "    ../../tests/c.cpp", "",
                               "g.o: #deps 1, deps mtime 1 (VALID)", "    tuner/generated.cpp", ""])

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def work(self, common="tidy 14"):
        """{source: sum} of what is to be looked at, and what was said of it."""
        done = subprocess.run([sys.executable, PROGRAM, common, "stamps"], cwd=self.root, check=True,
                              input=self.deps, capture_output=True, text=True)
        return dict(reversed(line.split()) for line in done.stdout.splitlines()), done.stderr

    def mark_clean(self):
        for total in self.work()[0].values():
            self.write(f"stamps/{total}", "")

    def test_at_first_all_sources_of_the_tree_are_named_and_no_others(self):
        found, told = self.work()
        self.assertEqual(set(found), {"tuner/a.cpp", "tuner/b.cpp"})
        self.assertEqual(told, "3 files, 2 of them changed since they were clean\n")

    def test_what_only_moved_has_no_changed_lines(self):
        numstat = "0\t0\t\0tuner/old/a.cpp\0tuner/new/a.cpp\0" "1\t3\t\0tuner/old/b.h\0tuner/new/b.h\0" \
                  "0\t0\ttuner/c.cpp\0" "2\t0\ttuner/d.cpp\0"
        done = subprocess.run([sys.executable, PROGRAM, "--names"], check=True, input=numstat,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), ["tuner/new/b.h", "tuner/d.cpp"])

    def test_sources_that_cmake_joined_are_named_one_by_one(self):
        self.deps = "\n".join(["ab.o: #deps 5, deps mtime 1 (VALID)",
                               "    tuner/rooms.dir/Unity/unity_0_cxx.cxx",
                               f"    {self.root}/tuner/a.cpp", "    ../../tuner/a.h",
                               f"    {self.root}/tuner/b.cpp", "    /usr/include/stdio.h", ""])
        self.assertEqual(set(self.work()[0]), {"tuner/a.cpp", "tuner/b.cpp"})
        self.mark_clean()
        self.write("tuner/b.cpp", "changed")
        self.assertEqual(set(self.work()[0]), {"tuner/b.cpp"})
        self.write("tuner/a.h", "changed")  # of which of the two is not known
        self.assertEqual(set(self.work()[0]), {"tuner/a.cpp", "tuner/b.cpp"})

    def test_what_was_clean_is_not_named_again(self):
        self.mark_clean()
        self.assertEqual(self.work()[0], {})

    def test_a_changed_header_names_those_that_include_it(self):
        self.mark_clean()
        self.write("tuner/a.h", "changed")
        self.assertEqual(set(self.work()[0]), {"tuner/a.cpp"})

    def test_a_changed_source_is_named_alone(self):
        self.mark_clean()
        self.write("tuner/b.cpp", "changed")
        self.assertEqual(set(self.work()[0]), {"tuner/b.cpp"})

    def test_another_configuration_names_all(self):
        self.mark_clean()
        self.assertEqual(set(self.work("tidy 15")[0]), {"tuner/a.cpp", "tuner/b.cpp"})


if __name__ == "__main__":
    unittest.main()
