#!/usr/bin/env python3
"""tuner.judge(): the verdict of `tuner judge` as a dictionary, and mistakes as errors. On the cpu backend."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from begin import begin

ROOT = Path(__file__).resolve().parents[2]
JUDGE = ROOT / "examples" / "judge"
OPTIONS = None  # of the command line, once it is read
SIZE = {"ROWS": 3, "COLS": 257}


def judged(name=None, study=JUDGE / "softmax.yaml", **more):
    return tuner.judge(None if name is None else JUDGE / "candidates" / f"{name}.cu", study,
                       **{"backend": "cpu", "size": SIZE, "server": 0, **more})


class Judge(unittest.TestCase):
    def said(self, *words, **named):
        with self.assertRaises(tuner.Error) as caught:
            judged(*words, **named)
        return str(caught.exception)

    def test_a_right_kernel_is_accepted_and_timed(self):
        verdict = judged("right_serial", configuration={"BLOCK": 64})
        self.assertTrue(verdict.accepted, verdict)
        self.assertEqual((verdict.verdict, verdict.why, verdict["configuration"]), ("accepted", "", {"BLOCK": 64}))
        self.assertGreater(verdict.time_ms, 0)
        self.assertGreater(verdict.speedup, 0)
        self.assertEqual(verdict["checks"][0]["size"], SIZE)
        self.assertRegex(repr(verdict), r"^<Verdict: accepted, [0-9.e-]+ ms>$")

    def test_a_wrong_one_is_told_why_be_it_a_file_or_a_text(self):
        verdict = judged("wrong_tail")
        self.assertEqual((verdict.accepted, verdict.verdict), (False, "correctness"))
        self.assertIn("ROWS3_COLS257: y[0][", verdict.why)
        source = (JUDGE / "candidates" / "wrong_syntax.cu").read_text()
        verdict = judged(source=source)
        self.assertEqual((verdict.verdict, verdict["kernel"], verdict.time_ms), ("compile", "source", None))
        self.assertIn("flaot", verdict.why)
        self.assertEqual(judged("wrong_file").verdict, "refused")
        self.assertIn("the file has no kernel 'softmax'; it has my_softmax\n", judged("wrong_name").why)

    def test_several_kernels_have_a_line_each_and_one_may_come_by_standard_input(self):
        words = [OPTIONS.tuner, "judge", "candidates/right_serial.cu", "-", "candidates/wrong_tail.cu", "--study",
                 "softmax.yaml", "--backend", "cpu", "--size", "ROWS=3,COLS=257", "--server", "0", "--json"]
        done = subprocess.run(words, cwd=JUDGE, input=(JUDGE / "candidates" / "wrong_host.cu").read_text(), check=False,
                              stdout=subprocess.PIPE, text=True)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one["verdict"] for one in told], ["accepted", "refused", "correctness"])
        self.assertEqual([Path(one["kernel"]).name for one in told], ["right_serial.cu", "standard_input.cu", "wrong_tail.cu"])
        self.assertEqual(done.returncode, 1)
        words[2:5] = ["candidates/right_serial.cu", "none.cu"]  # before anything is judged
        done = subprocess.run(words, cwd=JUDGE, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, json.loads(done.stdout)["mistakes"][0]["message"]), (2, "there is no such file"))

    def test_mistakes_are_errors_with_what_is_allowed(self):
        self.assertIn("either 'kernel' (a path) or 'source'", self.said())
        self.assertIn("either 'kernel' (a path) or 'source'", self.said("right_serial", source="x"))
        self.assertIn("which study?", self.said("right_serial", study=None))
        self.assertIn("there is no such file", self.said("right_parallel"))
        self.assertIn("timeout is 0: a number from 0.001", self.said("right_serial", timeout=0))
        self.assertIn("did you mean 'BLOCK'", self.said("right_serial", configuration={"BLOKC": 64}))
        self.assertIn("there is no backend 'cqu'", self.said("right_serial", backend="cqu"))
        self.assertIn("there is no kernel on standard input", self.said(source=""))


if __name__ == "__main__":
    OPTIONS, words = begin()
    cache = tempfile.TemporaryDirectory(prefix="tuner-judge-")
    os.environ["XDG_CACHE_HOME"] = cache.name
    import tuner
    unittest.main(argv=words)
