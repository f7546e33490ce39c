#!/usr/bin/env python3
"""scripts/fault_matrix.py passes a run only when each fault got its state in time."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "fault_matrix.py"
STATES = {"ok": "ok", "compile": "compile", "compile_hang": "compile", "shared": "compile",
          "threads": "constraints", "illegal": "runtime", "misaligned": "runtime", "trap": "runtime",
          "hang": "timeout", "nan": "correctness", "one_wrong": "correctness", "unwritten": "correctness",
          "past_end": "correctness"}
COMPILING = ("compile", "compile_hang", "shared")


def trial(fault, state, at, from_store=False):
    return json.dumps({"event": "trial", "configuration": {"FAULT": fault, "BLOCK": "64"}, "state": state,
                       "elapsed_s": at, "from_store": from_store})


class FaultMatrix(unittest.TestCase):
    def setUp(self):
        self.states = dict(STATES)
        self.spent = {fault: 0.2 for fault in STATES} | {"hang": 3.1, "compile_hang": 5.2}

    def run_of(self, faults):
        lines, now = ['{"event":"begin","total":26}', "warning: no JSON", trial("ok", "ok", 0, True)], 0
        for fault in faults:
            for _ in range(2):
                now += self.spent[fault]
                lines.append(trial(fault, self.states[fault], now))
        return "\n".join(lines)

    def judged(self, timeout=5, states=None):
        runs = [states or self.run_of(STATES).replace(trial("ok", "ok", 0, True) + "\n", ""),
                self.run_of(f for f in STATES if f not in COMPILING), self.run_of(COMPILING)]
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for at, text in enumerate(runs):
                names.append(str(Path(folder) / str(at)))
                Path(names[-1]).write_text(text)
            return subprocess.run([sys.executable, PROGRAM, str(timeout), *names], capture_output=True,
                                  text=True, check=False)

    def test_a_run_in_which_all_is_as_it_must_be_passes(self):
        done = self.judged()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("26 variants, 0 with a wrong state; the longer of two for each fault: 0 of 13 late",
                      done.stdout)
        self.assertRegex(done.stdout, r"hang +timeout +3\.10 s +3 s +0\.10 s\n")
        self.assertRegex(done.stdout, r"trap +runtime +0\.20 s +- +0\.20 s\n")

    def test_a_wrong_state_fails_and_is_named(self):
        self.states["nan"] = "ok"
        done = self.judged()
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG: nan got ok, must be correctness", done.stdout)

    def test_states_that_depend_on_the_machine_pass(self):
        for fault, state in (("ok", "dropped"), ("shared", "launch"), ("shared", "constraints")):
            with self.subTest(fault=fault, state=state):
                self.states = STATES | {fault: state}
                self.assertEqual(self.judged().returncode, 0)

    def test_a_fault_that_costs_more_than_a_second_beyond_its_deadline_is_late(self):
        self.spent["trap"] = 1.3
        done = self.judged()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"trap .* LATE\n")
        self.assertIn("1 of 13 late", done.stdout)

    def test_a_short_timeout_is_the_deadline_of_a_kernel_that_hangs(self):
        self.spent |= {"hang": 2.5, "compile_hang": 2.5}
        self.assertEqual(self.judged(timeout=2).returncode, 0)
        self.assertEqual(self.judged(timeout=1).returncode, 1)

    def test_a_run_that_lacks_variants_fails(self):
        self.assertEqual(self.judged(states=trial("ok", "ok", 1)).returncode, 1)


if __name__ == "__main__":
    unittest.main()
