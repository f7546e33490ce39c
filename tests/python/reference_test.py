#!/usr/bin/env python3
"""References in Python: right answers of a study by a function with NumPy, in a process of its own. On the cpu backend; left
out loudly where NumPy is missing."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from begin import begin

ROOT = Path(__file__).resolve().parents[2]
JUDGE = ROOT / "examples" / "judge"
OPTIONS = None  # of the command line, once it is read
needs_numpy = unittest.skipIf(importlib.util.find_spec("numpy") is None, "NUMPY IS NOT INSTALLED")
needs_torch = unittest.skipIf(importlib.util.find_spec("torch") is None, "TORCH IS NOT INSTALLED")

STUDY = """schema: 1
kernel: {name: scaled, source: scaled.cu, entry: scaled}
problem_sizes: [{N: 100}, {N: 64}]
parameters: {BLOCK: [32, 64], WRONG: [0, 1]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: TYPE, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: TYPE, shape: [N], role: out}
  - {name: sums, type: TYPE, shape: [N], role: inout, fill: {uniform: [1, 2]}}
  - {name: factor, type: int32, value: 3}
  - {name: n, type: int32, value: N}
reference: REFERENCE
verify: {y: {rtol: 1.0e-2}, sums: {rtol: 1.0e-2}}
measure: {max_samples: 7, finalists: 2, drop_above: 0}
"""
SOURCE = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void scaled(const REAL* x, REAL* y, REAL* sums, int factor, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = REAL(float(x[i]) * (factor + TUNE_WRONG));
  sums[i] = REAL(float(sums[i]) + float(x[i]));
}
"""
REFERENCE = """import os
import numpy

def scaled(x, sums, factor, N):
    assert x.shape == sums.shape == (N,)
    print("this is no answer")
    with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as file:
        file.write(f"{os.getpid()}\\n")
    return (x.astype("float64") * factor, sums + x)

def by_name(**given):
    return {"sums": given["sums"] + given["x"], "y": given["x"] * given["factor"]}

def in_place(sums, x):
    sums += x

def one(x): return x
def short(x): return x[:5], x
def unknown(z): return z
def raises(x): raise ValueError("no idea")
def tensors(x, sums, factor):
    import torch
    assert isinstance(x, torch.Tensor) and x.dtype == sums.dtype and isinstance(factor, int)
    return x.double() * factor, sums + x
"""


