#!/usr/bin/env python3
"""docs/contract.md has exactly the commands that the program has, and each example of `--help` works.
options.py --tuner PROGRAM"""

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
TUNER = ""


def documented_commands():
    table = CONTRACT.read_text().split("| command | does |\n")[1].split("\n\n")[0]
    return set(re.findall(r"^\| `([\w-]+)", table, re.MULTILINE))


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = completions.commands_of(TUNER)

    def test_the_contract_has_the_commands_of_the_program(self):
        self.assertEqual(documented_commands(), {command.name for command in self.commands})

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
            for name in ("thin", "wide"):  # a family of two
                study = pathlib.Path(folder, "saxpy.yaml").read_text().replace("name: saxpy,", f"name: {name},")
                pathlib.Path(folder, f"{name}.yaml").write_text(study)
                self.run_in(folder, f"tuner run {name}.yaml --budget 3")
            of = {command.name: command.examples for command in self.commands}
            # A program that uses CUDA, on a machine with a GPU: tests/gpu/captured.py and applied.py have them.
            without = ("export", "capture", "replay", "apply")
            for name in ["export", *(name for name in of if name not in without)]:
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
