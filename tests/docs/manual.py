#!/usr/bin/env python3
"""An installation has man pages and completions of bash and zsh, made from the program's own tables.
manual.py --tuner PROGRAM --build FOLDER"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import completions  # noqa: E402

GIVEN = None


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = completions.commands_of(GIVEN.tuner)
        cls.prefix = pathlib.Path(tempfile.mkdtemp(prefix="tuner-manual-"))
        done = subprocess.run(["cmake", "--install", GIVEN.build, "--prefix", str(cls.prefix)],
                              text=True, capture_output=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.share = cls.prefix / "share"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.prefix)

    def page(self, name):
        return self.share / "man" / "man1" / name

    def completed(self, *words):
        """What bash offers for the last word."""
        script = (f". {self.share}/bash-completion/completions/tuner\n"
                  'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tuner; printf "%s\\n" "${COMPREPLY[@]}"')
        said = subprocess.run(["bash", "-c", script, "bash", "tuner", *words], cwd=self.prefix,
                              capture_output=True, text=True, check=True)
        return said.stdout.split()

    def test_bash_completes_commands(self):
        self.assertEqual(self.completed("re"), ["results", "report", "replay"])
        self.assertEqual(self.completed("help", "ch"), ["check"])
        every = {"help", *(command.name for command in self.commands)}
        self.assertEqual(set(self.completed("")), every)

    def test_bash_completes_the_options_of_a_command(self):
        self.assertEqual(self.completed("run", "--cross"), ["--cross-sizes"])
        self.assertEqual(self.completed("run", "saxpy.yaml", "--re"), ["--results", "--replay", "--repeats"])
        for command in self.commands:
            names = {option.name for option in command.options}
            self.assertEqual(set(self.completed(command.name, "--")), names, command.name)

    def test_bash_completes_names_of_files(self):
        self.assertEqual(self.completed("run", "sh"), ["share"])
        self.assertEqual(self.completed("run", "--results", "sh"), ["share"])

    def test_bash_completes_names_that_are_values(self):
        self.assertEqual(self.completed("run", "s.yaml", "--strategy", "gene"), ["genetic"])
        self.assertEqual(self.completed("run", "--backend", "cp"), ["cpu"])
        self.assertEqual(self.completed("export", "--format", "l"), ["launcher"])
        self.assertEqual(self.completed("list", "strat"), ["strategies"])

    def test_zsh_gets_every_option(self):
        text = (self.share / "zsh" / "site-functions" / "_tuner").read_text()
        self.assertTrue(text.startswith("#compdef tuner\n"))
        for command in self.commands:
            for option in command.options:
                self.assertIn(f"'{option.name}[", text)

    def test_every_page_has_the_options_and_examples_of_its_command(self):
        for command in self.commands:
            text = self.page(f"tuner-{command.name}.1").read_text()
            for option in command.options:
                self.assertIn(completions.roff(option.name), text)
            for line, _ in command.examples:
                self.assertIn(completions.roff(line), text)
            self.assertIn(f".B {completions.roff(command.name)}\n", self.page("tuner.1").read_text())

    def test_man_shows_every_page_without_a_warning(self):
        if not shutil.which("man"):
            self.skipTest("no man")
        for page in self.page("").glob("*.1"):
            shown = subprocess.run(["man", "--warnings", "-l", "-Tutf8", page], capture_output=True, text=True)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), page.name)
            self.assertIn(f"{page.stem} - ", " ".join(shown.stdout.split()))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    arguments.add_argument("--build", required=True)
    GIVEN, rest = arguments.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
