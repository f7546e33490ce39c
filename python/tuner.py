"""libtuner from Python: runs, stored results as columns, ask and tell, tuning in idle time. Needs no compiler: ctypes
calls the C functions of libtuner.so (tuner/library/tuner_c.h). That lies in this package when it was installed as a
wheel, and two folders above this file in an installation of tuner; the environment variable TUNER_LIBRARY names another.

    results = tuner.run("study.yaml", backend="cpu", evaluations=50)
    best = tuner.select(results, size={"n": 1000})

    with tuner.Search("study.yaml", strategy="genetic") as search:
        for number, configuration in search:
            search.tell(number, cost(**configuration))
        print(search.best())
"""

import contextlib
import ctypes
import json
import operator
import os
import sys
import threading
from pathlib import Path

_ROOM = 65536
_HERE = Path(__file__).resolve().parent
_PREFIX = _HERE / "prefix"  # of a wheel


class Error(Exception):
    """What is wrong, in the words of libtuner."""


_EMIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class _RunSettings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("backend", "strategy", "results", "prefix")] + [
        ("seed", ctypes.c_uint64), ("evaluations", ctypes.c_uint64), ("seconds", ctypes.c_double),
        ("jobs", ctypes.c_uint32)]


_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                           ctypes.POINTER(ctypes.c_double))


class _TuningSettings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("backend", "strategy", "results", "prefix")] + [
        ("seed", ctypes.c_uint64), ("evaluations", ctypes.c_uint64), ("jobs", ctypes.c_uint32),
        ("device", ctypes.c_uint32), ("launch", _LAUNCH), ("context", ctypes.c_void_p)]


class _Buffer(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_char_p), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
                ("on_host", ctypes.c_int)]


class Progress(ctypes.Structure):
    """How far a tuning has come: done, waiting, trials."""
    _fields_ = [("done", ctypes.c_int), ("waiting", ctypes.c_int), ("trials", ctypes.c_uint64)]


_TRIAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double)
_STOP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def _load_with_it(folder):
    """The libraries that a wheel brings along, in whatever order they need each other."""
    waiting = sorted(folder.glob("*.so*"))
    while waiting:
        left = []
        for one in waiting:
            try:
                ctypes.CDLL(str(one))
            except OSError:
                left.append(one)
        if len(left) == len(waiting):
            return
        waiting = left


def _library():
    default = _HERE.parents[1] / "libtuner.so"
    if _PREFIX.is_dir():
        _load_with_it(_PREFIX / "lib" / "bundled")
        default = _PREFIX / "lib" / "libtuner.so"
    library = ctypes.CDLL(os.environ.get("TUNER_LIBRARY", str(default)))
    text, room, pointer = ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER
    handle, number, value = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_double
    library.tuner_search_open.restype = handle
    library.tuner_search_open.argtypes = [text, text, text, number, text, text, room]
    library.tuner_search_close.restype = None
    library.tuner_search_close.argtypes = [handle]
    library.tuner_search_ask.argtypes = [handle, pointer(number), text, room, text, room]
    library.tuner_search_tell.argtypes = [handle, number, value, value, text, room]
    library.tuner_search_fail.argtypes = [handle, number, text, room]
    library.tuner_search_best.argtypes = [handle, text, room, pointer(value)]
    library.tuner_run.argtypes = [text, pointer(_RunSettings), _TRIAL, _STOP, handle, text, room]
    library.tuner_results.argtypes = [text, text, _EMIT, handle, text, room]
    library.tuner_tuning_open.restype = handle
    library.tuner_tuning_open.argtypes = [text, pointer(_TuningSettings), text, room]
    library.tuner_tuning_close.restype = None
    library.tuner_tuning_close.argtypes = [handle]
    library.tuner_tuning_add.argtypes = [handle, text, pointer(_Buffer), room, text, room]
    library.tuner_tuning_step.argtypes = [handle, value, pointer(Progress), text, room]
    library.tuner_tuning_best.argtypes = [handle, text, text, room, pointer(value),
                                          pointer(ctypes.c_int), text, room]
    library.tuner_tuning_launch.argtypes = [handle, text, pointer(_Buffer), room, text, room]
    return library


_LIBRARY = _library()


def _bytes(value):
    if value is None:
        return None
    text = os.fsencode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value).encode()
    if b"\0" in text:
        raise Error(f"{value!r} has a zero byte")
    return text


