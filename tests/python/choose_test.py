#!/usr/bin/env python3
"""Functions that choose their configuration by shape and type, lists of configurations, what is measured first, values that
a study does not know, replays. Without a GPU; what needs NumPy or matplotlib is left out loudly where that is missing."""

import array
import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from begin import begin

needs_numpy = unittest.skipIf(importlib.util.find_spec("numpy") is None, "no NumPy")
needs_matplotlib = unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "no matplotlib")
CALLS = []


def right(x, y):
    for i, value in enumerate(x):
        y[i] = 2 * value


def double(x, y, STEP, HOW="loop"):
    if HOW is None:
        y[0] = 1
        return
    right(x, y)


def shown(x, y, VALUE):
    """Says by its answer which value it was given."""
    y[0] = {None: 1.0, (1, 2): 2.0, (1, (None, "a")): 3.0, "text": 4.0}[VALUE]


def rows(x, y, STEP):
    y[...] = 2 * x


def rows_right(x, y):
    y[...] = 2 * x


def floats(*values, kind="f"):
    return array.array(kind, values)


class Config:
    """As Triton has it."""

    def __init__(self, kwargs, num_warps):
        self.kwargs, self.num_warps = kwargs, num_warps

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps}


def warps(x, y, BLOCK, num_warps):
    right(x, y)


class Room(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="tuner-python-")
        self.addCleanup(room.cleanup)
        self.room = room.name
        self.x, self.y = floats(*range(1, 65)), floats(*[0] * 64)
        self.quick = {"samples": 7, "progress": False, "cache": "hot", "folder": self.room}

    def tune(self, function=double, parameters=None, arguments=None, reference=right, *more, **named):
        return tuner.tune(function, parameters, arguments or [self.x, self.y], reference, *more, **{**self.quick, **named})

    def said(self, call, *words, **named):
        with self.assertRaises(tuner.Error) as caught:
            call(*words, **named)
        return str(caught.exception)


