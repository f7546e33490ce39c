#!/usr/bin/env python3
"""Makes the wheel of an installation, installs it into an empty folder, and uses it with a real interpreter: a run, results
as columns, the best of them, ask and tell, tuning in idle time."""

import argparse
import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

OPTIONS = None
STUDY = """schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{n: 1000}, {n: 2000}]
parameters: {TILE: [2, 4, 8, 16], FORM: [plain, fancy]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"]}
arguments:
  - {name: x, type: float32, shape: [n], role: inout, fill: {constant: 1}}
  - {name: n, type: int32, value: n}
backend: cpu
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 2}
"""
KERNEL = """extern "C" __global__ void twice(float* x, int n) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""


def call(*words, cwd=None, **environment):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env={**os.environ, **environment}, text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def install(wheel, target):
    """With pip where there is one; else what pip does, as far as it matters here."""
    if importlib.util.find_spec("pip") is not None:
        call(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", target, wheel)
        return
    with zipfile.ZipFile(wheel) as packed:
        for entry in packed.infolist():
            path = packed.extract(entry, target)
            if entry.external_attr >> 16 & stat.S_IXUSR:
                os.chmod(path, 0o755)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="tuner-wheel-"))
        prefix = cls.folder / "prefix"
        call("cmake", "--install", OPTIONS.build, "--prefix", prefix)
        cls.wheel = Path(call(sys.executable, OPTIONS.script, "--program", prefix, "--library",
                              prefix / "lib/libtuner.so", "--to", cls.folder).strip())
        shutil.rmtree(prefix)  # the wheel stands by itself
        cls.site = cls.folder / "site"
        install(cls.wheel, cls.site)
        (cls.folder / "study.yaml").write_text(STUDY)
        (cls.folder / "twice.cu").write_text(KERNEL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def python(self, program):
        environment = {"PYTHONPATH": str(self.site)}
        if OPTIONS.preload:
            environment |= {"LD_PRELOAD": OPTIONS.preload, "ASAN_OPTIONS": "detect_leaks=0"}
            # The program has its sanitizers within: it starts without the preloaded ones.
            program = "import os; os.environ.pop('LD_PRELOAD')\n" + program
        return call(sys.executable, "-c", program, cwd=self.folder, **environment)

    def test_the_record_names_every_file_with_its_digest(self):
        with zipfile.ZipFile(self.wheel) as packed:
            names = set(packed.namelist())
            (record,) = [name for name in names if name.endswith("RECORD")]
            rows = list(csv.reader(io.StringIO(packed.read(record).decode())))
            self.assertEqual({row[0] for row in rows}, names)
            for name, digest, size in rows:
                if name == record:
                    continue
                data = packed.read(name)
                made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), ("sha256=" + made, str(len(data))), name)

    def test_its_name_says_for_which_machines_it_is(self):
        with zipfile.ZipFile(self.wheel) as packed:
            (metadata,) = [packed.read(name).decode() for name in packed.namelist() if name.endswith("METADATA")]
            self.assertIn("tuner/py.typed", packed.namelist())
        self.assertIn("License: MIT\n", metadata)
        self.assertIn("Requires-Dist: mcp>=2; extra == 'mcp'\n", metadata)
        self.assertIn("\n\n# Python\n", metadata)
        self.assertRegex(self.wheel.name, r"^tuner-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl$")

    def test_a_run_and_its_results_as_columns_and_the_best_of_them(self):
        out = self.python("""
import tuner
heard = []
found = tuner.run("study.yaml", evaluations=8, folder="ran", on_trial=lambda trial: heard.append(trial))
assert len(heard) == 16, len(heard)
assert {trial["state"] for trial in heard} <= {"ok", "dropped"}, heard
columns = tuner.columns(found["results"][0])
assert sorted(set(columns["TILE"])) == [2, 4, 8, 16] and len(columns["time_ms"]) == 8, columns
best = tuner.select(found, size={"n": 1000})
assert best["rank"] == 1 and best["time_ms"] == columns["time_ms"][0]
assert tuner.select(found, size={"n": 1000}, TILE=4)["configuration"]["TILE"] == 4
assert tuner.select(found, size={"n": 1000}, TILE=5) is None
assert tuner.select(found, size={"n": 5})["size"] == {"n": 1000}
assert tuner.select(found, size={"n": 5}, nearest=False) is None
assert tuner.defines(found, best)[0].startswith("-DTUNE_TILE=") and len(tuner.table(found)) == 16
assert "TUNE_" not in tuner.export("study.yaml", "csv", "ran", size="n=1000")
print(tuner.__version__)
for wrong in ({}, {"TLE": 4}, {"size": {"m": 1}}, {"device": "abacus"}):
    try:
        tuner.select(found, **wrong)
    except tuner.Error as error:
        print(error)
