#!/usr/bin/env python3
"""The example of examples/library is built against an installation with each compiler that is there: it
asks and is told, runs a study, and exports it. The Python module does the same with a real interpreter."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = None
COMPILERS = ("g++", "clang++")
STUDY = """schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{n: 1000}, {n: 2000}]
parameters: {TILE: [2, 4, 8, 16, 32, 64], FORM: [plain, fancy]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"]}
arguments:
  - {name: x, type: float32, shape: [n], role: inout, fill: {constant: 1}}
  - {name: n, type: int32, value: n}
backend: cpu
search: {strategy: random}
measure: {min_samples: 3, max_samples: 3, finalists: 2}
"""
KERNEL = """extern "C" __global__ void twice(float* x, int n) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""


def call(*words, cwd=None, status=0, **environment):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env={**os.environ, **environment},
                          text=True, capture_output=True)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="tuner-library-"))
        cls.prefix = cls.folder / "prefix"
        call("cmake", "--install", OPTIONS.build, "--prefix", cls.prefix)
        (cls.folder / "study.yaml").write_text(STUDY)
        (cls.folder / "twice.cu").write_text(KERNEL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def built(self, compiler):
        if shutil.which(compiler) is None:
            self.skipTest(f"no {compiler}")
        build = self.folder / compiler
        if not build.exists():
            call("cmake", "-S", OPTIONS.examples, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_CXX_COMPILER={compiler}",
                 f"-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror {OPTIONS.flags}")
            call("cmake", "--build", build)
        return build / "self_tuning"

    def test_a_program_asks_and_runs_and_exports_without_any_word_of_the_library(self):
        for compiler in COMPILERS if not OPTIONS.flags else COMPILERS[1:]:
            with self.subTest(compiler):
                done = call(self.built(compiler), "study.yaml", f"results-{compiler}",
                            cwd=self.folder)
                lines = done.stdout.split("\n")
                self.assertTrue(lines[0].startswith("asked and told: TILE=16 "), done.stdout)
                self.assertIn("n1000: TILE=", lines[1])
                self.assertIn("n2000: TILE=", lines[2])
                self.assertIn("bytes of JSON", lines[3])
                self.assertEqual(done.stderr, "")

    def test_a_program_tunes_its_products_while_it_multiplies(self):
        share = self.prefix / "share/tuner"
        shutil.copytree(share / "kernel_sources", self.folder / "kernel_sources", dirs_exist_ok=True)
        (self.folder / "spaces").mkdir(exist_ok=True)
        study = self.folder / "spaces/matmul.yaml"
        study.write_text((share / "search_spaces/matmul.yaml").read_text().replace(
            "FORM: [naive, shared, registers, warptile]", "FORM: [naive, shared]"))
        for compiler in COMPILERS if not OPTIONS.flags else COMPILERS[1:]:
            with self.subTest(compiler):
                program = self.built(compiler).with_name("tuned_products")
                # As for unit.cpu: variants that were unloaded confuse clang 14's leak check.
                done = call(Path(OPTIONS.examples) / "tuned_products.sh", self.prefix, program,
                            ASAN_OPTIONS="intercept_tls_get_addr=0:detect_leaks=0", STUDY=str(study), EVALUATIONS="4", SIZES="M=32,N=32,K=32;M=48,N=16,K=32", JOBS="2")
                self.assertRegex(done.stdout, r"(?m)^M=32,N=32,K=32: [0-9.]+ ms, right$")
                self.assertRegex(done.stdout, r"(?m)^M=48,N=16,K=32: [0-9.]+ ms, right$")
                self.assertRegex(done.stdout, r"(?m)^95 % of the offline speed: ")

    def test_the_library_exports_its_own_names_only(self):
        names = call("nm", "-D", "-C", "--defined-only", self.prefix / "lib/libtuner.so").stdout
        found = {line.split(maxsplit=2)[2] for line in names.split("\n") if line}
        strange = [name for name in found if "libtuner::" not in name and
                   not name.startswith(("tuner_search_", "tuner_tuning_", "tuner_own_")) and
                   name not in ("tuner_run", "tuner_results", "tuner_recording", "tuner_write_file",
                                    "tuner_after_samples")]
        self.assertEqual(strange, [])

    def python(self, program, status=0):
        environment = {"PYTHONPATH": str(self.prefix / "lib/tuner/python")}
        if OPTIONS.preload:
            environment |= {"LD_PRELOAD": OPTIONS.preload, "ASAN_OPTIONS": "detect_leaks=0"}
        return call(sys.executable, "-c", program, cwd=self.folder, status=status, **environment)

    def test_python_asks_and_tells_and_two_searches_do_not_meet(self):
        done = self.python("""
import tuner
with tuner.Search("study.yaml", strategy="exhaustive") as one, tuner.Search("study.yaml") as two:
    asked = []
    for number, configuration in one:
        asked.append((configuration["TILE"], configuration["FORM"]))
        if configuration["TILE"] == 2: one.fail(number)
        else: one.tell(number, abs(configuration["TILE"] - 16) + len(configuration["FORM"]))
    assert len(asked) == len(set(asked)) == 12, asked
    configuration, value = one.best()
    assert configuration["TILE"] == 16 and value == 5, (configuration, value)
    assert two.best() is None
try:
    tuner.Search("study.yaml", strategy="genetics")
except tuner.Error as error:
    print(error)
""")
        self.assertIn("there is no strategy 'genetics'; there are: ", done.stdout)
        self.assertIn("did you mean 'genetic'?", done.stdout)

    def test_python_reads_stored_results_as_columns(self):
        call(self.prefix / "bin/tuner", "run", "study.yaml", "--size", "n=1000", "--budget", "4",
             "--results", "stored", cwd=self.folder)
        done = self.python("""
import json, tuner
(result,) = tuner.results("study.yaml", "stored")["results"]
print(json.dumps(tuner.columns(result)))
""")
        columns = json.loads(done.stdout)
        self.assertEqual(len(columns["TILE"]), 4)
        self.assertEqual(columns["state"].count("compile"), 0)
        self.assertEqual(columns["rank"][0], 1)


    def test_python_refuses_calls_of_what_is_closed_or_cannot_be(self):
        self.python("""
import copy, threading, tuner
def said(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except tuner.Error as error:
        return str(error)
    raise AssertionError((function, arguments, named))
search = tuner.Search("study.yaml")
number, _ = search.ask()
search.close()
search.close()
for call in (search.ask, search.best, lambda: search.tell(number, 1), lambda: search.fail(number), lambda: list(search)):
    assert said(call) == "this Search is closed", said(call)
assert said(tuner.Search.__new__(tuner.Search).best) == "this Search is closed"
for bad in (-1, 2**64, 1.5, "x", None):
    assert "seed is" in said(tuner.Search, "study.yaml", seed=bad)
    assert "evaluations is" in said(tuner.run, "study.yaml", evaluations=bad)
    assert bad is None or "jobs is" in said(tuner.run, "study.yaml", jobs=bad)
    assert "device is" in said(tuner.Tuning, "study.yaml", device=bad)
for bad in (-1, float("nan"), "x", None):
    assert "seconds is" in said(tuner.run, "study.yaml", seconds=bad)
assert "zero byte" in said(tuner.Search, "study.yaml\\0x")
try:
    copy.copy(search)
except TypeError as error:
    assert "cannot be copied" in str(error)
with tuner.Search("study.yaml", strategy="exhaustive") as search:
    for told in (float("nan"), float("-inf"), 3, 2, float("inf")):
        search.tell(search.ask()[0], told)
    assert search.best()[1] == 2
    assert "value is" in said(search.tell, 1, "x") and "number is" in said(search.tell, -1, 1)
    asked, lock = [], threading.Lock()
    def ask():
        for _ in range(3):
            question = search.ask()
            with lock:
                asked.append(question)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for one in threads: one.start()
    for one in threads: one.join()
    numbers = [one[0] for one in asked if one]
    assert len(numbers) == len(set(numbers)), numbers
inner = []
def launch(size, configuration):
    inner.append(said(tuning.close))
    tuning.best(size)
    return configuration["TILE"]
tuning = tuner.Tuning("study.yaml", launch=launch, evaluations=2)
assert "(address, bytes)" in said(tuning.add, "n=1000", {"x": 5})
assert "milliseconds" in said(tuning.step, float("nan"))
tuning.add("n=1000")
while not tuning.step(5).done: pass
assert inner and "is at work" in inner[0], inner
assert tuning.best("n=1000")
tuning.close()
for call in (lambda: tuning.add("n=1000"), lambda: tuning.step(1), lambda: tuning.best("n=1000"),
             lambda: tuning.launch("n=1000", {})):
    assert said(call) == "this Tuning is closed"
with tuner.Tuning("study.yaml", backend="cpu", folder="idle") as tuning:
    assert "has the address 0" in said(tuning.add, "n=1000", {"x": (0, 4000)})
def interrupted(size, configuration):
    raise KeyboardInterrupt("enough")
with tuner.Tuning("study.yaml", launch=interrupted) as tuning:
    tuning.add("n=1000")
    try:
        tuning.step(1000)
    except KeyboardInterrupt as error:
        assert str(error) == "enough"
    else:
        raise AssertionError("not interrupted")
""")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--preload", default="")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest], verbosity=2)
