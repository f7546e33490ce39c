"""The process that variants run in. It compiles beside others, and runs and times alone: what uses the device does so
under a lock, which ends with the process. One of the role "compile" compiles Triton's kernels for a device that it does
not touch: its arrays have no elements."""

import contextlib
import fcntl
import mmap
import multiprocessing.connection
import pickle
import random
import sys
import time

from tuner import _arrays, _clocks, _stands
from tuner._failure import words_of

_STATES = {"OutOfResources": "constraints", "CompilationError": "compile", "CompileException": "compile",
           "CompileTimeAssertionFailure": "compile", "UnsupportedLanguageConstruct": "compile", "NVRTCError": "compile"}


class Wrong(Exception):
    """The answer of a variant is not the right one."""


class Session:
    """`given`: the arguments, {name: array or value}."""

    def __init__(self, job, function, given):
        self._job, self._function, self._work = job, function, given

    def _call(self, configuration):
        words = self._job["positional"]
        named = {name: value for name, value in self._work.items() if name not in words}
        return self._function(*(self._work[name] for name in words), **named, **configuration)

    def _compile(self, configuration):
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
            self._call(configuration)
        finally:
            jit.JITFunction.run = run
        return True


class Compiling(Session):
    """Its kernels are found in Triton's cache by those who run them. What goes wrong here goes wrong there again."""

    def __init__(self, job, function):
        super().__init__(job, function, None)

    def compile(self, configuration):
        """`cannot`: the function is not one that can be called with stands."""
        begin = time.perf_counter()
        done = cannot = False
        try:
            if self._work is None:
                self._work, self._on_stands = _stands.in_place_of(self._job["apart"])
            with self._on_stands:
                done = self._compile(configuration)
        except BaseException as error:
            cannot = type(error).__name__ not in _STATES
        return {"compiled": done, "cannot": cannot, "compile_ms": (time.perf_counter() - begin) * 1e3}


