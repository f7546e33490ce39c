"""tune(): any Python function as what is tuned."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

from tuner import _arrays, _clocks, _library, _space
from tuner._answers import right_answers
from tuner._library import Error
from tuner._pool import Pool
from tuner._progress import Progress
from tuner._results import Tuned
from tuner._search import Search
from tuner._source import Portable

_FINAL_MS = 400.0
_ROUNDS = (7, 31)
_MOST_JOBS = 16


class _Own(_library.Closing):
    """What was measured here, in the store of `tuner run`."""

    _end = _library.LIBRARY.tuner_own_close

    def __init__(self, study, folder, context):
        self._handle = _library.call(_library.LIBRARY.tuner_own_open, _library.as_bytes(study), _library.as_bytes(folder),
                                     json.dumps(context).encode())
        self._told = None  # until something is recorded

    def record(self, trials):
        self._told = None
        self._do(_library.LIBRARY.tuner_own_record, json.dumps(trials).encode())

    def results(self):
        if self._told is not None:
            return self._told
        pieces = []
        emit = _library.EMIT(lambda _, text, size: pieces.append(ctypes.string_at(text, size)))
        self._do(_library.LIBRARY.tuner_own_results, emit, None)
        self._told = json.loads(b"".join(pieces))
        return self._told


def _named(function, arguments, parameters):
    """{name: value} of the arguments, and the names of those that are given by position."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise Error(f"{function!r} tells no signature: a Python function is needed") from None
    kinds = signature.parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in kinds.values())
    for name in parameters:
        if name not in kinds and not takes_all:
            raise Error(f"the function takes no parameter '{name}'{_space.meant(name, kinds)}")
    if isinstance(arguments, dict):
        given, positional = dict(arguments), []
    else:
        free = [one.name for one in kinds.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        rest = [f"argument {place}" for place in range(len(free), len(arguments))]
        given = dict(zip(free + rest, arguments))
        positional = list(given)
    both = sorted(set(given) & set(parameters))
    if both:
        raise Error(f"'{both[0]}' is given as an argument and as a parameter")
    named = {name: None for name in given if name not in positional}
    try:
        signature.bind(*positional, **named, **dict.fromkeys(parameters))
    except TypeError as error:
        raise Error(f"the function cannot be called so: {error}") from None
    return {name: _arrays.known(value) for name, value in given.items()}, positional


def _checked_size(size, arguments):
    if size is None:
        counts = [1]
        for value in arguments.values():
            if _arrays.kind_of(value) is not None:
                count = 1
                for extent in _arrays.kind_of(value).shape_of(value):
                    count *= extent
                counts.append(count)
        return {"elements": max(counts)}
    return {name: _library.whole(f"size '{name}'", extent) for name, extent in dict(size).items()}


class _Task:
    """One call of tune(): everything that was given, checked."""

    def __init__(self, function, parameters, arguments, reference, constraints, o):
        self.function, self.options = function, o
        self.parameters = _space.plain_parameters(parameters)
        self.arguments, self.positional = _named(function, arguments, self.parameters)
        self.packed = {name: _arrays.pack(name, value) for name, value in self.arguments.items()}
        self.reference, self.outputs = reference, o["outputs"]
        if isinstance(constraints, str) or callable(constraints):
            constraints = (constraints,)
        texts = [_space.constraint_text(one, self.parameters) for one in constraints]
        self.constraints = [text for text in texts if text is not None]
        self.portable = Portable(function)
        self.name = o["name"] or self.portable.name.strip("_") or "function"
        self.size = _checked_size(o["size"], self.arguments)
        self.device, self.on_gpu = _clocks.device_of(self.arguments)
        self.rules = {"cache": o["cache"], "drop_above": o["drop_above"], "min_samples": 7, "max_samples": o["samples"],
                      "precision": o["precision"], "max_milliseconds": 200.0, "tolerance": self._tolerance(o)}
        if o["cache"] not in ("cold", "hot"):
            raise Error(f"cache is {o['cache']!r}: 'cold' and 'hot' are allowed")
        if self.rules["max_samples"] < self.rules["min_samples"]:
            raise Error(f"samples is {self.rules['max_samples']}: at least {self.rules['min_samples']} are needed")

    @staticmethod
    def _tolerance(o):
        if o["rtol"] is None and o["atol"] is None:
            return {}
        rtol, atol = (value if isinstance(value, dict) else {None: value} for value in (o["rtol"], o["atol"]))
        return {name: (float(rtol.get(name) or 0), float(atol.get(name) or 0)) for name in {*rtol, *atol}}

    def jobs(self):
        if self.options["jobs"] is not None:
            return max(1, _library.whole("jobs", self.options["jobs"], 32))
        # Two cores stay free: for this process, and so that nobody disturbs the one whose calls are timed.
        return max(1, min(_MOST_JOBS, len(os.sched_getaffinity(0)) - 2)) if self.on_gpu else 1

    def write_study(self, folder):
        """The space as a study: what `tuner` reads it by, and the search asks from."""
        o = self.options
        budget = {"evaluations": _library.whole("evaluations", o["evaluations"])} if o["evaluations"] else {}
        search = {"budget": budget} if budget else {}
        if o["strategy"] is not None:
            search["strategy"] = o["strategy"]
        study = {"schema": 1, "problem_sizes": [self.size], "parameters": self.parameters,
                 "measure": {"drop_above": self.rules["drop_above"], "cache": o["cache"], "finalists": o["finalists"]}}
        for key, value in (("constraints", self.constraints), ("search", search), ("baseline", o["baseline"])):
            if value:
                study[key] = value
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / f"{self.name}.yaml"
        text = f"# What tuner.tune() tuned '{self.portable.name}' over: for 'tuner results', 'report' and 'export'.\n"
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_text(text + json.dumps(study, indent=1) + "\n", encoding="utf-8")
        new.replace(path)
        return path

    def context(self):
        """All that can change what is measured."""
        versions = {"Python": ".".join(map(str, sys.version_info[:3]))}
        verify = ""
        if self.reference is not None:
            tolerance = json.dumps(sorted((str(name), pair) for name, pair in self.rules["tolerance"].items()))
            if callable(self.reference):
                portable = Portable(self.reference, "reference")
                versions.update(portable.packages)
                verify = portable.identity + tolerance
            else:
                verify = right_answers_digest(self.reference) + tolerance
            verify += repr(self.outputs)
        versions.update(self.portable.packages)
        for module in ("torch", "triton", "numpy", "cupy"):
            if module in sys.modules:
                versions[module] = getattr(sys.modules[module], "__version__", "?")
        # What an output holds before a call is nobody's input.
        unread = set(self.answers["pure"]) | set(() if self.reference is not None else self.outputs or ())
        inputs = [[name, _arrays.describe(self.arguments[name]) if name in unread else _arrays.digest(packed)]
                  for name, packed in self.packed.items()]
        rules = {key: value for key, value in self.rules.items() if key != "tolerance"}
        return {"device": self.device, "identity": [
            ["source", self.portable.identity], ["inputs", json.dumps(inputs)], ["verify", verify],
            ["measuring", f"{self.options['cache']}, in Python, {json.dumps(rules, sort_keys=True)}"],
            ["compiler", ", ".join(f"{name} {version}" for name, version in versions.items())],
            ["backend options", ""]]}

    def job(self):
        return {"path": [os.path.abspath(one) if one else os.getcwd() for one in sys.path],
                "function": self.portable.sent, "positional": self.positional, "rules": self.rules,
                "uses_triton": "triton" in self.portable.packages}

    def inputs(self):
        """What the workers are given: equal arrays go once."""
        values, places, arguments = [], {}, []
        for name, value in self.arguments.items():
            if id(value) not in places:
                places[id(value)] = len(values)
                values.append(self.packed[name])
            arguments.append((name, places[id(value)]))
        return {"values": values, "arguments": arguments, **self.answers}

    @functools.cached_property
    def answers(self):
        return right_answers(self.reference, self.arguments, self.positional, self.outputs)


def right_answers_digest(reference):
    """Of arrays that were given as the right answers."""
    named = reference.items() if isinstance(reference, dict) else enumerate(
        reference if isinstance(reference, (list, tuple)) else [reference])
    return json.dumps([[str(name), _arrays.digest(_arrays.pack(str(name), _arrays.known(value)))] for name, value in named])


class _Run:
    """Asks, has measured, tells and records, until nothing is left."""

    def __init__(self, task, own, search, heard):
        self.task, self.own, self.search, self.heard = task, own, search, heard
        self.known = {_key(one["configuration"]): one for result in own.results()["results"] for one in result["trials"]}
        self.before = len(self.known)
        self.best_ms = min((one["search_ms"] for one in self.known.values() if one["state"] in ("ok", "dropped")),
                           default=0.0)
        self.told, self.asked, self.stopped = 0, {}, False
        options = task.options
        self.most = options["evaluations"] or float("inf")
        self.end = time.monotonic() + options["seconds"] if options["seconds"] else float("inf")
        self.first = [options["baseline"]] if options["baseline"] else []

    def next(self):
        """A configuration that is not known yet; None: none now."""
        while self.first:
            configuration = self.first.pop()
            if _key(configuration) not in self.known:
                self.asked[_key(configuration)] = None
                return configuration
        while not self.stopped and self.told + len(self.asked) < self.most and time.monotonic() < self.end:
            question = self.search.ask()
            if question is None:
                return None
            number, configuration = question
            key = _key(configuration)
            if key in self.known:
                self.tell(number, self.known[key])
            elif key in self.asked:  # the baseline, which is at work already
                self.asked[key] = number
            else:
                self.asked[key] = number
                return configuration
        return None

    def tell(self, number, trial):
        self.told += 1
        if trial["state"] in ("ok", "dropped"):
            self.search.tell(number, trial["search_ms"], trial["cost_seconds"])
        else:
            self.search.fail(number)

    def take(self, configuration, done, why):
        trial = done or {"state": why[0], "message": why[1], "cost_seconds": 0.0}
        trial["configuration"] = configuration
        self.own.record([trial])
        if "samples" in trial:
            trial["samples_ms"] = trial.pop("samples")
            trial["search_ms"] = sorted(trial["samples_ms"])[len(trial["samples_ms"]) // 2]
            self.best_ms = min(self.best_ms or float("inf"), trial["search_ms"])
        key = _key(configuration)
        self.known[key] = trial
        number = self.asked.pop(key)
        if number is not None:
            self.tell(number, trial)
        told = {name: trial.get(name) for name in ("configuration", "state", "max_error", "compile_ms", "cost_seconds")}
        told.update(time_ms=trial.get("search_ms"), message=trial["message"], samples_ms=trial.get("samples_ms"))
        if self.heard(told, self.best_ms) is True:
            self.stopped = True

    def go(self, pool, jobs, inputs):
        """Until nothing is left to ask for and nothing at work."""
        waiting, given = [], False
        while True:
            while len(self.asked) < jobs and (configuration := self.next()) is not None:
                waiting.append(configuration)
            if self.stopped:
                for configuration in waiting:
                    del self.asked[_key(configuration)]
                waiting.clear()
            if not self.asked:
                return
            pool.grow(min(jobs, len(self.asked)))
            if not given:
                pool.give_inputs(inputs())  # while the workers begin
                given = True
            pool.best_ms = self.best_ms
            for worker, configuration in zip(pool.idle(), list(waiting)):
                waiting.remove(configuration)
                pool.begin(worker, configuration, "variant", configuration)
            for configuration, done, why in pool.wait():
                self.take(configuration, done, why)

    def final(self, pool, inputs):
        """The best few in turns, by one worker, where one is due."""
        finalists = self.own.results()["finalists"]
        if len(finalists) < 2:
            return
        if pool.size() == 0:
            pool.grow(1)
            pool.give_inputs(inputs())
        rounds = int(_FINAL_MS / (len(finalists) * max(self.best_ms, 1e-3)))
        rounds = min(max(rounds, _ROUNDS[0]), _ROUNDS[1])
        while not pool.idle():
            pool.wait()
        pool.begin(pool.idle()[0], "final", "final", finalists, self.task.options["seed"], rounds)
        ended = []
        while not ended:
            ended = pool.wait()
        samples = ended[0][1]
        if samples is None:
            return  # the search's figures stay
        trials = []
        for configuration, taken in zip(finalists, samples):
            if taken:
                before = self.known[_key(configuration)]
                trials.append({**{key: before[key] for key in ("configuration", "state", "compile_ms", "cost_seconds",
                                                               "max_error") if before.get(key) is not None},
                               "samples": before["samples_ms"], "final": taken})
        self.own.record(trials)


def _key(configuration):
    return json.dumps(configuration, sort_keys=True)


def tune(function: Callable[..., Any], parameters: dict[str, Iterable], arguments: Sequence | dict[str, Any],
         reference: Any = None, constraints: str | Callable[..., Any] | Iterable = (), *,
         baseline: dict[str, Any] | None = None, outputs: Sequence[str] | None = None,
         rtol: float | dict[str, float] | None = None, atol: float | dict[str, float] | None = None,
         size: dict[str, int] | None = None, name: str | None = None, strategy: str | None = None, seed: int = 1,
         evaluations: int | None = None, seconds: float | None = None, jobs: int | None = None, timeout: float = 60.0,
         cache: str = "cold", samples: int = 50, precision: float = 0.015, drop_above: float = 2.0, finalists: int = 16,
         folder: str | os.PathLike[str] = "results", fresh: bool = False,
         on_trial: Callable[[dict[str, Any]], Any] | None = None, progress: bool | None = None,
         prefix: str | os.PathLike[str] | None = None) -> Tuned:
    """Finds the fastest values of the parameters of a function, which is called as function(*arguments, **values), or
    with arguments by name where they are a dictionary. docs/python.md says what each option does.

    Returns a Tuned: `.best`, `.time_ms`, `.speedup`, `.table`. What was measured is kept in `folder`: the same call goes
    on with it, after Ctrl-C (KeyboardInterrupt) and any other end."""
    options = {key: value for key, value in locals().items()
               if key not in ("function", "parameters", "arguments", "reference", "constraints")}
    begin = time.monotonic()
    task = _Task(function, parameters, arguments, reference, constraints, options)
    first = baseline or _first_of(task)
    options["baseline"] = _space.configuration_of("the baseline", first, task.parameters)
    study = task.write_study(folder)
    context = task.context()
    context["fresh"] = bool(fresh)
    bar = Progress(progress, task.name, options["evaluations"])

    def heard(trial, best_ms):
        bar.trial(trial, best_ms)
        return on_trial(trial) if on_trial is not None else None

    with contextlib.ExitStack() as stack:
        stack.callback(bar.close)
        own = stack.enter_context(_Own(study, folder, context))
        search = stack.enter_context(Search(study, strategy=None, seed=seed, prefix=prefix))
        pool = stack.enter_context(Pool(task.job(), _library.real("timeout", timeout)))
        run = _Run(task, own, search, heard)
        run.go(pool, task.jobs(), task.inputs)
        run.final(pool, task.inputs)
        document = own.results()
    return Tuned(document, function, str(study), str(folder), time.monotonic() - begin,
                 len(run.known) - run.before, task.reference is not None)


def _first_of(task):
    """The first configuration that the constraints leave: what the others are compared with."""
    task.options["baseline"] = None
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_library.temporary_folder())
        study = task.write_study(folder)
        search = stack.enter_context(Search(study, strategy="exhaustive", seed=1, prefix=task.options["prefix"]))
        question = search.ask()
    if question is None:
        raise Error("the constraints leave no configuration: " + "; ".join(task.constraints))
    return question[1]
