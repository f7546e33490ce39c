#!/usr/bin/env python3
"""docs/contract.md names every command and option that the program has; completions and
man pages are made from the same tables. options.py --tuner PROGRAM"""

import argparse
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

OPTION = re.compile(r"`(?:-\w, )?(--[\w-]+)")
TUNER = ""


def documented():
    """Options of each command by the tables behind "Options of `COMMAND`:" in contract.md."""
    out, now = {}, None
    for line in (ROOT / "docs" / "contract.md").read_text().split("\n"):
        head = re.match(r"^Options of `([\w-]+)`", line)
        if head:
            now = out.setdefault(head.group(1), set())
        elif line.startswith("#"):
            now = None
        elif now is not None and line.startswith("| `"):
            now.update(OPTION.findall(line.split("|")[1]))
    return out


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = completions.commands_of(TUNER)

    def test_the_contract_has_every_command(self):
        text = (ROOT / "docs" / "contract.md").read_text()
        self.assertGreaterEqual(len(self.commands), 9)
        for command in self.commands:
            self.assertRegex(text, rf"\n\| `{command.name}[ `]", command.name)

    def test_the_contract_has_every_option(self):
        said = documented()
        for command in self.commands:
            known = {option.name for option in command.options} - {"--help"}
            self.assertLessEqual(known, said.get(command.name, set()), command.name)

    def test_completions_and_man_pages_are_made_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            script = ROOT / "scripts" / "completions.py"
            subprocess.run([sys.executable, script, "--tuner", TUNER, "--to", folder], check=True)
            bash = pathlib.Path(folder, "tuner.bash").read_text()
            complete = bash + '\nCOMP_WORDS=(tuner run --cross); COMP_CWORD=2; _tuner; echo "${COMPREPLY[@]}"'
            said = subprocess.run(["bash", "-c", complete], capture_output=True, text=True, check=True)
            self.assertEqual(said.stdout, "--cross-sizes\n")
            for command in self.commands:
                page = pathlib.Path(folder, "man1", f"tuner-{command.name}.1")
                for option in command.options:
                    self.assertIn(option.name.replace("-", "\\-"), page.read_text())
                    self.assertIn(option.name, pathlib.Path(folder, "_tuner").read_text())
                if shutil.which("man"):
                    shown = subprocess.run(["man", "-l", "-Tutf8", page], capture_output=True, text=True)
                    self.assertEqual(shown.returncode, 0, shown.stderr)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    given, rest = arguments.parse_known_args()
    TUNER = given.tuner
    unittest.main(argv=[sys.argv[0], *rest])