def _whole(name, value, bits=64):
    """The value as a C function takes it: ctypes would make another number of one that does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}: a whole number is needed") from None
    if not 0 <= number < 2**bits:
        raise Error(f"{name} is {number}: a whole number from 0 to {2**bits - 1} is needed")
    return number


def _real(name, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{name} is {value!r}: a number is needed") from None


def _call(function, *arguments):
    """What the function returns; Error when it fails."""
    error = ctypes.create_string_buffer(_ROOM)
    status = function(*arguments, error, _ROOM)
    if status is None or status < 0:
        raise Error(error.value.decode(errors="replace"))
    return status


class _Closing:
    """Closes itself at the end of a `with`, and when nobody has it any more; calls after that raise Error. Calls of
    several threads wait for each other."""

    _handle = None

    def __new__(cls, *_, **__):
        self = super().__new__(cls)
        self._turn, self._worker = threading.Lock(), None
        self._seen, self._readers = threading.Condition(), 0
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied")

    def _open(self):
        if self._handle is None:
            raise Error(f"this {type(self).__name__} is closed")
        return self._handle

    @contextlib.contextmanager
    def _at_work(self):
        """Alone, save for readers."""
        if self._worker == threading.get_ident():
            raise Error(f"this {type(self).__name__} is at work: what it calls can only ask for the best")
        with self._turn:
            self._worker = threading.get_ident()
            try:
                yield
            finally:
                self._worker = None

    @contextlib.contextmanager
    def _reading(self):
        """The handle, which is not closed meanwhile."""
        with self._seen:
            handle = self._open()
            self._readers += 1
        try:
            yield handle
        finally:
            with self._seen:
                self._readers -= 1
                self._seen.notify_all()

    def _do(self, function, *arguments):
        with self._at_work():
            return _call(function, self._open(), *arguments)

    def close(self):
        with self._at_work(), self._seen:
            handle, self._handle = self._handle, None
            self._seen.wait_for(lambda: self._readers == 0)
            if handle is not None:
                self._end(handle)


class Search(_Closing):
    """Asks for configurations (dictionaries) and is told how good they are. Iterating ends when all is
    done; what is open must be told before the next is asked for."""

    _end = _LIBRARY.tuner_search_close

    def __init__(self, study, size=None, strategy=None, seed=1, prefix=None):
        self._handle = _call(_LIBRARY.tuner_search_open, _bytes(study), _bytes(size),
                             _bytes(strategy), _whole("seed", seed), _bytes(prefix))

    def ask(self):
        """(number, configuration), or None when there is none now."""
        number = ctypes.c_uint64()
        text = ctypes.create_string_buffer(_ROOM)
        if self._do(_LIBRARY.tuner_search_ask, ctypes.byref(number), text, _ROOM) == 0:
            return None
        return number.value, json.loads(text.value)

    def tell(self, number, value, seconds=0.0):
        """The value is to be minimised; one that is not finite says that it failed. seconds: what it cost to find out."""
        self._do(_LIBRARY.tuner_search_tell, _whole("number", number), _real("value", value),
                 _real("seconds", seconds))

    def fail(self, number):
        """The configuration could not be measured."""
        self._do(_LIBRARY.tuner_search_fail, _whole("number", number))

    def best(self):
        """(configuration, value) of the best that was told, or None."""
        value = ctypes.c_double()
        text = ctypes.create_string_buffer(_ROOM)
        with self._at_work():
            found = _LIBRARY.tuner_search_best(self._open(), text, _ROOM, ctypes.byref(value))
        if found < 0:
            raise Error(f"the configuration needs more than {_ROOM} bytes")
        return (json.loads(text.value), value.value) if found == 1 else None

    def __iter__(self):
        while (question := self.ask()) is not None:
            yield question


class Tuning(_Closing):
    """Tunes in the idle time of a program, in its own process: docs/library.md. `launch(size, configuration)` is the
    program's own launch, which returns milliseconds, or None to have the library look at the clock. When it raises an
    exception, the configuration has failed."""

    _end = _LIBRARY.tuner_tuning_close

    def __init__(self, study, backend=None, strategy=None, seed=1, evaluations=0, folder="results", jobs=1, device=0,
                 launch=None, prefix=None):
        self._raised = []
        self._launch = _LAUNCH(self._launching(launch, self._raised)) if launch is not None else _LAUNCH()
        settings = _TuningSettings(_bytes(backend), _bytes(strategy), _bytes(folder), _bytes(prefix),
                                   _whole("seed", seed), _whole("evaluations", evaluations), _whole("jobs", jobs, 32),
                                   _whole("device", device, 32), self._launch, None)
        self._handle = _call(_LIBRARY.tuner_tuning_open, _bytes(study), ctypes.byref(settings))

    @staticmethod
    def _launching(launch, raised):
        def call(_, size, configuration, milliseconds):
            try:
                told = launch(size.decode(), json.loads(configuration))
                if told is not None:
                    milliseconds[0] = _real("milliseconds", told)
                return 0 if told is None or milliseconds[0] >= 0 else 1
            except BaseException as error:  # KeyboardInterrupt, say, must not be lost in C
                if not isinstance(error, Exception):
                    raised.append(error)
                return 1  # whatever it is: this configuration cannot be launched
        return call

    @staticmethod
    def _buffers(buffers):
        given = []
        for name, place in (buffers or {}).items():
            try:
                address, size = place
            except (TypeError, ValueError):
                raise Error(f"'{name}' needs (address, bytes) of device memory") from None
            given.append(_Buffer(_bytes(name), _whole(f"the address of '{name}'", address),
                                 _whole(f"the bytes of '{name}'", size), 0))
        return (_Buffer * len(given))(*given), len(given)

    def add(self, size, buffers=None):
        """A size to be tuned ("n=1000"); buffers: {argument: (address, bytes)} of device memory."""
        self._do(_LIBRARY.tuner_tuning_add, _bytes(size), *self._buffers(buffers))

    def step(self, milliseconds):
        """Works for about that long; returns a Progress."""
        progress = Progress()
        self._do(_LIBRARY.tuner_tuning_step, _real("milliseconds", milliseconds), ctypes.byref(progress))
        if self._raised:
            raise self._raised.pop()
        return progress

    def best(self, size):
        """(configuration, milliseconds) of the best so far, or None. At any time, by any thread."""
        value, tuned = ctypes.c_double(), ctypes.c_int()
        text = ctypes.create_string_buffer(_ROOM)
        with self._reading() as handle:
            found = _call(_LIBRARY.tuner_tuning_best, handle, _bytes(size), text, _ROOM,
                          ctypes.byref(value), ctypes.byref(tuned))
        return (json.loads(text.value), value.value) if found else None

    def launch(self, size, buffers):
        """Launches the best so far on the program's memory; False when there is none yet."""
        return self._do(_LIBRARY.tuner_tuning_launch, _bytes(size), *self._buffers(buffers)) == 1


