#!/usr/bin/env python3
"""Every test that docs/attacks.md names as its evidence exists."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tests_of(folder):
    names = set()
    for path in folder.rglob("*.cpp"):
        found = re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(encoding="utf-8"), re.M)
        names |= {f"{suite}.{name}" for suite, name in found}
    for path in folder.rglob("*_test.py"):
        found = re.findall(r"^ +def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
        names |= {f"{path.name}::{name}" for name in found}
    return names


def named_in(page):
    """The tests of the last column; ".Name" goes on with the suite before it, "*" and "..." end a prefix."""
    for line in page.splitlines():
        if not line.startswith("|"):
            continue
        yield from re.findall(r"`(\w+\.py::\w+)`", line.split("|")[-2])
        suite = ""
        for word in re.findall(r"`(\w*\.[\w.*]+)`", line.split("|")[-2]):
            suite = suite if word.startswith(".") else word.split(".")[0]
            yield suite + word[word.index("."):]


def missing(page, tests):
    for name in named_in(page):
        prefix = re.sub(r"(\*|\.\.\.)$", "", name)
        known = name in tests if prefix == name else any(test.startswith(prefix) for test in tests)
        if not known:
            yield name


class Attacks(unittest.TestCase):
    def test_the_page_names_tests_that_exist(self):
        page = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
        self.assertGreater(len(list(named_in(page))), 40)
        self.assertEqual(list(missing(page, tests_of(ROOT / "tests"))), [])

    def test_a_name_that_is_wrong_is_found(self):
        page = "| 1 | x | `A.B`, `.C`; `D.*`, `e.py::test_f`, `e.py::test_g` | \n"
        self.assertEqual(list(missing(page.strip(), {"A.B", "D.E", "e.py::test_f"})), ["e.py::test_g", "A.C"])


if __name__ == "__main__":
    unittest.main()
