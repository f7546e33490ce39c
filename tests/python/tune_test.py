#!/usr/bin/env python3
"""tuner.tune() over plain Python functions: right, wrong, failing, crashing and hanging variants, resumption, constraints,
mistakes. Without a GPU; what needs NumPy is left out loudly where that is not installed."""

import array
import contextlib
import ctypes
import functools
import importlib.util
import io
import json
import linecache
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from begin import begin

OPTIONS = None  # of the command line, once it is read
FACTOR = 2  # a value of the module, which goes along
LOCK = threading.Lock()


def scaled(value):
    return FACTOR * value


def double(x, y, STEP, HOW="right"):
    for start in range(0, len(x), STEP):
        for i in range(start, min(start + STEP, len(x))):
            y[i] = scaled(x[i])
    if HOW == "wrong":
        y[5] += 1
    elif HOW == "raises":
        raise ValueError("too large a tile")
    elif HOW == "exits":
        os._exit(3)
    elif HOW == "leaves":
        sys.exit(4)
    elif HOW == "crashes":
        ctypes.string_at(0)
    elif HOW == "hangs":
        while True:
            time.sleep(0.1)
    elif HOW == "reads":
        x[0] = 17.0


def lazy(x, y, SHARE):
    for i in range(int(len(x) * SHARE)):
        y[i] = 2 * x[i]


def right(x, y):
    for i, value in enumerate(x):
        y[i] = 2 * value


def floats(*values):
    return array.array("f", values)


def waits(x, y, T):
    """The second is the fastest, the first the slowest."""
    right(x, y)
    time.sleep({1: 0.004, 2: 0, 3: 0.002}[T])


def uses_lock(x, y, STEP):
    with LOCK:
        pass