""")
        self.assertIn("several sizes or devices fit; say which: n1000 on ", out)
        self.assertTrue(self.wheel.name.startswith(f"tuner-{out.split()[0]}-"), out)
        self.assertIn("there is no parameter 'TLE'; did you mean 'TILE'?", out)
        self.assertIn("the size needs n, not m", out)
        self.assertIn("there is no device 'abacus'; there are: ", out)

    def test_a_run_ends_when_its_listener_says_so_or_fails(self):
        out = self.python("""
import tuner
heard = []
tuner.run("study.yaml", evaluations=8, folder="ended", on_trial=lambda trial: heard.append(trial) or len(heard) == 2)
assert len(heard) < 16, heard
def fails(trial):
    raise KeyboardInterrupt("enough")
try:
    tuner.run("study.yaml", evaluations=8, folder="failed", on_trial=fails)
except KeyboardInterrupt as error:
    print("interrupted:", error)
""")
        self.assertEqual(out, "interrupted: enough\n")

    def test_ask_and_tell(self):
        self.python("""
import tuner
with tuner.Search("study.yaml", strategy="genetic", seed=3) as search:
    for number, configuration in search:
        search.tell(number, abs(configuration["TILE"] - 8) + len(configuration["FORM"]))
    assert search.best() == ({"TILE": 8, "FORM": "plain"}, 5.0), search.best()
""")

    def test_tuning_in_idle_time_on_memory_of_the_interpreter(self):
        self.python("""
import ctypes, time, tuner
x = (ctypes.c_float * 1000)(*[3.0] * 1000)
buffers = {"x": (ctypes.addressof(x), ctypes.sizeof(x))}
with tuner.Tuning("study.yaml", evaluations=4, folder="tuned") as tuning:
    tuning.add("n=1000", buffers)
    while not (progress := tuning.step(10)).done:
        if progress.waiting: time.sleep(0.001)
    assert progress.trials == 4, progress.trials
    configuration, milliseconds = tuning.best("n=1000")
    assert milliseconds > 0
    assert set(x) == {3.0}
    assert tuning.launch("n=1000", buffers) and set(x) == {6.0}
    try:
        tuning.add("n=2000", buffers)
    except tuner.Error as error:
        assert str(error) == "argument 'x' has 4000 bytes; n=2000 needs 8000", error
    else:
        raise AssertionError("too little data was taken")
""")

    def test_the_interpreters_own_launches(self):
        self.python("""
import tuner
def launch(size, configuration):
    if configuration["TILE"] == 2: raise ValueError("wrong answer")
    return {4: 3.0, 8: 1.0, 16: 2.0}[configuration["TILE"]]
with tuner.Tuning("study.yaml", launch=launch) as tuning:
    tuning.add("n=1000")
    while not tuning.step(10).done: pass
    configuration, milliseconds = tuning.best("n=1000")
    assert configuration["TILE"] == 8 and milliseconds == 1.0
""")

    def test_mistakes_are_told_in_the_words_of_the_program(self):
        out = self.python("""
import tuner
for wrong in (lambda: tuner.run("nothing.yaml"), lambda: tuner.run("study.yaml", backend="abacus"),
              lambda: tuner.Tuning("study.yaml", backend="abacus")):
    try:
        wrong()
    except tuner.Error as error:
        print(error)
""")
        self.assertIn("nothing.yaml", out)
        self.assertIn("there is no backend 'abacus'; there are: ", out)

    def test_the_program_is_there_too(self):
        self.assertIn("default", self.python(
            "import sys, tuner; sys.argv = ['tuner', 'list', 'strategies']; tuner._main()"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--preload", default="")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest], verbosity=2)
