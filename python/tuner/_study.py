"""Runs of a study, and what is stored of it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import signal
import subprocess
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Dict, Union

from tuner import _library
from tuner._frameworks import FORMATS
from tuner._library import Error, as_bytes, call, program, real, study_file, whole
from tuner._progress import Progress
from tuner._reference import study_with
from tuner._options import checked_size
from tuner._results import checked, rows
from tuner._search import size_text

Study = Union[str, "PathLike[str]", Dict[str, Any]]  # a file, or its keys

_INTERRUPTED = (130, -signal.SIGINT)


def _words(options):
    """As the command line has them: {"where": [..]} is --where .. for each; True is the option alone."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, str(size_text(one))]
    return words


def _budget(budget, evaluations, seconds):
    parts = [] if budget is None else [str(budget)]
    if whole("evaluations", evaluations):
        parts.append(str(whole("evaluations", evaluations)))
    if real("seconds", seconds) < 0 or math.isnan(real("seconds", seconds)):
        raise Error(f"seconds is {seconds}: at least 0 is needed")
    if seconds:
        parts.append(f"{real('seconds', seconds):g}s")
    return ",".join(parts) or None


class _Events:
    """What `tuner run --progress json` says, line by line."""

    def __init__(self, child, hear):
        self._child, self._hear = child, hear
        self.error, self.raised, self._ended = None, None, False

    def end(self, raised=None):
        """The run ends and keeps what it has; what was raised is raised again behind it."""
        self.raised = self.raised or raised
        if not self._ended:
            self._ended = True
            self._child.send_signal(signal.SIGINT)

    def take(self, line):
        try:
            event = json.loads(line)
        except ValueError:
            self.error = (self.error or "") + line
            return
        if event.get("event") == "error":
            self.error = event["message"]
        elif not self._ended:
            try:
                if self._hear(event) is True:
                    self.end()
            except BaseException as error:
                self.end(error)


def _trial(event):
    """What on_trial is given."""
    return {**{name: event.get(name) for name in ("configuration", "state", "time_ms", "objective", "metrics", "size",
                                                  "device", "from_store")},
            "message": event.get("message") or "", "seconds": event.get("elapsed_s")}



def run(study: Study, backend: str | None = None, strategy: str | None = None, seed: int = 1, evaluations: int = 0,
        seconds: float = 0.0, folder: str | PathLike[str] = "results", jobs: int | None = None,
        on_trial: Callable[[dict[str, Any]], Any] | None = None, prefix: str | PathLike[str] | None = None, *,
        size: str | dict[str, int] | list | None = None, where: str | list[str] | None = None,
        budget: str | int | None = None, device: int | str | list[int] | None = None, fresh: bool = False,
        timeout: float | None = None, cross_sizes: bool = False, warm_start: bool = True, progress: bool | None = None,
        on_event: Callable[[dict[str, Any]], Any] | None = None, reference: Callable[..., Any] | None = None,
        arrays: str = "numpy", **more: Any) -> dict[str, Any]:
    """Tunes a study (a file, or a dictionary of its keys) as `tuner run` does, with its results in a folder, and returns
    what results() does. `size` ("N=4096" or {"N": 4096}), `where`: one or a list. Other options of the command line have
    their names, with _ for -. `on_trial` gets each trial as a dictionary; when it returns True the run ends. An exception
    of its own, Ctrl-C included, ends the run, too, and is raised. `on_event` gets all that --progress json tells. `reference`: instead
    of the study's a function of its arguments and extents, by their names, that returns the outputs; `arrays`: "numpy" or
    "torch", what it is given."""
    options = {"backend": backend, "strategy": strategy, "seed": whole("seed", seed), "results": folder,
               "jobs": None if jobs is None else whole("jobs", jobs, 32), "size": size, "where": where,
               "budget": _budget(budget, evaluations, seconds), "timeout": timeout, "fresh": fresh,
               "cross-sizes": cross_sizes, "no-warm-start": not warm_start,
               "device": ",".join(map(str, device)) if isinstance(device, (list, tuple)) else device, **more}
    bar, stored = Progress(progress, "tuner"), [0]

    def hear(event):
        ended = on_event(event) if on_event is not None else None
        if event.get("event") == "begin":
            bar.more(event["total"])
        if event.get("event") == "trial":
            stored[0] += bool(event["from_store"])
            if not event["from_store"]:
                bar.trial(event["state"], event.get("best_ms"), stored[0])
            ended = (on_trial(_trial(event)) if on_trial is not None else None) or ended
        return ended

    with study_file(study_with(study, reference, arrays, folder)) as path, contextlib.closing(bar):
        _child([program(prefix), "run", str(path), "--progress", "json", *_words(options)], hear)
        return results(path, folder)


def _child(words, hear):
    """Runs the program until it ends, also by Ctrl-C, which it is told of."""
    try:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True, errors="replace", start_new_session=True)
    except OSError as error:
        raise Error(f"cannot start {words[0]}: {error}") from None
    events = _Events(child, hear)
    while True:
        try:
            line = child.stderr.readline()
            if not line:
                child.wait()
                break
            events.take(line)
        except KeyboardInterrupt as error:
            events.end(error)
    child.stderr.close()
    if events.raised:
        raise events.raised
    if child.returncode not in (0, 1, *_INTERRUPTED):
        raise Error((events.error or f"the program ended with {child.returncode}").strip())


