#!/usr/bin/env python3
"""scripts/format.sh finds what is not formatted, and formats it."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "format.sh"


@unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is not installed")
class Format(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("right.cpp", "int main() { return 0; }\n")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_on_all(self, *options):
        files = [str(file) for file in sorted(self.folder.iterdir())]
        return subprocess.run([PROGRAM, *options, *files], capture_output=True, text=True, check=False)

    def test_formatted_files_pass(self):
        done = self.run_on_all("--check")
        self.assertEqual((done.returncode, done.stdout), (0, "1 files, all formatted\n"))

    def test_check_names_a_file_that_is_not_formatted_and_leaves_it(self):
        self.write("wrong.h", "int  a ;\n")
        done = self.run_on_all("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"not formatted: {self.folder}/wrong.h\n1 of 2 files", done.stdout)
        self.assertEqual((self.folder / "wrong.h").read_text(), "int  a ;\n")

    def test_without_check_files_are_formatted(self):
        self.write("wrong.h", "int  a ;\n")
        self.assertEqual(self.run_on_all().returncode, 0)
        self.assertEqual(self.run_on_all("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