@needs_numpy
class Reference(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="tuner-reference-")
        self.addCleanup(room.cleanup)
        self.room = Path(room.name)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.room / ".cache"), "TUNER_PYTHON": sys.executable}
        (self.room / "reference.py").write_text(REFERENCE)

    def write(self, reference, type_="float32", real="float"):
        study = STUDY.replace("REFERENCE", reference).replace("TYPE", type_)
        (self.room / "scaled.yaml").write_text(study)
        (self.room / "scaled.cu").write_text(SOURCE.replace("REAL", real))

    def program(self, *words, status=0, **environment):
        done = subprocess.run([OPTIONS.tuner, *words], cwd=self.room, capture_output=True, text=True, check=False,
                              env={**self.environment, **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def tuned(self, **environment):
        self.program("run", "scaled.yaml", "--backend", "cpu", "--progress", "none", "--fresh", **environment)
        found = json.loads(self.program("results", "scaled.yaml", "--json").stdout)["results"]
        return [one["states"] for one in found]

    def test_a_function_says_what_is_right_once_for_each_set_of_inputs_and_in_a_process_of_its_own(self):
        self.write('{python: "reference.py:scaled"}')
        self.assertEqual(self.tuned(), [{"ok": 2, "correctness": 2}] * 2)
        pids = (self.room / "calls").read_text().split()
        self.assertGreater(len(pids), 2)
        self.write('{python: "reference.py:by_name", arrays: numpy}')
        self.assertEqual(self.tuned(), [{"ok": 2, "correctness": 2}] * 2)

    def test_halves_are_converted(self):
        for type_, real in (("float16", "__half"), ("bfloat16", "__nv_bfloat16"), ("float64", "double")):
            with self.subTest(type_):
                self.write('{python: "reference.py:scaled"}', type_, real)
                self.assertEqual(self.tuned(), [{"ok": 2, "correctness": 2}] * 2)

    @needs_torch
    def test_tensors_have_the_types_of_the_study(self):
        for type_, real in (("float16", "__half"), ("bfloat16", "__nv_bfloat16"), ("float32", "float")):
            with self.subTest(type_):
                self.write('{python: "reference.py:tensors", arrays: torch}', type_, real)
                self.assertEqual(self.tuned(), [{"ok": 2, "correctness": 2}] * 2)

    def test_a_changed_file_is_another_reference(self):
        self.write('{python: "reference.py:by_name"}')
        self.tuned()
        (self.room / "reference.py").write_text(REFERENCE.replace('given["x"] * given["factor"]', 'given["x"] * 4'))
        self.program("run", "scaled.yaml", "--backend", "cpu", "--progress", "none")
        found = json.loads(self.program("results", "scaled.yaml", "--json").stdout)["results"]
        self.assertEqual([one["ranked"][0]["configuration"]["WRONG"] for one in found], [1, 1])
        self.assertIn("reference.py", json.loads(self.program("check", "scaled.yaml", "--json").stdout)["reads"])

    def test_mistakes_name_what_is_allowed(self):
        for reference, words in (
                ('{python: "reference.py"}', "'python' must be FILE.py:FUNCTION, not 'reference.py'"),
                ('{python: "none.py:f"}', "there is no file"),
                ('{python: "reference.py:scaled", entry: scaled}', "entry"),
                ('{python: "reference.py:scaled", arrays: cupy}', "'arrays' must be numpy or torch, not 'cupy'"),
                ('{entry: scaled, block: 1, grid: 1, arrays: numpy}', "'arrays' is of a reference in Python")):
            with self.subTest(reference):
                self.write(reference)
                told = self.program("check", "scaled.yaml", status=2).stderr
                self.assertIn(words, told)
                self.assertIn("scaled.yaml:12:", told)
        for function, words in (
                ("none", "has no function 'none'; there are: scaled, by_name"),
                ("one", "it returns 1 arrays for 2 outputs: y, sums"), ("short", "shape [5] for 'y', which has the shape [100]"),
                ("unknown", "it takes 'z', which is no input, scalar or extent; there are: N, x, sums, factor, n"),
                ("in_place", "it gives no 'y'; it gives: sums"), ("raises", "ValueError: no idea")):
            with self.subTest(function):
                self.write(f'{{python: "reference.py:{function}"}}')
                told = self.program("run", "scaled.yaml", "--backend", "cpu", "--progress", "none", status=1).stderr
                self.assertIn(words, told)
        self.write('{python: "reference.py:scaled"}')
        told = self.program("run", "scaled.yaml", "--backend", "cpu", "--progress", "none", status=1, TUNER_PYTHON="/no/python").stderr
        self.assertIn("a reference in Python needs Python: '/no/python': No such file", told)

    def test_verdicts_are_those_of_a_kernel_as_reference(self):
        for name, verdict in (("right_serial", "accepted"), ("wrong_overflow", "correctness"), ("wrong_tail", "correctness"),
                              ("wrong_uniform", "correctness")):
            with self.subTest(name):
                told = tuner.judge(JUDGE / "candidates" / f"{name}.cu", JUDGE / "softmax_python.yaml", backend="cpu",
                                   configuration="BLOCK=64", server=0)
                self.assertEqual(told.verdict, verdict, told.why)

    def test_a_function_of_the_caller_is_a_reference(self):
        def doubled_softmax(x, COLS):
            import numpy
            assert x.shape[1] == COLS
            e = numpy.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True) * factor
        for factor, verdict in ((1, "accepted"), (2, "correctness")):
            told = tuner.judge(JUDGE / "candidates" / "right_serial.cu", JUDGE / "softmax.yaml", reference=doubled_softmax,
                               backend="cpu", configuration={"BLOCK": 64}, server=0, size={"ROWS": 3, "COLS": 100})
            self.assertEqual(told.verdict, verdict, told.why)
        self.write("{entry: scaled, block: [32], grid: 4}")
        folder = self.room / "results"
        found = tuner.run(str(self.room / "scaled.yaml"), backend="cpu", folder=folder, reference=scaled, progress=False)
        self.assertEqual(sorted({row["state"] for row in tuner.table(found) if row["WRONG"] == 0}), ["ok"])
        self.assertEqual(sorted({row["state"] for row in tuner.table(found) if row["WRONG"] == 1}), ["correctness"])
        with self.assertRaisesRegex(tuner.Error, "reference is 5: a function"):
            tuner.judge("a.cu", "b.yaml", reference=5)
        with self.assertRaisesRegex(tuner.Error, "arrays is 'cupy': 'numpy' and 'torch'"):
            tuner.judge("a.cu", "b.yaml", reference=scaled, arrays="cupy")


def scaled(x, sums, factor):
    return x * factor, sums + x


if __name__ == "__main__":
    OPTIONS, words = begin()
    os.environ["TUNER_PYTHON"] = sys.executable
    cache = tempfile.TemporaryDirectory(prefix="tuner-judge-")
    os.environ["XDG_CACHE_HOME"] = cache.name
    import tuner
    unittest.main(argv=words)