class Running(Session):
    def __init__(self, job, function, connection, inputs_fd, lock_fd):
        self._connection, self._inputs_fd, self._lock, self._rules = connection, inputs_fd, lock_fd, job["rules"]
        self._read_inputs()
        self._clock = _clocks.clock_for(self._given, self._rules["cache"] == "cold")
        super().__init__(job, function, _arrays.copies(self._given))

    def _read_inputs(self):
        """What the variants are given, and what they must answer: as nobody here can have changed it."""
        with mmap.mmap(self._inputs_fd, 0, access=mmap.ACCESS_READ) as file:
            sent = pickle.loads(file)
        made = [_arrays.unpack(one) for one in sent["values"]]
        self._given = {name: made[place] for name, place in sent["arguments"]}
        self._right = {name: _arrays.unpack(one) for name, one in sent["right"].items()}
        self._returned = [_arrays.unpack(one) for one in sent["returned"]] if sent["returned"] else None
        self._pure, self._changes, self._kept = sent["pure"], sent["changes"], sent["kept"]

    @contextlib.contextmanager
    def _device(self, alone):
        self._connection.send(("phase", "waiting"))
        fcntl.lockf(self._lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            self._connection.send(("phase", "at work"))
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    def _restore(self, names=None):
        for name, value in self._given.items():
            kind = _arrays.kind_of(value)
            if kind is None or (names is not None and name not in names):
                continue
            kind.put(self._work[name], value)

    def _checked(self, configuration):
        """Launches on fresh copies of the inputs, with poison in what is only written; the largest error, or Wrong."""
        self._restore()
        for name in self._pure:
            _arrays.kind_of(self._work[name]).poison(self._work[name], self._right[name])
        answer = self._call(configuration)
        self._clock.sync()
        return self._compare(answer)

    def _compare(self, answer):
        largest = -1.0
        for name, right in self._right.items():
            largest = max(largest, self._error_of(f"'{name}'", self._work[name], right))
        for name in self._kept:
            if not _arrays.kind_of(self._given[name]).same_bits(self._work[name], self._given[name]):
                raise Wrong(f"it writes into '{name}', which the reference leaves alone")
        if self._returned is None:
            return largest
        mine = _arrays.returned_arrays(answer)
        if mine is None or len(mine) != len(self._returned):
            raise Wrong(f"it returns {type(answer).__name__ if mine is None else f'{len(mine)} arrays'}, the reference "
                        f"{len(self._returned)} arrays")
        for place, (one, right) in enumerate(zip(mine, self._returned)):
            largest = max(largest, self._error_of(f"what it returns{f' [{place}]' if len(mine) > 1 else ''}", one, right))
        return largest

    def _error_of(self, called, mine, right):
        kind = _arrays.kind_of(right)
        if _arrays.kind_of(mine) is not kind or kind.shape_of(mine) != kind.shape_of(right):
            raise Wrong(f"{called} is {_arrays.describe(mine)}, the right answer {_arrays.describe(right)}")
        rtol, atol = self._rules["tolerance"].get(called.strip("'"), self._rules["tolerance"].get(None)) or \
            _arrays.TOLERANCES.get(kind.type_of(right), (0, 0))
        largest, place = kind.error(mine, right, rtol, atol)
        if place is not None:
            raise Wrong(f"{called}[{place}] is {kind.at(mine, place)}, the right answer {kind.at(right, place)} (allowed: "
                        f"{atol:g} + {rtol:g} of it)")
        return largest if largest == largest else -1.0

    def _checked_twice(self, configuration):
        """An earlier variant may have written into what is kept here: a wrong answer is looked at once more."""
        try:
            return self._checked(configuration)
        except Wrong:
            self._read_inputs()
            return self._checked(configuration)

    def variant(self, configuration, compiled):
        """`compiled`: what is known of its compilation, by another process."""
        begin = time.perf_counter() - compiled["compile_ms"] / 1e3
        done = {"state": "ok", "message": ""}
        try:
            was_compiled = compiled["compiled"] or self._compile(configuration)
            if not was_compiled:
                with self._device(alone=False):  # compiles within its first call, as like as not
                    done["max_error"] = self._checked_twice(configuration)
            done["compile_ms"] = (time.perf_counter() - begin) * 1e3
            with self._device(alone=True):
                self._connection.send(("best", None))
                best_ms = self._connection.recv()
                if was_compiled:
                    done["max_error"] = self._checked_twice(configuration)
                self._restore()
                samples, dropped = _clocks.measure(self._clock, lambda: self._call(configuration),
                                                        lambda: self._restore(self._changes), best_ms, self._rules)
                done.update(samples=samples, state="dropped" if dropped else "ok")
                done["max_error"] = max(done["max_error"], self._checked_twice(configuration))
        except Wrong as wrong:
            done.update(state="correctness", message=str(wrong))
        except BaseException as error:
            done.update(state=_STATES.get(type(error).__name__, "runtime"), message=words_of(error))
            done["broken"] = not self._device_works()
        done["cost_seconds"] = time.perf_counter() - begin
        return done

    def _device_works(self):
        try:
            self._clock.sync()
            return True
        except Exception:
            return False

    def final(self, configurations, seed, rounds):
        """Samples of each, in turns, in an order that changes; None of one that failed now."""
        taken = []
        for configuration in configurations:
            try:
                self._compile(configuration)
                with self._device(alone=True):
                    self._checked_twice(configuration)
                taken.append([])
            except Exception:
                taken.append(None)
        order = random.Random(seed)
        with self._device(alone=True):
            for _ in range(rounds):
                turn = [place for place, samples in enumerate(taken) if samples is not None]
                order.shuffle(turn)
                for place in turn:
                    self._restore(self._changes)
                    taken[place] += self._clock.sample(lambda: self._call(configurations[place]), lambda: None, 1)
        return {"taken": taken}


def serve(function, connection_fd, inputs_fd, lock_fd):
    """Until the other side has gone."""
    connection = multiprocessing.connection.Connection(connection_fd)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        role, job = connection.recv()
        connection.send(("begun", None))
        connection.recv()  # what is needed is there
        try:
            session = Running(job, function, connection, inputs_fd, lock_fd) if role == "run" else Compiling(job, function)
        except Exception as error:
            connection.send(("cannot", words_of(error)))
            return
        while True:
            what, *rest = connection.recv()
            connection.send(("done", getattr(session, what)(*rest)))