def results(study: Study, folder: str | PathLike[str] = "results") -> dict[str, Any]:
    """What is stored of a study, as docs/exchange.md describes it."""
    pieces = []
    emit = _library.EMIT(lambda _, text, size: pieces.append(ctypes.string_at(text, size)))
    with study_file(study) as path:
        call(_library.LIBRARY.tuner_results, as_bytes(path), as_bytes(folder), emit, None)
    return json.loads(b"".join(pieces))


def export(study: Study, format: str, folder: str | PathLike[str] = "results", *, to: str | PathLike[str] | None = None,
           force: bool = False, names: dict[str, str] | None = None, **more: Any) -> str | list[str]:
    """What `tuner export` writes in a format that is a single file (header, json, csv, ...), as text; `more`: options.

    "triton" and "vllm_moe" are for frameworks: their files are named by what is in them, so with `to`, a folder, they are
    written there, and their paths are returned; `force` replaces files that tuner did not write. `names` renames parameters,
    {"WARPS": "num_warps"}; `more` are extents of sizes, N=4096, and for vLLM `dtype` and `block_shape`. docs/python.md shows
    both."""
    if not isinstance(format, str) or not isinstance(names, (dict, type(None))):
        raise Error(f"format is {format!r} and names is {names!r}: a text and a dictionary are needed")
    if format in FORMATS:
        stem = "study" if isinstance(study, dict) else Path(str(study)).stem
        return _files(FORMATS[format](results(study, folder), stem, names or {}, **more), to, force)
    with study_file(study) as path, tempfile.TemporaryDirectory(prefix="tuner-") as room:
        file = f"{room}/exported"
        done = subprocess.run([program(), "export", str(path), "--format", format, "--results", str(folder), "-o", file,
                               *_words(more)], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise Error(done.stderr.strip() or f"the program ended with {done.returncode}")
        with open(file, encoding="utf-8") as text:
            return text.read()


def _files(files, to, force):
    if to is None:
        if len(files) > 1:
            raise Error(f"there are {len(files)} files, {', '.join(files)}: 'to' names a folder for them")
        return next(iter(files.values()))
    for name, text in files.items():
        _library.write(Path(to, name), text, "force=True replaces it", force=force)
    return [str(Path(to, name)) for name in files]


def table(found: dict[str, Any]) -> list[dict[str, Any]]:
    """All results as a list of dictionaries, one a trial, with size and device: pandas.DataFrame(tuner.table(found))."""
    return [{**{name: extent for name, extent in one["size"].items()}, "device": one["device"]["name"], **row}
            for one in checked(found)["results"] for row in rows(one)]


def columns(result: dict[str, Any]) -> dict[str, list]:
    """One entry of results()["results"] as columns: a dictionary from name to list, a row for each trial."""
    listed = rows(result)
    names = list(dict.fromkeys(name for row in listed for name in row))
    return {name: [row.get(name) for row in listed] for name in names}


def _nearest(fitting, size):
    """On each device the tuned size with the smallest sum of squared log2 of the ratios: an exported header's first rule."""
    chosen = {}
    for one in fitting:
        if set(one["size"]) != set(size):
            raise Error(f"the size needs {', '.join(one['size'])}, not {', '.join(size)}")
        far = sum(math.log2(max(extent, 1) / max(size[name], 1)) ** 2 for name, extent in one["size"].items())
        known = chosen.get(one["device"]["name"])
        if known is None or far < known[0]:
            chosen[one["device"]["name"]] = (far, one)
    return [one for _, one in chosen.values()]


def select(found: dict[str, Any], size: dict[str, int] | None = None, device: str | None = None, nearest: bool = True,
           **values: Any) -> dict[str, Any] | None:
    """The best valid trial (a dictionary) of results(), for a size ({"n": 1000}; None: the only one), on a device (its
    name), among the configurations with these values (TILE=16); None where there is none. For a size that was not tuned
    it is that of the nearest one, with `nearest` only."""
    known = [one["name"] for one in checked(found)["parameters"]]
    if size is not None:
        size = checked_size(size)
    for name in values:
        if name not in known:
            from tuner._space import meant
            raise Error(f"there is no parameter '{name}'{meant(name, known)}")
    fitting = [one for one in found["results"] if device in (None, one["device"]["name"])]
    if device is not None and found["results"] and not fitting:
        raise Error(f"there is no device '{device}'; there are: " +
                    ", ".join(sorted({one["device"]["name"] for one in found["results"]})))
    if size is not None:
        exact = [one for one in fitting if one["size"] == size]
        fitting = exact or (_nearest(fitting, size) if nearest else [])
    if len(fitting) > 1:
        raise Error("several sizes or devices fit; say which: " +
                    ", ".join(f"{one['label']} on {one['device']['name']}" for one in fitting))
    for trial in fitting[0]["trials"] if fitting else ():
        if trial["rank"] is not None and all(trial["configuration"].get(name) == value
                                             for name, value in values.items()):
            return {**trial, "size": fitting[0]["size"]}
    return None


def defines(found: dict[str, Any], trial: dict[str, Any]) -> list[str]:
    """The macros that a study's kernel is compiled with for a trial: ["-DTUNE_TILE=16", ...]."""
    if not isinstance(trial, dict) or "configuration" not in trial:
        raise Error(f"a trial is needed, as select() returns one, not {trial!r}")
    start = checked(found)["kernel"]["define_prefix"]
    texts = {True: "1", False: "0"}
    return [f"-D{start}{name}={texts[value] if isinstance(value, bool) else value}"
            for name, value in trial["configuration"].items()]
