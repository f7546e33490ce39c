#!/usr/bin/env python3
"""The action of examples/ci on small trees, without GitHub. action.py --tuner PROGRAM"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    sys.exit(77)  # Debian has it as python3-yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUNER = ""


class Action(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        for tree in ("base", "head"):
            shutil.copytree(ROOT / "examples" / "saxpy", self.folder / tree)
            study = self.folder / tree / "saxpy.yaml"
            study.write_text(study.read_text().replace("1048576", "65536"))

    def tearDown(self):
        self.scratch.cleanup()

    def edit(self, name, old, new):
        file = self.folder / "head" / name
        self.assertIn(old, file.read_text())
        file.write_text(file.read_text().replace(old, new))

    def act(self, **inputs):
        """Exit status, summary, and what the job prints."""
        action = yaml.safe_load((ROOT / "examples" / "ci" / "action.yml").read_text())
        step, = action["runs"]["steps"]
        values = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
        values |= {"folder": str(self.folder / "head"), "studies": "saxpy.yaml", "backend": "cpu", "seconds": "2"} | inputs
        filled = lambda text: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda name: values[name[1]], text)
        summary = self.folder / "summary.md"
        summary.write_text("")
        env = {name: filled(text) for name, text in step["env"].items()}
        env |= {"PATH": f"{pathlib.Path(TUNER).parent}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary),
                "HOME": self.scratch.name}
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=filled(step["working-directory"]),
                              env=env, capture_output=True, text=True, check=False)
        return done.returncode, summary.read_text(), done.stdout

    def test_equal_trees_pass(self):
        status, summary, _ = self.act()
        self.assertEqual(status, 0)
        self.assertIn("### saxpy.yaml: passed\n\n| size | device | verdict | head over base | interval |  |\n", summary)
        self.assertIn("| N=65536 |", summary)
        self.assertIn("the same program", summary)

    def test_a_wrong_answer_closes_the_gate_with_its_reason(self):
        self.edit("saxpy.cu", "y[i] = a * x[i] + y[i];\n  }\n}\n\n//", "y[i] = a * x[i];\n  }\n}\n\n//")
        status, summary, printed = self.act()
        self.assertEqual(status, 1)
        self.assertIn("### saxpy.yaml: failed\n", summary)
        self.assertRegex(summary, r"\| N=65536 \| .* \| failed \| .*y\[0\] = .*, expected ")
        self.assertIn("::error::saxpy.yaml: the gate does not open (status 1)\n", printed)

    def test_results_that_an_edit_has_made_stale_are_listed(self):
        subprocess.run([TUNER, "run", "saxpy.yaml", "--backend", "cpu", "--budget", "2", "--progress", "none"],
                       cwd=self.folder / "head", check=True, capture_output=True)
        self.assertNotIn("Stale", self.act()[1])
        self.edit("saxpy.cu", "// The right answer", "// Right, the answer")
        summary = self.act()[1]
        self.assertIn("Stale results, which the next run measures anew:\n\n| size | device | because |\n", summary)
        self.assertRegex(summary, r"\| N=65536 \| .* \| source: changed")

    def test_a_mistake_in_a_study_is_in_the_summary_and_other_studies_are_compared(self):
        (self.folder / "head" / "broken.yaml").write_text("schema: 1\nparamters: {A: [1]}\n")
        status, summary, _ = self.act(studies="broken.yaml saxpy.yaml")
        self.assertEqual(status, 2)
        self.assertIn("### broken.yaml: not decided (status 2)\n\n- broken.yaml:1:1: missing key 'parameters' in the study\n"
                      "- broken.yaml:2:1: unknown key 'paramters' in the study: did you mean 'parameters'?\n", summary)
        self.assertIn("### saxpy.yaml: passed\n", summary)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    given, rest = arguments.parse_known_args()
    TUNER = str(pathlib.Path(given.tuner).absolute())
    unittest.main(argv=[sys.argv[0], *rest])
