"""libtuner from Python: ask and tell, and stored results. Needs no compiler: ctypes calls the C functions
of libtuner.so (tuner/library/tuner_c.h), which lies two folders above this file in an installation; the
environment variable TUNER_LIBRARY names another.

    with tuner.Search("study.yaml", strategy="genetic") as search:
        for number, configuration in search:
            search.tell(number, cost(**configuration))
        print(search.best())
"""

import ctypes
import json
import os
from pathlib import Path

_ROOM = 65536


class Error(Exception):
    """What is wrong, in the words of libtuner."""


_EMIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


def _library():
    default = Path(__file__).resolve().parents[2] / "libtuner.so"
    library = ctypes.CDLL(os.environ.get("TUNER_LIBRARY", str(default)))
    text, room = ctypes.c_char_p, ctypes.c_size_t
    handle, number, value = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_double
    library.tuner_search_open.restype = handle
    library.tuner_search_open.argtypes = [text, text, text, number, text, text, room]
    library.tuner_search_close.restype = None
    library.tuner_search_close.argtypes = [handle]
    library.tuner_search_ask.argtypes = [handle, ctypes.POINTER(number), text, room, text, room]
    library.tuner_search_tell.argtypes = [handle, number, value, value, text, room]
    library.tuner_search_fail.argtypes = [handle, number, text, room]
    library.tuner_search_best.argtypes = [handle, text, room, ctypes.POINTER(value)]
    library.tuner_results.argtypes = [text, text, _EMIT, ctypes.c_void_p, text, room]
    return library


_LIBRARY = _library()


def _bytes(value):
    return None if value is None else str(value).encode()


def _call(function, *arguments):
    """What the function returns; Error when it fails."""
    error = ctypes.create_string_buffer(_ROOM)
    status = function(*arguments, error, _ROOM)
    if status is None or status < 0:
        raise Error(error.value.decode())
    return status


class Search:
    """Asks for configurations (dictionaries) and is told how good they are. Iterating ends when all is
    done; what is open must be told before the next is asked for."""

    def __init__(self, study, size=None, strategy=None, seed=1, prefix=None):
        self._handle = None
        self._handle = _call(_LIBRARY.tuner_search_open, _bytes(study), _bytes(size),
                             _bytes(strategy), seed, _bytes(prefix))

    def ask(self):
        """(number, configuration), or None when there is none now."""
        number = ctypes.c_uint64()
        text = ctypes.create_string_buffer(_ROOM)
        if _call(_LIBRARY.tuner_search_ask, self._handle, ctypes.byref(number), text, _ROOM) == 0:
            return None
        return number.value, json.loads(text.value)

    def tell(self, number, value, seconds=0.0):
        """The value is to be minimised; seconds: what it cost to find out."""
        _call(_LIBRARY.tuner_search_tell, self._handle, number, value, seconds)

    def fail(self, number):
        """The configuration could not be measured."""
        _call(_LIBRARY.tuner_search_fail, self._handle, number)

    def best(self):
        """(configuration, value) of the best that was told, or None."""
        value = ctypes.c_double()
        text = ctypes.create_string_buffer(_ROOM)
        found = _LIBRARY.tuner_search_best(self._handle, text, _ROOM, ctypes.byref(value))
        return (json.loads(text.value), value.value) if found == 1 else None

    def close(self):
        if self._handle is not None:
            _LIBRARY.tuner_search_close(self._handle)
            self._handle = None

    def __iter__(self):
        while (question := self.ask()) is not None:
            yield question

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()


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