def run(study, backend=None, strategy=None, seed=1, evaluations=0, seconds=0.0, folder="results", jobs=1,
        on_trial=None, prefix=None):
    """Tunes all sizes of a study, as `tuner run` does, with its results in a folder, and returns what results() does.
    `on_trial` gets each trial as a dictionary; when it returns True the run ends. An exception of its own ends the run,
    too, and is raised."""
    stop, raised = [], []

    def trial(_, text, elapsed):
        try:
            if on_trial is not None and on_trial({**json.loads(text), "seconds": elapsed}) is True:
                stop.append(True)
        except BaseException as error:  # must not be lost in C, KeyboardInterrupt included
            raised.append(error)

    settings = _RunSettings(_bytes(backend), _bytes(strategy), _bytes(folder), _bytes(prefix),
                            _whole("seed", seed), _whole("evaluations", evaluations), _real("seconds", seconds),
                            _whole("jobs", jobs, 32))
    _call(_LIBRARY.tuner_run, _bytes(study), ctypes.byref(settings), _TRIAL(trial),
          _STOP(lambda _: 1 if stop or raised else 0), None)
    if raised:
        raise raised[0]
    return results(study, folder)


def results(study, folder="results"):
    """What is stored of a study, as docs/results-json.md describes it."""
    pieces = []
    emit = _EMIT(lambda _, text, size: pieces.append(ctypes.string_at(text, size)))
    _call(_LIBRARY.tuner_results, _bytes(study), _bytes(folder), emit, None)
    return json.loads(b"".join(pieces))


def columns(result):
    """One entry of results()["results"] as columns: a dictionary from name to list, a row for each trial."""
    trials = result["trials"]
    out = {name: [trial["configuration"][name] for trial in trials]
           for name in (trials[0]["configuration"] if trials else ())}
    for name in ("rank", "state", "time_ms", "objective"):
        out[name] = [trial[name] for trial in trials]
    return out


def select(found, size=None, device=None, **values):
    """The best valid trial (a dictionary) of results(), for a size ({"n": 1000}; None: the only one), on a device (its
    name), among the configurations with these values (TILE=16); None where there is none."""
    fitting = [one for one in found["results"]
               if (size is None or one["size"] == dict(size)) and device in (None, one["device"]["name"])]
    if len(fitting) > 1:
        raise Error("several sizes or devices fit; say which: " +
                    ", ".join(f"{one['label']} on {one['device']['name']}" for one in fitting))
    for trial in fitting[0]["trials"] if fitting else ():
        if trial["rank"] is not None and all(trial["configuration"].get(name) == value
                                             for name, value in values.items()):
            return trial
    return None


def _main():
    """The program of a wheel."""
    program = _PREFIX / "bin" / "tuner"
    os.execv(program, [str(program), *sys.argv[1:]])
