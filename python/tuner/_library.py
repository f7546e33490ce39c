"""libtuner.so by ctypes: its functions, its errors, objects that are closed. It lies in this package when that was
installed as a wheel, and three folders above in an installation of tuner; the environment variable TUNER_LIBRARY names
another."""

import contextlib
import ctypes
import json
import math
import operator
import os
import tempfile
import threading
from pathlib import Path

ROOM = 65536
_HERE = Path(__file__).resolve().parent
_PREFIX = _HERE / "prefix"  # of a wheel


class Error(Exception):
    """What is wrong, in the words of libtuner."""


EMIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                           ctypes.POINTER(ctypes.c_double))


class TuningSettings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("backend", "strategy", "results", "prefix")] + [
        ("seed", ctypes.c_uint64), ("evaluations", ctypes.c_uint64), ("jobs", ctypes.c_uint32),
        ("device", ctypes.c_uint32), ("launch", LAUNCH), ("context", ctypes.c_void_p)]


class Buffer(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_char_p), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
                ("on_host", ctypes.c_int)]


class Sampling(ctypes.Structure):
    """How long a configuration is measured."""
    _fields_ = [("min_samples", ctypes.c_int), ("max_samples", ctypes.c_int), ("max_milliseconds", ctypes.c_double),
                ("precision", ctypes.c_double), ("drop_above", ctypes.c_double)]


class Progress(ctypes.Structure):
    """How far a tuning has come: done, waiting, trials."""
    _fields_ = [("done", ctypes.c_int), ("waiting", ctypes.c_int), ("trials", ctypes.c_uint64)]

    def __repr__(self):
        return f"<Progress: {self.trials} trials{', done' if self.done else ', waiting' if self.waiting else ''}>"




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
    default = _HERE.parents[2] / "libtuner.so"
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
    library.tuner_search_size.argtypes = [handle, pointer(number), text, room]
    library.tuner_search_ask.argtypes = [handle, pointer(number), text, room, text, room]
    library.tuner_search_tell.argtypes = [handle, number, value, value, text, room]
    library.tuner_search_fail.argtypes = [handle, number, text, room]
    library.tuner_search_best.argtypes = [handle, text, room, pointer(value)]
    library.tuner_own_open.restype = handle
    library.tuner_own_open.argtypes = [text, text, text, text, room]
    library.tuner_own_close.restype = None
    library.tuner_own_close.argtypes = [handle]
    library.tuner_own_record.argtypes = [handle, text, text, room]
    library.tuner_own_results.argtypes = [handle, EMIT, handle, text, room]
    library.tuner_results.argtypes = [text, text, EMIT, handle, text, room]
    library.tuner_recording.argtypes = [text, EMIT, handle, text, room]
    library.tuner_write_file.argtypes = [text, text, ctypes.c_int, ctypes.c_int, text, room]
    library.tuner_after_samples.argtypes = [pointer(Sampling), pointer(value), room, value]
    library.tuner_tuning_open.restype = handle
    library.tuner_tuning_open.argtypes = [text, pointer(TuningSettings), text, room]
    library.tuner_tuning_close.restype = None
    library.tuner_tuning_close.argtypes = [handle]
    library.tuner_tuning_add.argtypes = [handle, text, pointer(Buffer), room, text, room]
    library.tuner_tuning_step.argtypes = [handle, value, pointer(Progress), text, room]
    library.tuner_tuning_best.argtypes = [handle, text, text, room, pointer(value),
                                          pointer(ctypes.c_int), text, room]
    library.tuner_tuning_launch.argtypes = [handle, text, pointer(Buffer), room, text, room]
    return library


LIBRARY = _library()


def as_bytes(value):
    if value is None:
        return None
    text = os.fsencode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value).encode()
    if b"\0" in text:
        raise Error(f"{value!r} has a zero byte")
    return text


def whole(name, value, bits=64):
    """The value as a C function takes it: ctypes would make another number of one that does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}: a whole number is needed") from None
    if not 0 <= number < 2**bits:
        raise Error(f"{name} is {number}: a whole number from 0 to {2**bits - 1} is needed")
    return number


def real(name, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{name} is {value!r}: a number is needed") from None


def whole_from(name, value, least):
    if whole(name, value) < least:
        raise Error(f"{name} is {value}: at least {least} is needed")
    return value


def real_from(name, value, least, most=math.inf):
    """A number in this range."""
    number = real(name, value)
    if not least <= number <= most:
        raise Error(f"{name} is {value!r}: a number from {least:g} " + (f"to {most:g} is needed" if most < math.inf else
                                                                      "on is needed"))
    return number


def call(function, *arguments):
    """What the function returns; Error when it fails."""
    error = ctypes.create_string_buffer(ROOM)
    status = function(*arguments, error, ROOM)
    if status is None or status < 0:
        raise Error(error.value.decode(errors="replace"))
    return status


def write(path, text, way_out, is_study=False, force=False):
    """Writes a file of the user's by the rules of the commands; `way_out`: what an Error says to do where it may not be."""
    try:
        call(LIBRARY.tuner_write_file, as_bytes(path), as_bytes(text), is_study, force)
    except Error as error:
        raise Error(str(error).replace("--force replaces it", way_out)) from None


class Closing:
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
            return call(function, self._open(), *arguments)

    def close(self):
        with self._at_work(), self._seen:
            handle, self._handle = self._handle, None
            self._seen.wait_for(lambda: self._readers == 0)
            if handle is not None:
                self._end(handle)



def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="tuner-")


def program(prefix=None):
    """The program beside the library."""
    if prefix is None and _PREFIX.is_dir():
        prefix = _PREFIX
    if prefix is None:
        prefix = Path(LIBRARY._name).resolve().parents[1]
    return str(Path(prefix) / "bin" / "tuner")


@contextlib.contextmanager
def study_file(study):
    """The path of a study; one that is a dictionary is written for as long as it is needed, into the current folder,
    where its own paths begin."""
    if not isinstance(study, dict):
        yield study
        return
    kernel = study.get("kernel") or study.get("launcher")
    named = kernel.get("name") if isinstance(kernel, dict) else None
    named = named if isinstance(named, str) and named.isidentifier() else "study"
    try:
        text = json.dumps({"schema": 1, **study}, indent=1)
    except (TypeError, ValueError) as error:
        raise Error(f"the study cannot be written as JSON: {error}") from None
    handle, path = tempfile.mkstemp(prefix=f".{named}-", suffix=".yaml", dir=".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        yield path
    except Error as error:  # whoever reads it never saw the file
        raise Error(str(error).replace(path, "study")) from None
    finally:
        os.unlink(path)
