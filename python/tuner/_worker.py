"""The process that variants run in: python -m tuner._worker CONNECTION INPUTS LOCK, all file descriptors.

It is told a function and inputs, then configurations. It compiles beside others, and runs and times alone: what uses the
device does so under a lock, which ends with the process."""

import contextlib
import fcntl
import mmap
import multiprocessing.connection
import os
import pickle
import random
import signal
import sys
import traceback

_STATES = {"OutOfResources": "constraints", "CompilationError": "compile", "CompileException": "compile",
           "CompileTimeAssertionFailure": "compile", "UnsupportedLanguageConstruct": "compile", "NVRTCError": "compile"}


def _die_with_parent():
    import ctypes
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Wrong(Exception):
    """The answer of a variant is not the right one."""


def _words_of(error):
    place = traceback.extract_tb(error.__traceback__)
    inner = [one for one in place if "/tuner/_" not in one.filename] or place
    where = f" ({os.path.basename(inner[-1].filename)}:{inner[-1].lineno})" if inner else ""
    return f"{type(error).__name__}: {str(error)[:2000]}{where}"


class Session:
    def __init__(self, connection, job, inputs_fd, lock_fd):
        from tuner import _arrays, _clocks, _source
        self._arrays, self._clocks = _arrays, _clocks
        self._connection, self._job, self._inputs_fd, self._lock = connection, job, inputs_fd, lock_fd
        self._function = _source.load(job["function"])
        self._rules = job["rules"]
        self._connection.send(("loaded", None))
        message = self._connection.recv()
        if message != "inputs":
            sys.exit(0)
        self._read_inputs()
        self._clock = self._clocks.clock_for(self._given, self._rules["cache"] == "cold")
        self._work = self._arrays.copies(self._given)

    def _read_inputs(self):
        """What the variants are given, and what they must answer: as nobody here can have changed it."""
        with mmap.mmap(self._inputs_fd, 0, access=mmap.ACCESS_READ) as file:
            sent = pickle.loads(file)
        made = [self._arrays.unpack(one) for one in sent["values"]]
        self._given = {name: made[place] for name, place in sent["arguments"]}
        self._right = {name: self._arrays.unpack(one) for name, one in sent["right"].items()}
        self._returned = [self._arrays.unpack(one) for one in sent["returned"]] if sent["returned"] else None
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
            kind = self._arrays.kind_of(value)
            if kind is None or (names is not None and name not in names):
                continue
            kind.put(self._work[name], value)

    def _call(self, configuration):
        words = self._job["positional"]
        named = {name: value for name, value in self._work.items() if name not in words}
        return self._function(*(self._work[name] for name in words), **named, **configuration)

    def _checked(self, configuration):
        """Launches on fresh copies of the inputs, with poison in what is only written; the largest error, or Wrong."""
        self._restore()
        for name in self._pure:
            self._arrays.kind_of(self._work[name]).poison(self._work[name], self._right[name])
        answer = self._call(configuration)
        self._clock.sync()
        return self._compare(answer)

    def _compare(self, answer):
        largest = -1.0
        for name, right in self._right.items():
            largest = max(largest, self._error_of(f"'{name}'", self._work[name], right))
        for name in self._kept:
            if not self._arrays.kind_of(self._given[name]).same_bits(self._work[name], self._given[name]):
                raise Wrong(f"it writes into '{name}', which the reference leaves alone")
        if self._returned is None:
            return largest
        mine = self._arrays.returned_arrays(answer)
        if mine is None or len(mine) != len(self._returned):
            raise Wrong(f"it returns {type(answer).__name__ if mine is None else f'{len(mine)} arrays'}, the reference "
                        f"{len(self._returned)} arrays")
        for place, (one, right) in enumerate(zip(mine, self._returned)):
            largest = max(largest, self._error_of(f"what it returns{f' [{place}]' if len(mine) > 1 else ''}", one, right))
        return largest

    def _error_of(self, called, mine, right):
        kind = self._arrays.kind_of(right)
        if self._arrays.kind_of(mine) is not kind or kind.shape_of(mine) != kind.shape_of(right):
            raise Wrong(f"{called} is {self._arrays.describe(mine)}, the right answer {self._arrays.describe(right)}")
        rtol, atol = self._rules["tolerance"].get(called.strip("'"), self._rules["tolerance"].get(None)) or \
            self._arrays.TOLERANCES.get(kind.type_of(right), (0, 0))
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

    def variant(self, configuration):
        import time
        begin = time.perf_counter()
        done = {"state": "ok", "message": ""}
        try:
            was_compiled = self._compile(configuration)
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
                samples, dropped = self._clocks.measure(self._clock, lambda: self._call(configuration),
                                                        lambda: self._restore(self._changes), best_ms, self._rules)
                done.update(samples=samples, state="dropped" if dropped else "ok")
                done["max_error"] = max(done["max_error"], self._checked_twice(configuration))
        except Wrong as wrong:
            done.update(state="correctness", message=str(wrong))
        except BaseException as error:
            done.update(state=_STATES.get(type(error).__name__, "runtime"), message=_words_of(error))
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
        return taken

    def serve(self):
        while True:
            what, *rest = self._connection.recv()
            self._connection.send(("done", getattr(self, what)(*rest)))


def main():
    _die_with_parent()
    connection_fd, inputs_fd, lock_fd = (int(word) for word in sys.argv[1:4])
    connection = multiprocessing.connection.Connection(connection_fd)
    try:
        job = connection.recv()
        sys.path[:] = job["path"]
        try:
            session = Session(connection, job, inputs_fd, lock_fd)
        except Exception as error:
            connection.send(("cannot", _words_of(error)))
            return
        session.serve()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass


if __name__ == "__main__":
    main()