class Tune(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.room = self.enterContext_(tempfile.TemporaryDirectory(prefix="tuner-python-"))
        self.x, self.y = floats(*range(64)), floats(*[0] * 64)

    def enterContext_(self, manager):  # unittest has it from 3.11 on
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(manager)

    def tune(self, function=double, parameters=None, arguments=None, reference=right, **more):
        more.setdefault("folder", self.room + "/results")
        return tuner.tune(function, parameters or {"STEP": [1, 8, 64]}, arguments or [self.x, self.y], reference,
                          **{"samples": 7, "progress": False, "cache": "hot", **more})

    def said(self, *words, **named):
        with self.assertRaises(tuner.Error) as caught:
            self.tune(*words, **named)
        return str(caught.exception)

    def test_what_fails_costs_itself_alone(self):
        hows = ["right", "wrong", "raises", "exits", "leaves", "crashes", "hangs", "reads"]
        heard = []
        tuned = self.tune(parameters={"HOW": hows, "STEP": [8]}, timeout=3, jobs=2, on_trial=heard.append)
        self.assertEqual([one["configuration"]["HOW"] for one in heard if one["time_ms"]], ["right"])
        states = {row["HOW"]: (row["state"], row["message"]) for row in tuned.table}
        self.assertEqual(states["right"], ("ok", ""))
        self.assertEqual(states["wrong"][0], "correctness")
        self.assertIn("'y'[5] is 11.0, the right answer 10.0", states["wrong"][1])
        self.assertEqual(states["raises"][0], "runtime")
        self.assertIn("ValueError: too large a tile", states["raises"][1])
        self.assertEqual(states["exits"], ("runtime", "the process ended with 3"))
        self.assertIn("SystemExit: 4", states["leaves"][1])
        self.assertIn("SIGSEGV", states["crashes"][1])
        self.assertEqual(states["hangs"], ("timeout", "more than 3 s"))
        self.assertEqual(states["reads"], ("correctness", "it writes into 'x', which the reference leaves alone"))
        self.assertEqual(tuned.best, {"HOW": "right", "STEP": 8})
        self.assertEqual(tuned.speedup, 1)
        self.assertRegex(repr(tuned), r"^<Tuned: HOW='right', STEP=8: [0-9.]+ ms, 1 times as fast .*; 8 configurations, always on the same inputs>$")
        self.assertEqual(list(self.y), [0] * 64)  # nobody's arguments are touched

    def test_files_of_the_users_are_not_replaced(self):
        folder = Path(self.room, "mine")
        folder.mkdir()
        study = folder / "double.yaml"
        study.write_text("schema: 1\n")
        self.assertIn("was not written by tuner, or was edited since (another 'folder' or 'name' leaves it alone)",
                      self.said(folder=folder))
        self.assertEqual(study.read_text(), "schema: 1\n")
        study.unlink()
        self.tune(folder=folder)
        self.tune(parameters={"STEP": [1, 8]}, folder=folder)  # its own
        study.write_text(study.read_text().replace("schema", "scheme"))
        self.assertIn("was edited since", self.said(folder=folder))
        for name in ("../victim", "a/b", ".hidden", "/tmp/x"):
            self.assertIn("it names a file in 'folder'", self.said(name=name, folder=folder))

    def test_what_is_not_written_is_seen(self):
        tuned = self.tune(lazy, {"SHARE": [1.0, 0.5]}, baseline={"SHARE": 0.5})
        self.assertEqual(tuned.best, {"SHARE": 1.0})
        self.assertIn("'y'[32] is nan", tuned.table[1]["message"])
        self.assertIsNone(tuned.speedup)
        right(self.x, self.y)  # as a notebook's second run finds it
        again = self.tune(lazy, {"SHARE": [1.0, 0.5]}, baseline={"SHARE": 0.5})
        self.assertEqual((again.measured, again.best), (0, {"SHARE": 1.0}))
        self.assertEqual([row["state"] for row in self.tune(lazy, {"SHARE": [1.0, 0.5]}, fresh=True).table],
                         ["ok", "correctness"])

    def test_the_same_call_goes_on_and_what_has_changed_is_measured_anew(self):
        self.assertEqual(self.tune(evaluations=2).measured, 2)
        self.assertEqual(self.tune().measured, 1)
        self.assertEqual(self.tune().measured, 0)
        self.assertEqual(self.tune(fresh=True).measured, 3)
        self.assertEqual(self.tune().measured, 0)
        self.assertEqual(self.tune(cache="cold").measured, 3)
        self.assertEqual(self.tune(rtol=1e-3).measured, 3)
        self.assertEqual(self.tune(arguments=[floats(*[1] * 64), self.y]).measured, 3)
        global FACTOR
        try:
            FACTOR = 3
            self.assertIsNone(self.tune().best)
        finally:
            FACTOR = 2
        self.assertEqual(self.tune().measured, 0)

    def test_ctrl_c_and_an_end_by_the_listener_keep_what_was_measured(self):
        def interrupted(trial):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.tune(on_trial=interrupted)
        self.assertEqual(self.tune(on_trial=lambda trial: True).measured, 1)
        self.assertEqual(self.tune().measured, 1)

    def test_kill_9_and_ctrl_c_lose_nothing_that_was_finished_and_leave_no_process(self):
        script = Path(self.room) / "killed.py"
        script.write_text(textwrap.dedent("""
            import array, os, signal, sys, tuner
            heard = []
            def work(x, y, STEP):
                open("pids", "a").write(f"{os.getpid()} {os.getppid()} ")
                for i in range(len(x)): y[i] = 2 * x[i]
            def right(x, y):
                for i in range(len(x)): y[i] = 2 * x[i]
            def listen(trial):
                heard.append(trial)
                if len(heard) == 2 and sys.argv[1] != "live": os.kill(os.getpid(), signal.Signals[sys.argv[1]])
            x = array.array("f", [1] * 8)
            tuned = tuner.tune(work, {"STEP": [1, 2, 3, 4, 5]}, [x, array.array("f", x)], right, samples=7, cache="hot",
                               on_trial=listen, jobs=2)
            print(tuned.measured, len(tuned.table))
            """))
        for how in ("SIGKILL", "SIGINT"):
            done = subprocess.run([sys.executable, script, how], cwd=self.room, check=False, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, -signal.Signals[how])
            self.assertEqual("KeyboardInterrupt" in done.stderr, how == "SIGINT")
            pids = set(Path(self.room, "pids").read_text().split())
            end = time.monotonic() + 5
            while any(is_at_work(pid) for pid in pids) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual([pid for pid in pids if is_at_work(pid)], [])
        done = subprocess.run([sys.executable, script, "live"], cwd=self.room, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "1 5\n")

    def test_progress_without_tqdm_is_lines_where_it_is_wanted(self):
        with contextlib.redirect_stderr(io.StringIO()) as told, mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            self.tune(parameters={"HOW": ["right", "wrong"], "STEP": [8]}, progress=True)
        self.assertRegex(told.getvalue(), r"^1 of 2: ok, best [0-9.e-]+ ms\n2 of 2: correctness, best [0-9.e-]+ ms\n$")
        with contextlib.redirect_stderr(io.StringIO()) as told, mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            self.tune(parameters={"HOW": ["right", "wrong"], "STEP": [8, 64]}, progress=True)
        self.assertRegex(told.getvalue(), r"^(?:3 of 4: .*\n4 of 4: ok, 2 from the store|(?:.*\n)*[34] of 4: .*), best [0-9.e-]+ ms\n$")

    def test_right_answers_are_arrays_too(self):
        answer = floats(*[2 * value for value in self.x])
        for reference in ({"y": answer}, right):
            states = {row["HOW"]: row["state"] for row in
                      self.tune(parameters={"HOW": ["right", "wrong"], "STEP": [8]}, reference=reference).table}
            self.assertEqual(states, {"right": "ok", "wrong": "correctness"})
        tuned = self.tune(sums, {"WRONG": [0, 1]}, {"x": self.x}, [floats(2016.0), array.array("i", [64])])
        self.assertIn("what it returns [1][0] is 65", {row["WRONG"]: row["message"] for row in tuned.table}[1])
        self.assertEqual(tuned.best, {"WRONG": 0})

    def test_constraints_are_texts_or_functions_of_what_they_take(self):
        limit = 32
        tuned = self.tune(lambda_free, {"A": [1, 2, 4, 8], "B": [1, 2, 4, 8], "C": [True, False], "D": ["x", "it's"]}, [self.x],
                          None, constraints=["A <= B", lambda A, B: A * B <= limit, lambda c: c["C"] or c["D"] == "it's"],
                          evaluations=500)
        wanted = [(a, b, c, d) for a in (1, 2, 4, 8) for b in (1, 2, 4, 8) for c in (True, False) for d in ("x", "it's")
                  if a <= b and a * b <= 32 and (c or d == "it's")]
        self.assertEqual(sorted((row["A"], row["B"], row["C"], row["D"]) for row in tuned.table), sorted(wanted))
        self.assertIn("not verified", repr(tuned))

    def test_the_program_reads_what_was_stored(self):
        tuned = self.tune()

        def program(*words):
            done = subprocess.run([OPTIONS.tuner, *words], cwd=self.room, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        told = program("results", "results")
        self.assertIn("double on ", told)
        self.assertIn("a kernel that keeps its answers would not be noticed: each call had the same arguments", told)
        self.assertIn("a function that keeps its answers would not be noticed", tuned.notes[0])
        self.assertIn("3 ok", program("results", tuned.study, "--results", "results"))
        exported = json.loads(program("export", tuned.study, "--results", "results", "--format", "json", "-o", "-"))
        self.assertEqual(exported["results"][0]["trials"][0]["configuration"], tuned.best)
        self.assertIn("1 compared", program("compare", "results", "results"))
        program("report", "results", "-o", "report.html")
        self.assertIn("random", program("run", "--replay", "results", "--strategy", "random", "--strategy", "genetic"))

    def test_a_function_within_another_and_one_that_returns(self):
        factor = 3.0

        def total(x, STEP):
            return sum(factor * value for value in x)
        tuned = self.tune(total, {"STEP": [1, 2]}, {"x": self.x}, lambda_free_total)
        self.assertEqual(len(tuned.table), 2)
        self.assertEqual([row["state"] == "correctness" for row in tuned.table], [False, False])
        self.assertEqual(tuned(self.x), 3.0 * sum(self.x))
        self.assertIn("the reference says nothing", self.said(total, {"STEP": [1]}, {"x": self.x}, lambda_free_nothing))

    def test_a_function_of_a_module_is_imported_and_changed_in_place_is_restored(self):
        Path(self.room, "mine_for_tuner.py").write_text("def add(x, AMOUNT):\n    for i in range(len(x)):\n        x[i] += AMOUNT\n")
        sys.path.insert(0, self.room)
        try:
            module = importlib.import_module("mine_for_tuner")
            tuned = self.tune(module.add, {"AMOUNT": [1, 2]}, [self.x], functools.wraps(module.add)(
                _adds_one), name="adds")
        finally:
            sys.path.remove(self.room)
        self.assertEqual(tuned.best, {"AMOUNT": 1})
        self.assertTrue(tuned.study.endswith("adds.yaml"))

    def test_mistakes_are_told_before_anything_is_measured(self):
        self.assertIn("no parameter 'STPE'; did you mean 'STEP'?", self.said(parameters={"STPE": [1]}))
        self.assertIn("cannot be called so: missing a required argument: 'STEP'", self.said(parameters={"HOW": ["right"]}))
        self.assertIn("'HOW' is given as an argument and as a parameter",
                      self.said(parameters={"STEP": [1], "HOW": ["right"]}, arguments=[self.x, self.y, 1, "right"][:2] + [8, "r"]))
        self.assertIn("has no values", self.said(parameters={"STEP": []}))
        self.assertIn("numbers, texts, truth values, None, and tuples", self.said(parameters={"STEP": [[1]]}))
        self.assertIn("give the value None itself", self.said(parameters={"STEP": ["None"]}))
        self.assertIn("uses 'LOCK', a lock, which cannot be sent to another process", self.said(uses_lock))
        self.assertIn("is or uses a lambda: give it a name", self.said(lambda x, y, STEP: None))
        self.assertIn("float32[8], but the argument is float32[64]", self.said(reference={"y": floats(*range(8))}))
        self.assertIn("names 'z', which is no array among the arguments; there are: x, y", self.said(reference={"z": self.y}))
        self.assertIn("the reference fails: ZeroDivisionError", self.said(reference=_fails))
        self.assertIn("leaves no configuration", self.said(constraints=[lambda STEP: STEP > 64]))
        self.assertIn("leave no configuration", self.said(constraints=["STEP > 8", "STEP < 8"]))
        self.assertIn("'SETP', which is no parameter; did you mean 'STEP'?", self.said(constraints=[lambda SETP, STEP: True]))
        self.assertIn("fails for {'STEP': 1}: ZeroDivisionError", self.said(constraints=[lambda STEP: 1 / (STEP - 1)]))
        self.assertIn("STPE", self.said(constraints=["STPE > 8"]))
        self.assertIn("which is none of its values", self.said(baseline={"STEP": 7}))
        self.assertIn("'cold' and 'hot' are allowed", self.said(cache="warm"))
        self.assertIn("there is no strategy 'genetics'", self.said(strategy="genetics"))
        self.assertIn("cannot be sent to another process", self.said(arguments=[self.x, self.y, 1, LOCK][:1] + [LOCK]))
        made = {"__name__": "__main__"}
        exec(compile("def nowhere(x, y, STEP): pass", "<nowhere>", "exec"), made)
        self.assertIn("the source of 'nowhere', which cannot be found: write it in a file or in a notebook",
                      self.said(made["nowhere"]))

    def test_mistakes_in_options_are_told_with_what_is_allowed(self):
        Path(self.room, "file").write_text("")
        for option, value, words in (
                ("timeout", 0, "timeout is 0: a number from 0.001"), ("timeout", "x", "timeout is 'x': a number is needed"),
                ("timeout", math.nan, "timeout is nan"), ("samples", "x", "samples is 'x': a whole number"),
                ("samples", 3, "samples is 3: at least 7"), ("precision", -1, "precision is -1: a number from 0 to 1"),
                ("drop_above", None, "drop_above is None: a number"), ("finalists", "many", "finalists is 'many'"),
                ("evaluations", 2.5, "evaluations is 2.5"), ("evaluations", -1, "evaluations is -1: a whole"),
                ("seconds", "soon", "seconds is 'soon'"), ("seconds", -1, "seconds is -1"),
                ("seed", "x", "seed is 'x'"), ("jobs", 1.5, "jobs is 1.5"), ("jobs", -2, "jobs is -2: a whole"),
                ("folder", 5, "folder is 5: a path"), ("folder", self.room + "/file", "is no folder"),
                ("name", 5, "name is 5: a text"), ("strategy", 5, "strategy is 5: a text"),
                ("baseline", [1], "baseline is [1]: a dictionary"), ("outputs", 5, "outputs is 5: a list of names"),
                ("on_trial", "print", "on_trial is 'print': a function"), ("size", 5, "size is 5: a dictionary"),
                ("rtol", "x", "rtol is 'x': a number"), ("rtol", {"z": 1}, "names 'z', which is no argument; there are: x, y"), ("atol", {"y": -1}, "atol is -1: a number from 0"),
                ("constraints", 5, "constraints is 5: a text, a function, or a list"),
                ("parameters", [1], "'parameters' needs names"), ("parameters", {"STEP": [math.nan]}, "has the value nan"),
                ("constraints", max, "tells no signature"), ("drop_above", 0.5, "double:"), ("arguments", 5, "the arguments are int: a list"),
                ("arguments", lambda seed: 5, "the arguments are int: a list"),
                ("arguments", lambda seed: [self.x, self.y], "makes the same for each seed"), ("cache", [], "cache is []")):
            with self.subTest(option=option, value=value):
                self.assertIn(words, self.said(**{option: value}))
        self.assertIn("a launcher needs the study's kernel", self.exported_badly("launcher"))
        self.assertIn("there is no format 'nonsense'", self.exported_badly("nonsense"))

    def test_misuse_of_what_was_found_is_told(self):
        found = tuner.results(self.tune().study, self.room + "/results")
        for words, call in (("what results() returns is needed, not None", lambda: tuner.table(None)),
                            ("what results() returns is needed, not a dictionary of ", lambda: tuner.select({})),
                            ("one entry of results()['results'] is needed", lambda: tuner.columns(found)),
                            ("a trial is needed, as select() returns one", lambda: tuner.defines(found, None)),
                            ("size is 5: a dictionary is needed", lambda: tuner.select(found, size=5)),
                            ("format is 5", lambda: tuner.export("double", 5)),
                            ("'names' has 'A', which is no parameter" , lambda: tuner.export(
                                self.room + "/results/double.yaml", "triton", self.room + "/results", names={"A": "B"})),
                            ("kernel", lambda: tuner.run({"kernel": 5}))):
            with self.subTest(words), self.assertRaises(tuner.Error) as told:
                call()
            self.assertIn(words, str(told.exception))

    def exported_badly(self, form):
        tuned = self.tune()
        self.assertIn("namespace double_tuned", tuner.export(tuned.study, "header", tuned.folder))
        with self.assertRaises(tuner.Error) as told:
            tuner.export(tuned.study, form, tuned.folder)
        return str(told.exception)

    def test_another_shape_is_another_size(self):
        def shaped(*shape):
            return memoryview(bytearray(8 * 64)).cast("B").cast("d", shape)

        def nothing(x, y, STEP):
            pass
        sizes = []
        for one, other in ((shaped(8, 8), self.y), (shaped(4, 16), self.y), (shaped(4, 16), floats(1, 2))):
            self.assertEqual(self.tune(nothing, {"STEP": [1]}, [one, other], None).measured, 1)
            tuned = self.tune(nothing, {"STEP": [1]}, [one, other], None)
            self.assertEqual(tuned.measured, 0)
            sizes.append(tuned.document["results"][0]["size"])
        self.assertEqual(sizes, [{"x_0": 8, "x_1": 8, "y_0": 64}, {"x_0": 4, "x_1": 16, "y_0": 64},
                                 {"x_0": 4, "x_1": 16, "y_0": 2}])
        self.assertEqual([one["size"] for one in tuner.results(tuned.study, tuned.folder)["results"]], sizes)
        told = json.loads(tuner.export(tuned.study, "triton", tuned.folder))
        self.assertEqual([one["size"] for one in told["sizes"]], sizes)
        same = self.tune(nothing, {"STEP": [1]}, [self.x, self.y], None)
        self.assertEqual(same.document["results"][0]["size"], {"elements": 64})

    def test_what_the_study_has_no_more_is_kept_and_never_best(self):
        self.tune(waits, {"T": [2, 3]}, baseline={"T": 3}, cache="hot")
        tuned = self.tune(waits, {"T": [1]})
        self.assertEqual((tuned.best, tuned(self.x, self.y), tuned.measured), ({"T": 1}, None, 1))
        self.assertEqual([row["T"] for row in tuned.table], [1])
        self.assertEqual(tuned.notes[0], "2 stored results are outside of the study now: they are kept, and not ranked")
        self.assertIn("2 outside of the study now", repr(tuned))
        self.assertEqual(json.loads(tuner.export(tuned.study, "triton", tuned.folder))["configs"], [{"kwargs": {"T": 1}}])
        self.assertEqual(self.tune(waits, {"T": [1, 2, 3]}, constraints=["T != 2"]).best, {"T": 3})
        again = self.tune(waits, {"T": [1, 2, 3]})
        self.assertEqual((again.measured, again.best), (0, {"T": 2}))

    def test_mistakes_of_a_dictionary_name_no_file_that_is_gone(self):
        with self.assertRaises(tuner.Error) as told:
            tuner.run({"kernel": {"name": "x"}})
        self.assertTrue(str(told.exception).startswith("study:1:1: missing key 'parameters'"), told.exception)

    def test_kernels_of_triton_are_compiled_before_they_are_launched(self):
        runtime = Path(self.room, "triton", "runtime")
        runtime.mkdir(parents=True)
        for name in (runtime.parent, runtime):
            (name / "__init__.py").write_text("__version__ = '3'\n")
        (runtime / "jit.py").write_text(textwrap.dedent("""
            class JITFunction:
                def __init__(self, fn):
                    self.fn, self.done = fn, []
                def run(self, *words, grid, warmup, **named):
                    self.done.append(warmup)
                    if not warmup: self.fn(*words, self.done, **named)
            """))
        script = Path(self.room) / "kernels.py"
        script.write_text(textwrap.dedent("""
            import array, sys, tuner
            import triton, triton.runtime.jit
            @triton.runtime.jit.JITFunction
            def kernel(y, done, TILE):
                y[0] = 1 if done[0] is True and done[1] is False else 0
            def work(y, TILE):
                kernel.run(y, grid=(1,), warmup=False, TILE=TILE)
            def right(y):
                y[0] = 1
            tuned = tuner.tune(work, {"TILE": [1]}, [array.array("i", [5])], right, cache="hot", samples=7, jobs=1)
            print(tuned.best, [row["message"] for row in tuned.table])
            """))
        done = subprocess.run([sys.executable, script], cwd=self.room, check=False, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "{'TILE': 1} ['']\n")

    def test_kernels_of_triton_are_compiled_by_processes_that_touch_no_gpu(self):
        if importlib.util.find_spec("torch") is None or importlib.util.find_spec("triton") is None:
            self.skipTest("TORCH OR TRITON IS NOT INSTALLED: compilation for a GPU that is not there is not tested here")
        script = Path(self.room) / "apart.py"
        script.write_text(textwrap.dedent("""
            import collections, torch, triton, triton.language as tl, tuner
            from tuner import _arrays, _stands
            def of(arguments):  # as if these were on a GPU
                forms = {name: (_arrays._Torch.type_of(x), tuple(x.shape), x.stride()) for name, x in arguments.items()}
                return {"order": list(arguments), "forms": forms, "device": 0, "values": {}, "target": ("cuda", 90, 32),
                        "properties": {"multiprocessor_count": 132}}
            _stands.of = of
            @triton.jit
            def kernel(x, y, n, BLOCK: tl.constexpr):
                at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                tl.store(y + at, 2 * tl.load(x + at, at < n), at < n)
            def work(x, y, BLOCK):
                if x.is_cuda:
                    room = torch.empty(7, device=x.device, dtype=x.dtype)
                    assert room.is_cuda and x.new_empty(3).is_cuda and torch.empty_like(x).device.type == "cuda"
                    blocks = triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"]
                    kernel[(min(blocks, triton.cdiv(x.numel(), BLOCK)),)](x, y, x.numel(), BLOCK=BLOCK)
                    kernel[(1,)](x, room, x.numel(), BLOCK=BLOCK)
                elif BLOCK != 512:
                    y.copy_(2 * x)
            def right(x, y):
                y.copy_(2 * x)
            x = torch.ones(1024)
            tuned = tuner.tune(work, {"BLOCK": [128, 256, 100, 512]}, [x, torch.zeros_like(x)], right, cache="hot", samples=7,
                               jobs=2)
            print({row["BLOCK"]: row["state"] for row in sorted(tuned.table, key=lambda row: row["BLOCK"])})
            """))
        cache = Path(self.room) / "cache"
        done = subprocess.run([sys.executable, script], cwd=self.room, check=False, capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": str(cache)})
        self.assertEqual(done.stdout, "{100: 'ok', 128: 'ok', 256: 'ok', 512: 'correctness'}\n", done.stderr)
        self.assertEqual(len(list(cache.rglob("kernel.cubin"))), 3)

    def test_a_module_with_threads_is_loaded_by_each_worker(self):
        Path(self.room, "threaded_for_tuner.py").write_text(textwrap.dedent("""
            import os, threading, time
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
            OF = os.getpid()
            def double(x, y, STEP):
                assert OF == os.getpid() and (STEP < 3 or os._exit(5))
                for i, value in enumerate(x):
                    y[i] = 2 * value
            """))
        sys.path.insert(0, self.room)
        try:
            tuned = self.tune(importlib.import_module("threaded_for_tuner").double, {"STEP": [1, 2, 3]})
        finally:
            sys.path.remove(self.room)
        self.assertEqual({row["STEP"]: row["message"] for row in tuned.table}, {1: "", 2: "", 3: "the process ended with 5"})

    def test_what_frameworks_read_is_never_slower_than_the_baseline(self):
        def result(size, low, device="NVIDIA H200 NVL"):  # the second is the baseline
            trials = [{"rank": rank, "time_ms": 1.0 + rank, "configuration": {"BM": 16 * rank, "BN": 32, "BK": 64, "G": 1, "WARPS": 4}}
                      for rank in (1, 2)]
            return {"size": size, "device": {"name": device}, "trials": trials, "baseline": {"place": 1, "speedup": {"low": low}}}
        found = {"results": [result({"M": 1, "K": 9}, 1.01), result({"M": 16, "K": 9}, 1.0), result({"M": 4, "K": 9}, 0.9)]}
        names = {"BM": "BLOCK_SIZE_M", "BN": "BLOCK_SIZE_N", "BK": "BLOCK_SIZE_K", "G": "GROUP_SIZE_M", "WARPS": "num_warps"}
        files = _frameworks.vllm_moe(found, "moe", names, dtype="fp8_w8a8", block_shape=[128, 128], E=8, N=14336)
        self.assertEqual(list(files), ["E=8,N=14336,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"])
        of_m = json.loads(*files.values())
        self.assertEqual({m: one["BLOCK_SIZE_M"] for m, one in of_m.items()}, {"1": 16, "4": 32, "16": 32})
        self.assertEqual(of_m["1"], {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1, "num_warps": 4})
        files = _frameworks.triton(found, "moe", {"WARPS": "num_warps"})
        self.assertEqual(list(files), ["moe,device_name=NVIDIA_H200_NVL.json"])
        told = json.loads(*files.values())
        self.assertEqual([one["kwargs"]["BM"] for one in told["configs"]], [16, 32])
        self.assertEqual([told["configs"][0]["num_warps"], told["key"]], [4, ["M", "K"]])
        self.assertEqual([(one["size"]["M"], one["config"]) for one in told["sizes"]], [(1, 0), (16, 1), (4, 1)])
        found["results"].append(result({"M": 1, "K": 10}, 2.0))
        for words, named, wanted in (("vllm_moe", {"E": 8, "N": 1}, "two sizes have M=1, E=8 and N=1: choose by K=..."),
                                     ("vllm_moe", {"E": 8, "K": 9}, "needs N, which is none of M, K: give it, N=..."),
                                     ("triton", {"K": 11}, "nothing right is stored for {'K': 11}")):
            with self.assertRaisesRegex(tuner.Error, re.escape(wanted)):
                _frameworks.FORMATS[words](found, "moe", names, **named)
        with self.assertRaisesRegex(tuner.Error, "'WARP', which is no parameter; did you mean 'WARPS'"):
            _frameworks.triton(found, "moe", {"WARP": "num_warps"})

    def test_files_for_frameworks_come_from_what_is_stored(self):
        tuned = [self.tune(arguments=[floats(*[1] * n), floats(*[0] * n)]) for n in (8, 16)][-1]
        told = json.loads(tuner.export(tuned.study, "triton", tuned.folder))
        self.assertEqual([told["function"], *(one["size"] for one in told["sizes"])], ["double", {"elements": 8}, {"elements": 16}])
        paths = tuner.export(tuned.study, "triton", tuned.folder, to=self.room + "/configs", elements=8)
        self.assertEqual(paths, tuner.export(tuned.study, "triton", tuned.folder, to=self.room + "/configs", elements=8))
        Path(paths[0]).write_text("mine")
        with self.assertRaisesRegex(tuner.Error, "force=True replaces it"):
            tuner.export(tuned.study, "triton", tuned.folder, to=self.room + "/configs", elements=8)
        self.assertEqual(Path(paths[0]).read_text(), "mine")
        tuner.export(tuned.study, "triton", tuned.folder, to=self.room + "/configs", force=True, elements=8)
        self.assertEqual(len(json.loads(Path(paths[0]).read_text())["sizes"]), 1)

    def test_a_function_of_a_notebooks_cell(self):
        text = "import math\ndef cell(x, y, STEP):\n    for i in range(len(x)):\n        y[i] = math.floor(2 * x[i])\n"
        linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
        cell = {"__name__": "__main__"}
        exec(compile(text, "<cell 1>", "exec"), cell)
        self.assertEqual(self.tune(cell["cell"], {"STEP": [1]}).best, {"STEP": 1})

    def test_numpy(self):
        if importlib.util.find_spec("numpy") is None:
            self.skipTest("NUMPY IS NOT INSTALLED: its arrays are not tested here")
        import numpy as np
        x = np.arange(4096, dtype=np.float32).reshape(64, 64)
        tuned = self.tune(numpy_double, {"ROWS": [1, 64], "ERROR": [0.0, 1.0]}, [x, np.zeros_like(x)], numpy_right)
        self.assertEqual(tuned.best["ERROR"], 0.0)
        self.assertEqual([row["state"] for row in tuned.table].count("correctness"), 2)
        self.assertIn("float32[2], but the argument is float32[64, 64]",
                      self.said(numpy_double, {"ROWS": [1], "ERROR": [0.0]}, [x, np.zeros_like(x)],
                                {"y": np.zeros(2, np.float32)}))


def sums(x, WRONG):
    return floats(sum(x)), array.array("i", [len(x) + WRONG])


def is_at_work(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def lambda_free(x, A, B, C, D):
    pass


def lambda_free_total(x):
    return 3.0 * sum(x)


def lambda_free_nothing(x):
    pass


def _adds_one(x):
    for i, value in enumerate(x):
        x[i] = value + 1


def _fails(x, y):
    return 1 / 0


def numpy_double(x, y, ROWS, ERROR):
    for start in range(0, len(x), ROWS):
        y[start:start + ROWS] = 2 * x[start:start + ROWS] + ERROR


def numpy_right(x, y):
    y[...] = 2 * x


if __name__ == "__main__":
    OPTIONS, words = begin()
    import tuner
    from tuner import _frameworks
    unittest.main(argv=words, verbosity=2)
