#!/usr/bin/env python3
"""Captured launches as arguments of tune(), without a GPU: folders as `tuner capture` writes them."""

import gzip
import importlib.util
import json
import struct
import tempfile
import unittest
from pathlib import Path

from begin import begin

X, Y = 0x7E1000000000, 0x7E2000000000


def double(x, y, factor, n, STEP):
    for i in range(0, int(n), STEP):
        y[i:i + STEP] = factor * x[i:i + STEP]


def capture(folder, count=100, **changes):
    """One launch of y = 2 x: x and, 512 bytes on, another array in one allocation, then y, a float and an int."""
    def put(name, numbers):
        (folder / name).write_bytes(gzip.compress(struct.pack(f"<{len(numbers)}f", *numbers)))

    folder.mkdir(exist_ok=True)
    x = [i % 13 + 1.0 for i in range(count)] + [0.0] * (256 - count)
    put("x.gz", x)
    put("y.gz", [0.0] * count)
    put("after-y.gz", [2 * value for value in x[:count]])
    values = [struct.pack("<Q", X), struct.pack("<Q", Y), struct.pack("<f", 2), struct.pack("<i", count),
              struct.pack("<Q", X + 512), struct.pack("<Q", 0)]
    described = {"kernel": {"mangled": "double", "name": "double"}, "geometry": [1, 1, 1, 64, 1, 1, 0],
                 "parameters": [{"offset": 8 * i, "size": len(one), "bytes": one.hex()} for i, one in enumerate(values)],
                 "allocations": [{"address": X, "size": 1024, "file": "x.gz", "written": ""},
                                 {"address": Y, "size": 4 * count, "file": "y.gz", "written": "after-y.gz"}]}
    (folder / "capture.json").write_text(json.dumps({**described, **changes}))
    return folder


ARGUMENTS = {"x": ("float32", (100,)), "y": "float32*", "factor": "float32", "n": "int32"}


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "no NumPy")
class Captured(unittest.TestCase):
    def setUp(self):
        self.at = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, arguments, text, **changes):
        with self.assertRaises(tuner.Error) as raised:
            tuner.captured(capture(self.at / "one", **changes), arguments)
        self.assertIn(text, str(raised.exception))

    def test_arguments_and_answers_are_those_of_the_launch(self):
        launch = tuner.captured(capture(self.at / "one"), ARGUMENTS)
        self.assertEqual((launch.kernel, launch.grid, launch.block), ("double", (1, 1, 1), (64, 1, 1)))
        self.assertEqual(list(launch.arguments), list(ARGUMENTS))
        self.assertEqual((launch.arguments["factor"], launch.arguments["n"]), (2.0, 100))
        self.assertEqual(launch.arguments["x"][3], 4.0)
        self.assertEqual(launch.arguments["y"].any(), False)
        self.assertEqual(list(launch.expected), ["y"])
        self.assertEqual(launch.expected["y"][3], 8.0)

    def test_an_array_without_a_shape_ends_where_another_begins(self):
        launch = tuner.captured(capture(self.at / "one"), {**ARGUMENTS, "x": "float32*", "rest": "float32*"})
        self.assertEqual((launch.arguments["x"].shape, launch.arguments["rest"].shape), ((128,), (128,)))

    def test_tune_runs_on_them_and_compares_with_what_the_program_had(self):
        launch = tuner.captured(capture(self.at / "one"), ARGUMENTS)
        found = tuner.tune(double, {"STEP": [10, 50, 100]}, launch.arguments, launch.expected, folder=str(self.at / "results"),
                           progress=False)
        self.assertIn(found.best["STEP"], [10, 50, 100])
        wrong = {"y": launch.expected["y"] + 1}
        self.assertIsNone(tuner.tune(double, {"STEP": [10, 50]}, launch.arguments, wrong, folder=str(self.at / "wrong"),
                                     progress=False).best)

    def test_what_does_not_fit_the_launch_is_said(self):
        self.refused({**ARGUMENTS, "n": "int64"}, "'n' is 4 bytes in the launch, and int64 has 8")
        self.refused({**ARGUMENTS, "n": "integer"}, "'n': unknown type 'integer'")
        self.refused({**ARGUMENTS, "x": ("float32", (1000,))}, "'x': (1000,) of float32 are 4000 bytes, and 1024 were captured")
        self.refused({**ARGUMENTS, "x": "floaty*"}, "'x': NumPy has no type 'floaty'")
        self.refused({"x": "float32*", "y": "float32*", "factor": "float32*"}, "'factor' is no pointer into memory")
        self.refused({str(i): "int32" for i in range(9)}, "the launch has 6 arguments, and 9 are named")
        self.refused({"x": 3}, "not 3")
        self.refused(ARGUMENTS, "is no capture", parameters=3)

    def test_a_folder_that_is_no_capture_or_is_damaged_is_named(self):
        with self.assertRaisesRegex(tuner.Error, "is no capture"):
            tuner.captured(self.at / "nothing", ARGUMENTS)
        folder = capture(self.at / "torn")
        (folder / "x.gz").write_bytes((folder / "x.gz").read_bytes()[:40])
        with self.assertRaisesRegex(tuner.Error, "x.gz"):
            tuner.captured(folder, ARGUMENTS)


if __name__ == "__main__":
    _, words = begin()
    import tuner
    unittest.main(argv=words)
