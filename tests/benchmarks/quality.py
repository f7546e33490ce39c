#!/usr/bin/env python3
"""benchmarks/workers/quality.py says what is lost when workers share a search."""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "workers" / "quality.py"


def module():
    spec = importlib.util.spec_from_file_location("quality", PROGRAM)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def recording(times, compile_ms=100000):
    """100 s to compile each of them, and 10 s on the device; None: it failed."""
    timed = {"benchmark_time": 10000} | ({"compile_time": compile_ms} if compile_ms else {})
    entries = {str(i): {"X": i, "time": time or "RuntimeFailedConfig", **timed} for i, time in enumerate(times)}
    return json.dumps({"tune_params_keys": ["X"], "tune_params": {"X": list(range(len(times)))}, "cache": entries})


class Quality(unittest.TestCase):
    tuner = ""

    def printed(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tiny.json"
            file.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, PROGRAM, "--tuner", self.tuner, *options, file],
                                  capture_output=True, text=True, check=False)

    # There are 12 configurations. Twelve workers have the time for one each, and a little more for the strategy.
    def test_each_number_of_workers_has_the_same_worker_seconds(self):
        done = self.printed(recording([8.0, 4.0, 6.0, 2.0] * 3), "--strategies", "exhaustive", "--seeds", "1",
                            "--workers", "1,2,12", "--times", "13", "--way", "0.01")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "loss in %, and configurations measured, by workers\n\n"
                                      "| recording | evaluations | strategy | 1 | 2 | 12 |\n"
                                      "|---|--:|---|--:|--:|--:|\n"
                                      "| tiny | 13 | exhaustive | 0.0 (12) | 0.0 (12) | 0.0 (12) |\n")

    # 209 s for one worker, 42 s for each of five.
    def test_who_finds_nothing_has_no_loss_but_none(self):
        done = self.printed(recording([3.0, 2.0]), "--strategies", "random", "--random-seeds", "3",
                            "--workers", "1,5", "--times", "1.9", "--way", "0.01")
        self.assertRegex(done.stdout, r"\| tiny \| 2 \| random \| (0.0|50.0) \(1\) \| none \(0\) \|\n$")

    def test_a_recording_without_compile_times_is_left_out(self):
        done = self.printed(recording([3.0, 2.0], None), "--workers", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "tiny: no compile times, left out\n")

    # By hand, of 1, 2, 3 and a failure: the median is 2, and the way one long. One draw finds the best with 1/4, two
    # with 1/2, three with 3/4.
    def test_random_search_goes_its_way_in_so_many_draws(self):
        of = module().evaluations_of_random_search
        values = [2.0, float("inf"), 1.0, 3.0]
        self.assertEqual([of(values, way) for way in (0.25, 0.26, 0.5, 0.74, 0.75, 0.76, 1)], [1, 2, 2, 3, 3, 4, 4])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tuner", required=True)
    given, rest = parser.parse_known_args()
    Quality.tuner = given.tuner
    unittest.main(argv=[sys.argv[0], *rest])
