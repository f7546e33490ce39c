"""Recordings as a search of one's own sees them: a configuration is asked for, and costs what it cost."""

from __future__ import annotations

import ctypes
import json
from os import PathLike
from typing import Any

from tuner._library import EMIT, LIBRARY, Error, as_bytes, call
from tuner._space import meant, values_of

_SECONDS = 1.0  # of what a recording does not know, as `tuner run --replay` has it


class Replay:
    """A recording with a clock. `parameters`: names and their values; `configurations`: all that were recorded, dictionaries;
    `seconds`: what all that was measured would have taken; `best`: (configuration, value), or None; `trace`: after each
    measurement (measurements, seconds, best value so far, or None)."""

    def __init__(self, document):
        self.document = document  # as tuner_recording() in tuner_c.h has it
        self.kernel, self.device, self.objective = document["kernel"], document["device"], document["objective"]
        self.parameters = {one["name"]: [values_of({"": value})[""] for value in one["values"]]
                           for one in document["parameters"]}
        self.configurations = [values_of(one["configuration"]) for one in document["trials"]]
        self._trials = dict(zip(map(self._key, self.configurations), document["trials"]))
        self._sign = -1 if document["maximize"] else 1
        self._seen = set()
        self.reset()

    def _key(self, configuration):
        for name in configuration:
            if name not in self.parameters:
                raise Error(f"there is no parameter '{name}'{meant(str(name), self.parameters)}")
        for name in self.parameters:
            if name not in configuration:
                raise Error(f"the configuration says nothing of '{name}'")
        return tuple(configuration[name] for name in self.parameters)

    def reset(self) -> None:
        """Sets the clock to 0, for another search."""
        self.seconds, self.best, self.trace = 0.0, None, []
        self._seen.clear()

    def measure(self, configuration: dict[str, Any]) -> float | None:
        """The recorded value (milliseconds, where the objective is "time"), None for a configuration that failed. The clock
        goes on by what it cost, if it was not asked for before. Raises Error for one that was not recorded."""
        key = self._key(configuration)
        trial = self._trials.get(key)
        if trial is None:
            raise Error(f"{configuration} was not recorded")
        if key not in self._seen:
            self._seen.add(key)
            self.seconds += _SECONDS if trial["cost_seconds"] is None else trial["cost_seconds"]
        value = trial["objective"]
        if value is not None and (self.best is None or self._sign * value < self._sign * self.best[1]):
            self.best = dict(configuration), value
        self.trace.append((len(self._seen), self.seconds, self.best and self.best[1]))
        return value

    def __len__(self):
        return len(self.configurations)

    def __repr__(self):
        return f"<Replay: {self.kernel or 'a kernel'}, {len(self)} configurations, {len(self._seen)} measured in {self.seconds:.4g} s>"


def replay(path: str | PathLike[str]) -> Replay:
    """A recording for a search of your own: what it asks for, measure(configuration), is answered with what was measured
    once, and its clock goes on by what that cost.

    path  what `tuner run --replay` takes: a folder of results, or "FOLDER#KERNEL/DEVICE/SIZE" of one that has several, its
          ranked CSV, a cache of Kernel Tuner or a T4 file, also compressed

    Returns a Replay. Raises Error for a file that is none of these."""
    pieces = []
    emit = EMIT(lambda _, text, size: pieces.append(ctypes.string_at(text, size)))
    call(LIBRARY.tuner_recording, as_bytes(path), emit, None)
    return Replay(json.loads(b"".join(pieces)))