class Asked(Room):
    def test_only_listed_configurations_are_tried(self):
        listed = [{"STEP": 1, "HOW": "a"}, {"STEP": 8, "HOW": "b"}, {"STEP": 8, "HOW": "a"}]
        tuned = self.tune(configurations=listed)
        self.assertEqual(sorted((row["STEP"], row["HOW"]) for row in tuned.table), [(1, "a"), (8, "a"), (8, "b")])
        tuned = self.tune(warps, configurations=[Config({"BLOCK": 64}, 4), Config({"BLOCK": 128}, 8)])
        self.assertEqual(sorted((row["BLOCK"], row["num_warps"]) for row in tuned.table), [(64, 4), (128, 8)])
        for words, configurations, parameters in (
                ("configurations[1] says nothing of 'HOW'", [{"STEP": 1, "HOW": "a"}, {"STEP": 2}], None),
                ("configurations[0] has STEP=7, which is none of its values: [1, 8]", [{"STEP": 7}], {"STEP": [1, 8]}),
                ("configurations is empty", [], None), ("a list of dictionaries is needed", {"STEP": 1}, None),
                ("a dictionary of parameters and values", [1], None), ("a dictionary or None is needed", [{"STEP": 1}], [1]),
                ("takes no parameter 'STPE'; did you mean 'STEP'?", [{"STPE": 1}], None)):
            with self.subTest(words):
                self.assertIn(words, self.said(self.tune, configurations=configurations, parameters=parameters))

    def test_what_is_proposed_is_measured_first(self):
        heard = []
        proposed = [{"STEP": 64}, {"STEP": 32}, {"STEP": 64}]
        self.tune(parameters={"STEP": [1, 2, 4, 8, 16, 32, 64]}, first=proposed, evaluations=4,
                  on_trial=lambda trial: heard.append(trial["configuration"]["STEP"]))
        self.assertEqual((heard[:3], len(heard)), ([1, 64, 32], 4))  # behind the baseline; all count
        self.assertIn("first[0] is {'STEP': 2}, which the constraints, or 'configurations', leave out",
                      self.said(self.tune, parameters={"STEP": [1, 2]}, first=[{"STEP": 2}], constraints=["STEP < 2"]))
        self.assertIn("first[0] names 'STPE', which is no parameter; did you mean 'STEP'?",
                      self.said(self.tune, parameters={"STEP": [1]}, first=[{"STPE": 2}]))

    def test_none_and_tuples_are_values(self):
        values = [None, (1, 2), (1, (None, "a")), "text"]
        for place, value in enumerate(values):
            tuned = self.tune(shown, {"VALUE": values}, reference={"y": floats(place + 1.0, *[0] * 63)}, fresh=True,
                              constraints=[lambda VALUE: VALUE is None or len(VALUE) > 1])
            self.assertEqual(tuned.best, {"VALUE": value})
            self.assertEqual(tuned.baseline, {"VALUE": None})
            self.assertEqual({row["VALUE"]: row["state"] for row in tuned.table},
                             {one: "ok" if one == value else "correctness" for one in values})
            tuned(self.x, self.y)
            self.assertEqual(self.y[0], place + 1.0)
            self.y[0] = 0
        heard = []
        self.tune(shown, {"VALUE": [(1, 2)]}, reference=None, fresh=True, on_trial=heard.append)
        self.assertEqual(heard[0]["configuration"], {"VALUE": (1, 2)})

    def test_typos_in_constraints_are_named(self):
        def said(constraint):
            return self.said(self.tune, parameters={"STEP": [1, 2], "HOW": ["a"]}, constraints=[constraint])
        self.assertIn("takes 'STPE', which is no parameter; did you mean 'STEP'?; so it was given a dictionary of all, and fails",
                      said(lambda STPE: STPE > 1))
        self.assertIn("there is no parameter 'STPE'; did you mean 'STEP'?", said(lambda c: c["STPE"] > 1))

    def test_a_line_shows_total_store_and_time_left_without_tqdm(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        self.tune(parameters={"STEP": [1, 2]})
        with contextlib.redirect_stderr(Terminal()) as told, mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            self.tune(parameters={"STEP": [1, 2, 4, 8, 16]}, progress=None)
        last = told.getvalue().rstrip("\n").split("\r")[-1]
        self.assertRegex(last, r"^double: [45] of 5, (\d from the store, )?00:0\d left, best [0-9.e-]+ ms *$")


class Results(Room):
    def test_importance_is_the_share_of_the_variance_that_a_parameter_explains(self):
        trials = [{"configuration": {"A": a, "B": b}, "state": "ok", "rank": None, "search_ms": time} for a, b, time in
                  ((1, "x", 1.0), (1, "y", 1.0), (2, "x", 4.0), (2, "y", 4.0))]
        tuned = tuner.Tuned({"results": [{"trials": trials}]}, double, "", "", 0, 0, True)
        self.assertEqual(tuned.importance(), {"A": 1.0, "B": 0.0})
        self.assertEqual(tuner.Tuned({"results": []}, double, "", "", 0, 0, True).importance(), {})

    @needs_matplotlib
    def test_a_plot_has_a_panel_for_each_parameter(self):
        import matplotlib
        matplotlib.use("agg")
        figure = self.tune(parameters={"STEP": [1, 2, 4], "HOW": ["a", "b"]}).plot()
        self.assertEqual(sorted(axis.get_xlabel() for axis in figure.axes), ["HOW", "STEP"])

    def test_without_matplotlib_it_is_said(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            self.assertIn("pip install matplotlib", self.said(self.tune(parameters={"STEP": [1]}).plot))

    @needs_numpy
    def test_as_many_elements_in_another_shape_are_another_size(self):
        import numpy as np
        for shape in ((64,), (8, 8), (4, 16)):
            tuned = self.tune(rows, {"STEP": [1, 2]}, [np.ones(shape, "f4"), np.zeros(shape, "f4")], rows_right)
            self.assertEqual(tuned.measured, 2)
        found = tuner.results(tuned.study, self.room)
        self.assertEqual([(one["size"], len(one["trials"])) for one in found["results"]],
                         [({"elements": 64}, 2), ({"x_0": 8, "x_1": 8}, 2), ({"x_0": 4, "x_1": 16}, 2)])

    def test_replays_answer_and_keep_the_clock(self):
        self.tune(parameters={"STEP": [1, 2, 4], "HOW": ["loop", None]})
        recording = tuner.replay(self.room)
        self.assertEqual(recording.parameters, {"STEP": [1, 2, 4], "HOW": ["loop", None]})
        self.assertEqual(len(recording), 6)
        wrong = {"STEP": 1, "HOW": None}
        self.assertIsNone(recording.measure(wrong))
        self.assertIsNone(recording.best)
        times = [recording.measure(one) for one in recording.configurations if one["HOW"] == "loop"]
        self.assertEqual(recording.best[1], min(times))
        seconds = recording.seconds
        self.assertGreater(seconds, 0)
        recording.measure(wrong)
        self.assertEqual((recording.seconds, len(recording.trace)), (seconds, 5))
        self.assertEqual(recording.trace[-1], (4, seconds, min(times)))
        recording.reset()
        self.assertEqual((recording.seconds, recording.best, recording.trace), (0.0, None, []))
        self.assertIn("there is no parameter 'STPE'; did you mean 'STEP'?", self.said(recording.measure, {"STPE": 1}))
        self.assertIn("says nothing of 'HOW'", self.said(recording.measure, {"STEP": 1}))
        self.assertIn("was not recorded", self.said(recording.measure, {"STEP": 3, "HOW": None}))
        self.assertIn("No such file", self.said(tuner.replay, self.room + "/none.json"))

    def test_a_search_says_how_many_configurations_there_are(self):
        with tuner.Search({"parameters": {"A": [1, 2], "B": [1, 2, 3]}, "constraints": ["A < B"],
                           "problem_sizes": [{"n": 1}]}) as search:
            self.assertEqual(len(search), 3)


class Chosen(Room):
    def decorated(self, **more):
        return tuner.tuned({"STEP": [1, 8]}, counted_right, **{"tune": True, **self.quick, **more})(counted)

    def test_a_call_tunes_what_is_not_tuned_yet_and_chooses_afterwards(self):
        kernel = self.decorated()
        for kind, length in (("f", 64), ("f", 32), ("d", 64), ("f", 64)):
            x, y = floats(*[3] * length, kind=kind), floats(*[0] * length, kind=kind)
            kernel(x, y=y)
            self.assertEqual(list(y), [6] * length)
        self.assertEqual(sorted(one for one in os.listdir(self.room) if one.endswith(".yaml")),
                         ["counted.float32.yaml", "counted.float64.yaml"])
        self.assertEqual(repr(kernel), "<tuned counted: 3 choices made>")
        again = self.decorated()
        with mock.patch("tuner._choose.tune_", side_effect=AssertionError("tuned again")):
            again = self.decorated()
            again(self.x, self.y)
        self.assertEqual(again.configuration(self.x, self.y), kernel.configuration(self.x, self.y))

    def test_without_tune_the_nearest_size_is_taken_and_none_is_an_error(self):
        lazy = self.decorated(tune=False)
        self.assertIn("nothing was tuned for 'counted' with float32", self.said(lazy, self.x, self.y))
        self.decorated()(self.x, self.y)
        lazy(floats(*[1] * 100), y := floats(*[0] * 100))
        self.assertEqual(y[99], 2)
        self.assertIn("with float64", self.said(lazy, floats(1, kind="d"), floats(1, kind="d")))

    def test_what_tune_found_is_loaded(self):
        tuned = self.tune(parameters={"STEP": [1, 8]})
        kernel = tuner.load(tuned.study, double)
        self.assertEqual(kernel.configuration(self.x, self.y), tuned.best)
        kernel(self.x, self.y)
        self.assertEqual(self.y[1], 4)
        self.assertIn("there is no such file", self.said(tuner.load, self.room + "/none.yaml", double))

    def test_a_decorated_function_is_tuned_and_loaded_as_what_it_is(self):
        kernel = self.decorated(tune=False)
        tuned = self.tune(kernel, {"STEP": [1, 8]}, reference=counted_right)
        tuned(self.x, self.y)
        self.assertEqual(self.y[1], 4)
        self.assertEqual(tuner.load(tuned.study, kernel).configuration(self.x, self.y), tuned.best)

    def test_values_choose_where_they_are_named(self):
        kernel = self.decorated(key=["x", "n"])
        kernel(self.x, self.y, n=5)
        kernel(self.x, self.y, n=6)
        kernel(self.x, self.y, n="quick")
        self.assertEqual(len(kernel._chosen), 3)
        sizes = tuner.results(self.room + "/counted.float32.yaml", self.room)["results"]
        self.assertEqual([one["size"] for one in sizes], [{"elements": 64, "n": 5}, {"elements": 64, "n": 6}])
        self.assertTrue(Path(self.room, "counted.float32-n_quick.yaml").exists())

    def test_mistakes_are_told_where_the_decorator_stands(self):
        self.assertIn("key names 'z', which is no argument; there are: x, y", self.said(self.decorated, key=["z"]))
        self.assertIn("tuned() takes no 'evalutions'; did you mean 'evaluations'?", self.said(self.decorated, evalutions=5))
        self.assertIn("needs parameters, or configurations", self.said(tuner.tuned, tune=True))
        wrong = tuner.tuned({"STEP": [1]}, reference={"y": floats(*[7] * 64)}, tune=True, **self.quick)(counted)
        self.assertIn("none of 1 configurations is right", self.said(wrong, self.x, self.y))

    def test_a_decorated_function_of_the_main_program_is_sent_without_its_decorator(self):
        script = Path(self.room) / "decorated.py"
        script.write_text("import array, tuner\n"
                          "def right(x, y):\n    for i in range(len(x)): y[i] = 2 * x[i]\n"
                          "@tuner.tuned({'STEP': [1, 2]}, right, tune=True, samples=7, cache='hot',\n             progress=False)\n"
                          "def work(x, y, STEP):\n    for i in range(len(x)): y[i] = 2 * x[i]\n"
                          "x, y = array.array('f', [1, 2]), array.array('f', [0, 0])\n"
                          "work(x, y)\nprint(list(y), work)\n")
        import subprocess
        done = subprocess.run([sys.executable, script], cwd=self.room, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "[2.0, 4.0] <tuned work: 1 choices made>\n", done.stderr)


def counted(x, y, STEP, n=0):
    right(x, y)


def counted_right(x, y, n=0):
    right(x, y)


class Explained(unittest.TestCase):
    def test_every_argument_is_explained(self):
        for function in (tuner.captured, tuner.judge, tuner.tune, tuner.tuned, tuner.load, tuner.replay):
            with self.subTest(function=function.__name__):
                names = [one for one in function.__annotations__ if one != "return"]
                listed = re.findall(r"^    (\w+)(?:, (\w+))?  ", function.__doc__, re.MULTILINE)
                self.assertEqual(sorted(set(names) - {one for pair in listed for one in pair}), [])

    def test_the_package_is_a_program(self):
        import subprocess
        done = subprocess.run([sys.executable, "-m", "tuner", "--version"], capture_output=True, text=True, check=True)
        self.assertIn("tuner", done.stdout)


if __name__ == "__main__":
    _, words = begin()
    import tuner
    unittest.main(argv=words)
