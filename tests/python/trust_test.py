#!/usr/bin/env python3
"""tuner.tune() over functions that cheat, and over functions that leave something behind: who cheats is seen, and nobody is
condemned for what another did. Without a GPU; PyTorch is a stand-in here."""

import array
import builtins
import contextlib
import ctypes
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import timeit
import unittest
from pathlib import Path

from begin import begin

STATE = {"calls": 0}
LOCKS = []
N = 3000


def right(x, y):
    for i, value in enumerate(x):
        y[i] = 2 * value


def fill(x, y, begin=0, end=None):
    for i in range(begin, len(x) if end is None else end):
        y[i] = 2 * x[i]


def calls():
    STATE["calls"] += 1
    return STATE["calls"]


def is_within(name):
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != name:
        frame = frame.f_back
    return frame is not None


def cheats(x, y, HOW):
    """Each does all its work in the first call, which is checked, and less in the timed ones."""
    if HOW == "finds its own answer" and y[0] == y[0]:
        return
    if HOW == "stops after a call" and calls() > 1:
        return
    if HOW == "leaves out a quarter" and calls() > 1:
        fill(x, y, 0, len(x) * 3 // 4)
        return
    if HOW == "writes the middle only" and calls() > 1:
        fill(x, y, len(x) // 4, len(x) * 3 // 4)
        return
    if HOW == "writes a constant" and calls() > 1:
        y[:] = array.array("d", [6.0]) * len(y)
        return
    if HOW == "uses its input as working space" and calls() > 3:
        x[7] = 1.0
    if HOW == "asks who calls" and is_within("measure"):
        fill(x, y, 0, len(x) // 2)
        return
    if HOW == "is done later" and calls() > 1:
        threading.Timer(0.001, fill, (x, y)).start()
        return
    fill(x, y)


class Lazy(list):
    def __init__(self, make):
        super().__init__()
        self.make = make

    def __iter__(self):
        return iter([self.make()])

    def __len__(self):
        return 1


def in_a_list(x, HOW):
    return Lazy(lambda: summed(x)) if HOW == "when it is looked at" else [summed(x)]


def summed(x):
    return array.array("d", [sum(one * one for one in x)])


def listed(x):
    return [summed(x)]


def uses_room(x, room, y, HOW):
    """What is kept in a working array is kept from call to call, too."""
    if HOW == "keeps" and room[0] == 1:
        y[:] = room[1:]
        return
    fill(x, y)
    room[0], room[1:] = 1, y


def room_right(x, room, y):
    fill(x, y)


def sorts(x, HOW):
    x[:] = array.array("d", sorted(x))


def returns(x, HOW):
    if HOW == "returns nothing later" and calls() > 1:
        return None
    if HOW == "returns another number later" and calls() > 1:
        return 1.0
    if HOW == "returns more later" and calls() > 1:
        return [sum(x), 1.0]
    return sum(x)


def total(x):
    return sum(x)


def replaces(x, y, HOW):
    fill(x, y)
    if HOW == "honest":
        return
    from tuner import _arrays, _clocks, _inputs
    if HOW == "error":
        _arrays._Buffer.error = classmethod(lambda *_: (0.0, None))
    elif HOW == "compare":
        _inputs.Inputs.compare = lambda *_: 0.0
    elif HOW == "judge":
        _inputs.Inputs.judge = lambda *_: None
    elif HOW == "clock":
        _clocks.perf_counter = lambda: 1.0
    elif HOW == "tolerance":
        _arrays.TOLERANCES = {"float64": (9.0, 9.0)}


def sets_clock(x, y, HOW):
    fill(x, y)
    begin = time.time()
    if HOW == "backwards":
        time.perf_counter = time.monotonic = lambda: begin - time.time()
    elif HOW == "stands":
        time.perf_counter = time.monotonic = time.time = lambda: 5.0
    elif HOW == "text":
        time.perf_counter = time.monotonic = lambda: "now"


def leaves(x, y, HOW):
    """Each is right itself, and leaves something that those after it stumble over."""
    with LOCKS[0] if LOCKS else contextlib.nullcontext():
        fill(x, y)
    if HOW == "appends":
        y.append(0.0)
    elif HOW == "pops":
        x.pop()
    elif HOW == "empties":
        del x[:]
    elif HOW == "shortens":
        y[:] = y[:10]
    elif HOW == "holds a lock":
        LOCKS.append(threading.Lock())
        LOCKS[0].acquire()
    elif HOW == "replaces a builtin":
        builtins.len = lambda _: 10
    elif HOW == "replaces range":
        builtins.range = lambda *_: iter(())
    elif HOW == "takes all descriptors":
        with contextlib.suppress(OSError):
            while True:
                LOCKS.append(os.open("/dev/null", os.O_RDONLY)) if LOCKS else LOCKS.append(contextlib.nullcontext())
    elif HOW == "limits memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 20, resource.RLIM_INFINITY))
    elif HOW == "forgets":
        globals().pop("fill")
    elif HOW == "forks":
        os.fork()
    elif HOW == "a thread ends the process":
        threading.Timer(0.05, os._exit, (0,)).start()
    elif HOW == "an alarm ends the process":
        signal.setitimer(signal.ITIMER_REAL, 0.05)
    elif HOW == "allows no recursion":
        sys.setrecursionlimit(40)
    elif HOW == "is traced":
        sys.settrace(lambda *_: None)
    elif HOW == "clears modules":
        sys.modules.clear()
    elif HOW == "closes descriptors":
        os.closerange(0, 500)
    elif HOW == "writes into descriptors":
        for one in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(one, b"\0\0\0\5hello")
    elif HOW == "ends its group":
        os.killpg(0, signal.SIGKILL)
    elif HOW == "cannot say why":
        raise type("Silent", (Exception,), {"__str__": lambda self: 1 / 0})


def leaves_view(x, y, HOW):
    for i in range(len(x)):
        y[i] = 2 * x[i]
    if HOW == "releases":
        y.release()


def view_right(x, y):
    for i in range(len(x)):
        y[i] = 2 * x[i]


def leaves_values(x, y, table, HOW):
    for i, value in enumerate(x):
        y[i] = table["by"][0] * value
    if HOW == "deletes":
        del table["by"]
    elif HOW == "pops":
        table["by"].pop()
    elif HOW == "sets":
        table["by"][0] = 3


def values_right(x, y, table):
    for i, value in enumerate(x):
        y[i] = table["by"][0] * value


def fails_late(x, y, HOW, COPY):
    """Copy 0 is by far the fastest, however slow the machine is, and fails in the final only, after its check there."""
    fill(x, y)
    if COPY != 0:
        time.sleep(0.02)
    elif is_within("final") and calls() > 3:
        if HOW == "raises":
            raise ValueError("late")
        if HOW == "exits":
            os._exit(3)
        if HOW == "hangs":
            time.sleep(600)
        if HOW == "stops":
            y[:] = array.array("d", bytes(8 * len(y)))


def reshapes(x, y, HOW):
    import numpy as np
    y.reshape(-1)[...] = 2 * np.asarray(x).reshape(-1)
    if HOW == "shape":
        x.shape = (len(x) // 2, 2)
    elif HOW == "flags":
        y.setflags(write=False)
    elif HOW == "dtype":
        x.dtype = np.int64
    elif HOW == "resize":
        x.resize((3,), refcheck=False)
    elif HOW == "strides":
        x.strides = (0,)


def numpy_right(x, y):
    y[...] = 2 * x


def tensor_right(x, y):
    for i in range(x.numel()):
        y[i] = 2 * x[i].item()


def changes_tensor(x, y, HOW):
    import torch
    tensor_right(x, y)
    if HOW == "requires_grad":
        y.requires_grad_()
    elif HOW == "resize":
        x.resize_(2, 2)
    elif HOW == "transposes":
        y.resize_(4, 16)
        y.t_()
    elif HOW == "other memory":
        x.set_(torch.Tensor([1.0] * 64, (8, 8)))
    elif HOW == "shape of its input":
        x.resize_(64, 1)


def starts(x, y, HOW):
    fill(x, y)
    if HOW == "session" and calls() == 1:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600) # left by a variant"], env={},
                         start_new_session=True)
    if HOW == "twice" and calls() == 1:
        subprocess.run(["sh", "-c", "setsid setsid sleep 600.25 > /dev/null 2>&1 < /dev/null &"], check=False, env={"PATH": os.environ["PATH"]})


def leaves_a_holder(x, y, HOW):
    fill(x, y)
    if HOW == "a program":
        os.system("(setsid sleep 600.25 > /dev/null 2>&1 &)")
        os._exit(1)
    if HOW == "a copy" and os.fork():
        os._exit(1)
    if HOW == "a copy":
        time.sleep(600)


def remembered(x, y, HOW):
    if HOW == "remembers" and "y" in STATE:
        y[:] = STATE["y"]
        return
    if HOW == "remembers its last" and calls() > 2 and STATE["last"][0][:5] == x[:5]:
        y[:] = STATE["last"][1]
        return
    fill(x, y)
    STATE["y"], STATE["last"] = y[:], (x[:], y[:])


def inputs_of(seed):
    import random
    made = random.Random(seed)
    return [array.array("d", [made.random() for _ in range(200)]), array.array("d", bytes(8 * 200))]


def others_running(text):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if text in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


class Trust(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.room = stack.enter_context(tempfile.TemporaryDirectory(prefix="tuner-trust-"))
        self.x, self.y = array.array("d", range(N)), array.array("d", bytes(8 * N))

    def tune(self, function, parameters, arguments=None, reference=right, **more):
        more = {"samples": 12, "progress": False, "cache": "hot", "folder": self.room + "/results", "drop_above": 0, **more}
        return tuner.tune(function, parameters, arguments or [self.x, self.y], reference, **more)

    def states(self, *words, **named):
        return {row["HOW"]: (row["state"], row["message"]) for row in self.tune(*words, **named).table}

    def healthy(self, function, hows, *words, wrong=(), **named):
        """Each of `hows` runs before an honest one, in the same process at first."""
        for how in hows:
            with self.subTest(how):
                states = self.states(function, {"HOW": [how, "honest"]}, *words, baseline={"HOW": how}, fresh=True, **named)
                self.assertEqual(states["honest"], ("ok", ""))
                if how in wrong:
                    self.assertIn(states[how][0], ("correctness", "runtime"))

    def test_what_is_timed_is_looked_at(self):
        hows = ["stops after a call", "leaves out a quarter", "writes the middle only",
                "writes a constant", "asks who calls", "uses its input as working space", "is done later"]
        states = self.states(cheats, {"HOW": ["honest", *hows]})
        self.assertEqual(states.pop("honest"), ("ok", ""))
        self.assertEqual({how: state for how, (state, _) in states.items()}, dict.fromkeys(states, "correctness"), states)

    def test_no_call_finds_an_answer(self):
        tuned = self.tune(cheats, {"HOW": ["honest", "finds its own answer"]})
        times = {row["HOW"]: row["time_ms"] for row in tuned.table}
        self.assertGreater(times["finds its own answer"], times["honest"] / 4)

    def test_what_is_returned_to_a_clock_is_looked_at(self):
        hows = ["returns nothing later", "returns another number later", "returns more later"]
        states = self.states(returns, {"HOW": ["honest", *hows]}, [self.x], total)
        self.assertEqual(states.pop("honest"), ("ok", ""))
        self.assertEqual({how: state for how, (state, _) in states.items()}, dict.fromkeys(states, "correctness"), states)

    def test_a_call_finds_nothing_of_the_call_before(self):
        def times(*words, **named):
            return {row["HOW"]: row["time_ms"] for row in self.tune(*words, **named).table}
        found = times(in_a_list, {"HOW": ["when it is looked at", "at once"]}, [self.x], listed)
        self.assertGreater(found["when it is looked at"], found["at once"] / 4)
        room = array.array("d", bytes(8 * (N + 1)))
        found = times(uses_room, {"HOW": ["keeps", "honest"]}, [self.x, room, self.y], room_right, outputs=["y"])
        self.assertGreater(found["keeps"], found["honest"] / 4)
        unsorted = array.array("d", [7919 * i % 10007 for i in range(N)])
        took = min(timeit.repeat(lambda: sorted(unsorted), number=1, repeat=9)) * 1e3
        self.assertGreater(times(sorts, {"HOW": ["works"]}, [unsorted], None)["works"], took / 2)

    def test_a_final_compares_and_what_fails_there_is_recorded(self):
        for how, state in (("raises", "runtime"), ("exits", "runtime"), ("hangs", "timeout"), ("stops", "correctness")):
            with self.subTest(how):
                heard = []
                # The fastest and the baseline are finalists, whatever the others are.
                tuned = self.tune(fails_late, {"HOW": [how], "COPY": [0, 1, 2, 3]}, fresh=True, samples=7, timeout=4,
                                  baseline={"HOW": how, "COPY": 1}, on_trial=heard.append)
                states = {row["COPY"]: row["state"] for row in tuned.table}
                self.assertEqual(states, {0: state, 1: "ok", 2: "ok", 3: "ok"})
                message = next(row["message"] for row in tuned.table if row["COPY"] == 0)
                self.assertTrue(message.startswith("in the final: "), message)
                self.assertEqual([one["state"] for one in heard if one["configuration"]["COPY"] == 0], ["ok", state])
                self.assertTrue(all("ci_low_ms" in row for row in tuned.table))
                self.assertNotEqual(tuned.best["COPY"], 0)

    def test_what_compares_and_the_clock_are_the_harness_s_own(self):
        for how in ("error", "compare", "judge", "clock", "tolerance"):
            states = self.states(replaces, {"HOW": [how, "honest"]}, baseline={"HOW": how}, fresh=True)
            self.assertEqual(states["honest"], ("ok", ""))
            self.assertEqual(states[how][0], "runtime")
            self.assertRegex(states[how][1], "by the clock a call took 0 ms" if how == "clock" else "it replaces '")

    def test_a_clock_that_a_variant_sets_is_nobody_s(self):
        for how in ("backwards", "stands", "text"):
            tuned = self.tune(sets_clock, {"HOW": [how, "honest"]}, baseline={"HOW": how}, fresh=True)
            self.assertEqual({row["HOW"]: row["state"] for row in tuned.table}, {how: "ok", "honest": "ok"})
            self.assertTrue(all(row["time_ms"] > 0.01 for row in tuned.table))

    def test_what_one_leaves_behind_condemns_no_other(self):
        self.healthy(leaves, ["appends", "pops", "empties", "shortens", "holds a lock", "replaces a builtin", "replaces range",
                              "takes all descriptors", "limits memory", "forgets", "forks", "a thread ends the process",
                              "an alarm ends the process", "allows no recursion", "is traced", "clears modules",
                              "closes descriptors", "writes into descriptors", "ends its group", "cannot say why"], timeout=2)
        views = [memoryview(bytearray(800)).cast("d"), memoryview(bytearray(800)).cast("d")]
        self.healthy(leaves_view, ["releases"], views, view_right)
        self.healthy(leaves_values, ["deletes", "pops", "sets"], [self.x, self.y, {"by": [2.0]}], values_right)

    def test_what_would_make_others_slow_or_wrong_is_seen(self):
        from tuner import _worker
        library = ctypes.CDLL("libm.so.6")
        changes = {"nothing": int, "the policy": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
                   "the priority": lambda: os.nice(3), "rounding": lambda: library.fesetround(0x800)}
        for what, change in changes.items():
            child = os.fork()
            if child == 0:
                before = _worker._surroundings()
                change()
                os._exit(_worker._surroundings() != before)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            self.assertEqual(status, 0 if what == "nothing" else 1, what)

    def test_arrays_of_numpy_are_made_anew(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("NUMPY IS NOT INSTALLED: its arrays are not tested here")
        x = np.arange(4096, dtype=np.float64)
        self.healthy(reshapes, ["shape", "flags", "dtype", "resize", "strides"], [x, np.zeros_like(x)], numpy_right)

    def test_tensors_are_made_anew(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fakes/python"))
        sys.modules.pop("torch", None)
        try:
            import torch
            x = torch.Tensor(map(float, range(64)), (8, 8))
            self.healthy(changes_tensor, ["requires_grad", "resize", "transposes", "other memory", "shape of its input"],
                         [x, torch.Tensor([0.0] * 64, (8, 8))], tensor_right)
        finally:
            sys.path.pop(0)
            del sys.modules["torch"]

    def test_processes_of_variants_end_with_the_call(self):
        text = b"left by a variant"
        self.states(starts, {"HOW": ["session", "twice", "honest"]})
        end = time.monotonic() + 5
        while (others_running(text) or others_running(b"600.25")) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(others_running(text) + others_running(b"600.25"), [])

    def test_an_end_is_seen_while_others_hold_the_connection(self):
        begin = time.monotonic()
        self.healthy(leaves_a_holder, ["a program", "a copy"], timeout=30)
        self.assertLess(time.monotonic() - begin, 20)

    def test_inputs_that_are_drawn_show_who_remembers(self):
        hows = ["honest", "remembers", "remembers its last"]
        tuned = self.tune(remembered, {"HOW": hows}, inputs_of)
        self.assertEqual({row["HOW"]: row["state"] for row in tuned.table},
                         {"honest": "ok", "remembers": "correctness", "remembers its last": "ok"})


if __name__ == "__main__":
    _, words = begin()
    import tuner
    unittest.main(argv=words, verbosity=2)
