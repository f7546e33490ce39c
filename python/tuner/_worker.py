"""The process that variants run in. It compiles beside others, and runs and times alone: what uses the device does so
under a lock, which ends with the process. One of the role "compile" compiles Triton's kernels for a device that it does
not touch: its arrays have no elements."""

import contextlib
import fcntl
import math
import mmap
import multiprocessing.connection
import os
import pickle
import random
import resource
import sys
from time import perf_counter  # as it is before a variant can set another

from tuner import _clocks, _stands
from tuner._failure import words_of
from tuner._inputs import Inputs, Wrong

_STATES = {"OutOfResources": "constraints", "CompilationError": "compile", "CompileException": "compile",
           "CompileTimeAssertionFailure": "compile", "UnsupportedLanguageConstruct": "compile", "NVRTCError": "compile"}


class Session:
    def __init__(self, job, function):
        self._job, self._function = job, function

    def _call_with(self, given, configuration):
        """`given`: the arguments, {name: array or value}."""
        words = self._job["positional"]
        named = {name: value for name, value in given.items() if name not in words}
        return self._function(*(given[name] for name in words), **named, **configuration)

    def _compile(self, given, configuration):
        """What can be compiled without the device, in step with nobody. Returns whether that was all."""
        jit = sys.modules.get("triton.runtime.jit")
        if not self._job["uses_triton"] or not hasattr(jit, "JITFunction"):
            return False
        run = jit.JITFunction.run

        def only_compile(kernel, *words, **named):
            named["warmup"] = True
            return run(kernel, *words, **named)

        jit.JITFunction.run = only_compile
        try:
            self._call_with(given, configuration)
        finally:
            jit.JITFunction.run = run
        return True


class Compiling(Session):
    """Its kernels are found in Triton's cache by those who run them. What goes wrong here goes wrong there again."""

    def __init__(self, job, functions):
        super().__init__(job, functions["function"])
        self._given = None

    def compile(self, configuration):
        """`cannot`: the function is not one that can be called with stands."""
        begin = perf_counter()
        done = cannot = False
        try:
            if self._given is None:
                self._given, self._on_stands = _stands.in_place_of(self._job["apart"])
            with self._on_stands:
                done = self._compile(self._given, configuration)
        except BaseException as error:
            cannot = type(error).__name__ not in _STATES
        return {"compiled": done, "cannot": cannot, "compile_ms": (perf_counter() - begin) * 1e3}


