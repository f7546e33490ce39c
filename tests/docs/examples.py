#!/usr/bin/env python3
"""README and docs show the shipped example word for word, links between pages lead somewhere, and every command
is one that the program has: followed by a test, or said why not. examples.py --tuner PROGRAM"""

import argparse
import pathlib
import re
import sys
import unittest

from follow import blocks_of, commands_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import completions  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")
FOLLOWED = re.compile(r"^followed_page\(\w+ (\S+?)[ )]", re.M)
INLINE = re.compile(r"`(tuner [a-z][^`]*)`")
STARTED = re.compile(r"(?:^|[;&|(] *)tuner ([a-z][\w-]*)((?: [^;&|#]*)?)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
TUNER = ""


def commands_in(page):
    """(line, text) of every command of tuner on a page: in blocks and within sentences."""
    for kind, _, text, line in blocks_of(page):
        if kind in ("sh", "skipped"):
            yield from ((line, command) for command in commands_of(text) if STARTED.search(command))
    prose = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), page.read_text(), flags=re.M | re.S)
    for found in INLINE.finditer(prose):
        yield prose.count("\n", 0, found.start()) + 1, found.group(1).replace("\n", " ")


def prose_of(page):
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)


def anchors_of(page):
    """Those that GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", prose_of(page), flags=re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


class Examples(unittest.TestCase):
    def test_readme_shows_saxpy_word_for_word(self):
        folder = ROOT / "examples" / "saxpy"
        shown = {name: text for _, name, text, _ in blocks_of(ROOT / "README.md") if name}
        for name in ("saxpy.cu", "saxpy.yaml"):
            self.assertEqual(shown.get(name), (folder / name).read_text(), name)

    def test_the_code_of_the_lessons_is_that_of_the_kernels(self):
        words = lambda text: " ".join(text.split())
        sources = [*(ROOT / "kernel_sources").iterdir(), ROOT / "examples" / "learn" / "transpose.cu"]
        texts = [words(file.read_text()) for file in sources]
        shown = [text for kind, _, text, _ in blocks_of(ROOT / "docs" / "learn.md") if kind == "cuda"]
        self.assertGreater(len(shown), 5)
        for code in shown:
            self.assertTrue(any(words(code) in text for text in texts), code)

    def test_every_link_between_pages_leads_to_a_file_and_a_heading(self):
        for page in PAGES:
            for target, anchor in LINK.findall(prose_of(page)):
                file = page.parent / target if target else page
                self.assertTrue(file.exists(), f"{page}: {target}")
                if anchor and file.suffix == ".md":
                    self.assertIn(anchor, anchors_of(file), f"{page}: {target}")

    def test_every_page_with_commands_is_followed_or_says_why_not(self):
        text = (ROOT / "tests" / "docs" / "CMakeLists.txt").read_text()
        followed = {ROOT / page for page in FOLLOWED.findall(text)}
        self.assertGreater(len(followed), 3)
        for page in set(PAGES) - followed:
            for kind, _, text, line in blocks_of(page):
                if kind == "sh":
                    self.assertIsNone(STARTED.search(text), f"{page}:{line}: nobody follows this page")

    def test_every_command_is_one_of_the_program_with_options_of_its_own(self):
        options = {command.name: {option.name for option in command.options}
                   for command in completions.commands_of(TUNER)}
        seen = 0
        for page in PAGES:
            for line, text in commands_in(page):
                for name, rest in STARTED.findall(text):
                    if name == "help":
                        continue
                    self.assertIn(name, options, f"{page}:{line}: {text}")
                    unknown = set(OPTION.findall(rest)) - options[name]
                    self.assertEqual(unknown, set(), f"{page}:{line}: {text}")
                    seen += 1
        self.assertGreater(seen, 60)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    given, rest = arguments.parse_known_args()
    TUNER = given.tuner
    unittest.main(argv=[sys.argv[0], *rest])
