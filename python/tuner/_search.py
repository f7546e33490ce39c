"""Ask and tell, and tuning in the idle time of a program."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Iterator

from tuner import _arrays
from tuner._library import (LAUNCH, LIBRARY, ROOM, Buffer, Closing, Error, Progress, TuningSettings, as_bytes, call, real,
                            study_file, whole)


def size_text(size):
    """{"n": 1000} as "n=1000"; a text as it is."""
    return ",".join(f"{name}={extent}" for name, extent in size.items()) if isinstance(size, dict) else size


class Search(Closing):
    """Asks for configurations (dictionaries) and is told how good they are. Iterating ends when all is
    done; what is open must be told before the next is asked for."""

    _end = LIBRARY.tuner_search_close

    def __init__(self, study, size=None, strategy=None, seed=1, prefix=None):
        with study_file(study) as path:
            self._handle = call(LIBRARY.tuner_search_open, as_bytes(path), as_bytes(size_text(size)), as_bytes(strategy),
                                whole("seed", seed), as_bytes(prefix))

    def __len__(self) -> int:
        """How many configurations there are."""
        count = ctypes.c_uint64()
        self._do(LIBRARY.tuner_search_size, ctypes.byref(count))
        return count.value

    def ask(self) -> tuple[int, dict[str, Any]] | None:
        """(number, configuration), or None when there is none now."""
        number = ctypes.c_uint64()
        text = ctypes.create_string_buffer(ROOM)
        if self._do(LIBRARY.tuner_search_ask, ctypes.byref(number), text, ROOM) == 0:
            return None
        return number.value, json.loads(text.value)

    def tell(self, number: int, value: float, seconds: float = 0.0) -> None:
        """The value is to be minimised; one that is not finite says that it failed. seconds: what it cost to find out."""
        self._do(LIBRARY.tuner_search_tell, whole("number", number), real("value", value),
                 real("seconds", seconds))

    def fail(self, number: int) -> None:
        """The configuration could not be measured."""
        self._do(LIBRARY.tuner_search_fail, whole("number", number))

    def best(self) -> tuple[dict[str, Any], float] | None:
        """(configuration, value) of the best that was told, or None."""
        value = ctypes.c_double()
        text = ctypes.create_string_buffer(ROOM)
        with self._at_work():
            found = LIBRARY.tuner_search_best(self._open(), text, ROOM, ctypes.byref(value))
        if found < 0:
            raise Error(f"the configuration needs more than {ROOM} bytes")
        return (json.loads(text.value), value.value) if found == 1 else None

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        while (question := self.ask()) is not None:
            yield question


class Tuning(Closing):
    """Tunes in the idle time of a program, in its own process: docs/library.md. `launch(size, configuration)` is the
    program's own launch, which returns milliseconds, or None to have the library look at the clock. When it raises an
    exception, the configuration has failed."""

    _end = LIBRARY.tuner_tuning_close

    def __init__(self, study, backend=None, strategy=None, seed=1, evaluations=0, folder="results", jobs=1, device=0,
                 launch=None, prefix=None):
        self._raised, self._is_cpu = [], str(backend).split(":")[0] == "cpu"
        self._launch = LAUNCH(self._launching(launch, self._raised)) if launch is not None else LAUNCH()
        settings = TuningSettings(as_bytes(backend), as_bytes(strategy), as_bytes(folder), as_bytes(prefix),
                                   whole("seed", seed), whole("evaluations", evaluations), whole("jobs", jobs, 32),
                                   whole("device", device, 32), self._launch, None)
        with study_file(study) as path:
            self._handle = call(LIBRARY.tuner_tuning_open, as_bytes(path), ctypes.byref(settings))

    @staticmethod
    def _launching(launch, raised):
        def call(_, size, configuration, milliseconds):
            try:
                told = launch(size.decode(), json.loads(configuration))
                if told is not None:
                    milliseconds[0] = real("milliseconds", told)
                return 0 if told is None or milliseconds[0] >= 0 else 1
            except BaseException as error:  # KeyboardInterrupt, say, must not be lost in C
                if not isinstance(error, Exception):
                    raised.append(error)
                return 1  # whatever it is: this configuration cannot be launched
        return call

    @staticmethod
    def _buffers(buffers, on_host_is="allowed"):
        given = []
        for name, place in (buffers or {}).items():
            on_host = False
            if isinstance(place, tuple):
                if len(place) != 2:
                    raise Error(f"'{name}' needs an array, or (address, bytes) of device memory")
                address, size = place
            else:
                address, size, on_gpu = _arrays.memory_of(name, place)
                on_host = on_host_is == "allowed" and not on_gpu
                if on_host_is == "refused" and not on_gpu:
                    raise Error(f"'{name}' is in main memory: a launch needs device memory (backend=\"cpu\" takes this)")
            given.append(Buffer(as_bytes(name), whole(f"the address of '{name}'", address),
                                whole(f"the bytes of '{name}'", size), on_host))
        return (Buffer * len(given))(*given), len(given)

    def add(self, size: str | dict[str, int], buffers: dict[str, Any] | None = None) -> None:
        """A size to be tuned ("n=1000"); buffers: {argument: array, or (address, bytes) of
        device memory}; they are read now, and may be arrays in main memory."""
        self._do(LIBRARY.tuner_tuning_add, as_bytes(size_text(size)), *self._buffers(buffers))

    def step(self, milliseconds: float) -> Progress:
        """Works for about that long; returns a Progress."""
        progress = Progress()
        self._do(LIBRARY.tuner_tuning_step, real("milliseconds", milliseconds), ctypes.byref(progress))
        if self._raised:
            raise self._raised.pop()
        return progress

    def best(self, size: str | dict[str, int]) -> tuple[dict[str, Any], float] | None:
        """(configuration, milliseconds) of the best so far, or None. At any time, by any thread."""
        value, tuned = ctypes.c_double(), ctypes.c_int()
        text = ctypes.create_string_buffer(ROOM)
        with self._reading() as handle:
            found = call(LIBRARY.tuner_tuning_best, handle, as_bytes(size_text(size)), text, ROOM,
                          ctypes.byref(value), ctypes.byref(tuned))
        return (json.loads(text.value), value.value) if found else None

    def launch(self, size: str | dict[str, int], buffers: dict[str, Any]) -> bool:
        """Launches the best so far on the program's memory; False when there is none yet."""
        return self._do(LIBRARY.tuner_tuning_launch, as_bytes(size_text(size)),
                        *self._buffers(buffers, "taken" if self._is_cpu else "refused")) == 1
