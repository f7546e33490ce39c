"""scripts/tracked.py copies what git tracks, and nothing that runs have left beside it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from tracked import copy_tracked  # noqa: E402


class Tracked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "checkout")
        self.target = pathlib.Path(folder.name, "copy")
        self.write("results/matmul/gpu/N1.csv", "shipped\n")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def copied(self, *folders):
        copy = copy_tracked(self.target, *folders, root=self.root)
        return {str(file.relative_to(copy)): file.read_text() for file in copy.rglob("*") if file.is_file()}

    def test_what_a_run_left_is_not_copied_and_what_it_wrote_over_is_as_it_was(self):
        self.write("tests/t1.json", "{}\n")
        self.git("init", "-q")
        self.git("add", ".")
        self.write("results/matmul/gpu/N1.csv", "measured here\n")
        self.write("results/matmul/cpu/N1.csv", "measured here\n")
        self.assertEqual(self.copied("results"), {"results/matmul/gpu/N1.csv": "shipped\n"})

    def test_an_unpacked_archive_is_copied_as_it_lies(self):
        self.assertEqual(self.copied("results"), {"results/matmul/gpu/N1.csv": "shipped\n"})


if __name__ == "__main__":
    unittest.main()