class Running(Session):
    def __init__(self, job, functions, connection, inputs_fd, lock_fd):
        super().__init__(job, functions["function"])
        self._connection, self._lock, self._rules = connection, lock_fd, job["rules"]
        self._refuse_changes = _refuse_changes
        with mmap.mmap(inputs_fd, 0, access=mmap.ACCESS_READ) as file:
            sent = pickle.loads(file)
        self._inputs = Inputs(sent, job, functions.get("arguments"), functions.get("reference"))
        self._clock = _clocks.clock_for(self._inputs.given, self._rules["cache"] == "cold")

    @contextlib.contextmanager
    def _device(self, alone):
        self._connection.send(("phase", "waiting"))
        fcntl.lockf(self._lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            self._connection.send(("phase", "at work"))
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    def _call(self, configuration):
        return self._call_with(self._inputs.work, configuration)

    def _compile_restored(self, configuration):
        if not self._job["uses_triton"]:
            return False
        self._inputs.restore()
        return self._compile(self._inputs.work, configuration)

    def _checked(self, configuration):
        """The largest error of a call that nobody times; Wrong."""
        self._inputs.draw()
        self._inputs.restore()
        answer = self._call(configuration)
        self._clock.sync()
        return self._inputs.compare(answer)

    def _samples(self, configuration, count):
        """Times of so many calls, of each of which something is compared that was drawn when it had ended."""
        taken = []
        while len(taken) < count:
            self._connection.send(("phase", "at work"))
            more = self._clock.sample(_Turn(self._inputs, lambda: self._call(configuration)),
                                      min(count - len(taken), self._inputs.at_once))
            if not more:  # as where the function has replaced `range`: this would not end
                raise ValueError("it cannot be timed any more: it has changed what Python does")
            taken += more
            self._inputs.judge()
        unlikely = [one for one in taken if not 0 < one < math.inf]
        if unlikely:
            raise ValueError(f"by the clock a call took {unlikely[0]:g} ms")
        return taken

    def variant(self, configuration, compiled):
        """`compiled`: what is known of its compilation, by another process."""
        begin, found = perf_counter() - compiled["compile_ms"] / 1e3, _surroundings()
        done = {"state": "ok", "message": ""}
        try:
            self._inputs.renew()
            was_compiled = compiled["compiled"] or self._compile_restored(configuration)
            if not was_compiled:
                with self._device(alone=False):  # compiles within its first call, as like as not
                    done["max_error"] = self._checked(configuration)
            done["compile_ms"] = (perf_counter() - begin) * 1e3
            with self._device(alone=True):
                self._connection.send(("best", None))
                best_ms = self._connection.recv()
                if was_compiled:
                    done["max_error"] = self._checked(configuration)
                samples, dropped = _clocks.measure(lambda count: self._samples(configuration, count), best_ms, self._rules)
                self._inputs.compare_kept()
                done["max_error"] = max(done["max_error"], self._checked(configuration))
                done.update(samples=samples, state="dropped" if dropped else "ok")
            self._refuse_changes()
            done["left"] = _surroundings() != found
        except BaseException as error:
            done.update(self._failed(error))
        done["cost_seconds"] = perf_counter() - begin
        return done

    def _failed(self, error):
        """State and message; `broken`: what comes next had better have another process."""
        self._inputs.renew()
        if isinstance(error, Wrong):
            return {"state": "correctness", "message": str(error)}
        state = _STATES.get(type(error).__name__, "runtime")
        return {"state": state, "message": words_of(error), "broken": state == "runtime"}

    def final(self, configurations, seed, rounds):
        """Samples of each, in turns, in an order that changes. `failed`: the place of one that failed, which ends it."""
        taken, order, at = [[] for _ in configurations], random.Random(seed), 0
        each = range(len(configurations))
        turns = [at for _ in range(rounds) for at in order.sample(each, len(each))]
        try:
            for at in each:
                self._connection.send(("at", at))
                self._inputs.renew()
                self._compile_restored(configurations[at])
                with self._device(alone=True):
                    self._checked(configurations[at])
            with self._device(alone=True):
                for at in turns:
                    self._connection.send(("at", at))
                    taken[at] += self._samples(configurations[at], 1)
                for at in each:
                    self._connection.send(("at", at))
                    self._checked(configurations[at])
            self._refuse_changes()
        except BaseException as error:
            return {"failed": at, **self._failed(error)}
        return {"state": "ok", "taken": taken}


class _Turn:
    """One timed call, as a clock makes it."""

    def __init__(self, inputs, call):
        self._inputs, self._call, self._answer = inputs, call, None

    def before(self):
        self._inputs.draw()
        self._inputs.restore_for_timing()

    def call(self):
        self._answer = self._inputs.settled(self._call())

    def after(self):
        self._inputs.note(self._answer)


def _third():
    """By the present rounding, which a library that the function calls may have changed."""
    return float("1") / float("-3"), float("1") / float("3")


def _surroundings():
    """What a variant may leave behind that makes others slow, or fail."""
    children = 0
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
            children += len(file.read().split())
    limits = [resource.getrlimit(one) for one in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE,
                                                  resource.RLIMIT_CPU, resource.RLIMIT_STACK)]
    return (len(sys._current_frames()), sys.gettrace(), sys.getprofile(), children, limits, os.getcwd(),
            os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), _third())


def _all_names():
    """(module or class, name, what it stands for) of all that this package is made of."""
    for module in [one for name, one in list(sys.modules.items()) if name.split(".")[0] == "tuner"]:
        for name, value in list(vars(module).items()):
            yield module, name, value
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield from ((value, key, inner) for key, inner in list(vars(value).items()))


def serve(functions, connection_fd, inputs_fd, lock_fd):
    """Until the other side has gone."""
    connection = multiprocessing.connection.Connection(connection_fd)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        role, job = connection.recv()
        connection.send(("begun", None))
        connection.recv()  # what is needed is there
        try:
            session = (Running(job, functions, connection, inputs_fd, lock_fd) if role == "run"
                       else Compiling(job, functions))
        except Exception as error:
            connection.send(("cannot", words_of(error)))
            return
        while True:
            what, *rest = connection.recv()
            connection.send(("done", getattr(session, what)(*rest)))


def _watch():
    """A function that raises where something of this package is another thing than now."""
    names = list(_all_names())

    def refuse_changes():
        for owner, name, value in names:
            if vars(owner).get(name) is not value:
                raise RuntimeError(f"it replaces '{name}' of {owner.__name__}, which measures and compares it")
    return refuse_changes


_refuse_changes = _watch()  # before a function of the user is there
