#!/usr/bin/env python3
"""docs/contract.md has exactly the commands and options that the program has, with their defaults, and
each example of `--help` works. options.py --tuner PROGRAM"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import completions  # noqa: E402

CONTRACT = ROOT / "docs" / "contract.md"
CELL = re.compile(r"(?<!\\)\|")
OPTION = re.compile(r"`(?:-\w`, `)?(--[\w-]+)")
DEFAULT = re.compile(r"\bdefault:? `([^`]+)`")
COMMAND = re.compile(r"^`([\w-]+)")
TUNER = ""


def rows_of(lines):
    """Cells of the rows of a table, without its head."""
    rows = [[cell.strip() for cell in CELL.split(line)[1:-1]] for line in lines]
    return [row for row in rows if not row[0].startswith("---")][1:]


def tables(text):
    """(line before, rows) of each table."""
    out, before, now = [], "", []
    for line in text.split("\n"):
        if line.startswith("|"):
            now.append(line)
            continue
        if now:
            out.append((before, rows_of(now)))
            now = []
        before = line or before
    return out


def documented_commands():
    text = CONTRACT.read_text()
    rows = next(rows for _, rows in tables(text) if rows[0][0].startswith("`run STUDY"))
    return {COMMAND.match(row[0]).group(1) for row in rows}


def documented_options():
    """Of each command: option -> what the table says of it."""
    out = {}
    for before, rows in tables(CONTRACT.read_text()):
        head = re.match(r"^Options of `([\w-]+)`:$", before)
        if head:
            out[head.group(1)] = {OPTION.search(row[0]).group(1): row[1] for row in rows}
    return out


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = completions.commands_of(TUNER)
        cls.documented = documented_options()

    def test_the_contract_has_the_commands_of_the_program(self):
        self.assertEqual(documented_commands(), {command.name for command in self.commands})
        self.assertEqual(set(self.documented), {command.name for command in self.commands})

    def test_the_contract_has_the_options_of_each_command(self):
        for command in self.commands:
            known = {option.name for option in command.options} - {"--help"}
            self.assertEqual(set(self.documented[command.name]), known, command.name)

    def test_the_contract_has_the_defaults_of_the_program(self):
        stated = 0
        for command in self.commands:
            for option in command.options:
                said = DEFAULT.search(self.documented[command.name].get(option.name, ""))
                if not said:
                    continue
                self.assertEqual(said.group(1), option.default, f"{command.name} {option.name}")
                stated += 1
        self.assertGreater(stated, 10)

    def test_every_command_has_a_group_and_two_examples(self):
        for command in self.commands:
            self.assertTrue(command.group, command.name)
            self.assertGreaterEqual(len(command.examples), 2, command.name)
            for line, what in command.examples:
                self.assertTrue(line.startswith(f"tuner {command.name}"), line)
                self.assertTrue(what, line)

    def test_every_example_works(self):
        with tempfile.TemporaryDirectory(prefix="tuner-help-") as folder:
            shutil.copytree(ROOT / "examples" / "saxpy", folder, dirs_exist_ok=True)
            # What the examples speak of: results of another day, and what other examples make.
            self.run_in(folder, "tuner run saxpy.yaml --budget 3 --results before")
            shutil.copytree(pathlib.Path(folder, "before"), pathlib.Path(folder, "results"))
            of = {command.name: command.examples for command in self.commands}
            for name in ["export", *(name for name in of if name != "export")]:
                for line, _ in of[name]:
                    with self.subTest(line):
                        self.run_in(folder, line)

    def run_in(self, folder, line):
        environment = dict(os.environ, TUNER_PLUGIN_PATH="", XDG_CACHE_HOME=f"{folder}/.cache")
        environment["PATH"] = f"{pathlib.Path(TUNER).resolve().parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # A busy machine may make the newer results slower: that is what --fail-above is for.
        allowed = {0, 1} if "--fail-above" in line else {0}
        self.assertIn(done.returncode, allowed, f"{line}:\n{done.stdout}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    given, rest = arguments.parse_known_args()
    TUNER = given.tuner
    unittest.main(argv=[sys.argv[0], *rest])
