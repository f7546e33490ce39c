#!/usr/bin/env python3
"""README and docs show the shipped example word for word, and links between pages lead somewhere."""

import pathlib
import re
import unittest

from follow import blocks_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


class Examples(unittest.TestCase):
    def test_readme_shows_saxpy_word_for_word(self):
        folder = ROOT / "examples" / "saxpy"
        shown = {name: text for _, name, text, _ in blocks_of(ROOT / "README.md") if name}
        for name in ("saxpy.cu", "saxpy.yaml"):
            self.assertEqual(shown.get(name), (folder / name).read_text(), name)

    def test_every_link_between_pages_leads_to_a_file(self):
        for page in PAGES:
            for target in LINK.findall(page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
