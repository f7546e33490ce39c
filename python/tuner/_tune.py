"""tune(): any Python function as what is tuned."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

from tuner import _arrays, _clocks, _library, _options, _space, _stands
from tuner._answers import right_answers
from tuner._library import Error
from tuner._pool import Pool
from tuner._progress import Progress
from tuner._results import Tuned
from tuner._run import Own, Run
from tuner._search import Search
from tuner._source import Portable, untuned

_MOST_JOBS = 16


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


class _Task:
    """One call of tune(): everything that was given, checked."""

    def __init__(self, function, parameters, arguments, reference, constraints, o):
        self.function, self.options = function, o
        _options.check(o)
        self.configurations = []
        if o["configurations"] is not None:
            self.configurations, parameters = _space.parameters_of(o["configurations"], parameters)
        self.parameters = _space.plain_parameters(parameters)
        self.configurations = [_space.configuration_of(f"configurations[{place}]", one, self.parameters)
                               for place, one in enumerate(self.configurations)]
        self.drawn = callable(arguments)
        self.arguments, self.positional = _named(function, _options.made_of(arguments, o["seed"]), self.parameters)
        self.packed = {name: _arrays.pack(name, value) for name, value in self.arguments.items()}
        self.reference, self.outputs = reference, o["outputs"]
        if isinstance(constraints, str) or callable(constraints):
            constraints = (constraints,)
        if not isinstance(constraints, Iterable):
            raise Error(f"constraints is {constraints!r}: a text, a function, or a list of these is needed")
        texts = [_space.constraint_text(one, self.parameters) for one in constraints]
        self.constraints = [text for text in texts if text is not None]
        self.portable = Portable(function)
        self.name = o["name"] or self.portable.name.strip("_") or "function"
        if not re.fullmatch(r"[\w+-][\w.+ -]*", self.name):
            raise Error(f"name is {self.name!r}: it names a file in 'folder', by letters, digits and '_', '-', '+', '.'")
        self.size = _options.size_of(o["size"], self.arguments, self.parameters)
        self.device, self.on_gpu = _clocks.device_of(self.arguments)
        self.rules = {"cache": o["cache"], "drop_above": o["drop_above"], "min_samples": 7, "max_samples": o["samples"],
                      "precision": o["precision"], "max_milliseconds": 200.0, "tolerance": self._tolerance(o)}
        # What workers need to make inputs that nobody has seen: their function and, if answers are compared, the reference.
        self.of_inputs = [Portable(arguments, "function 'arguments'")] if self.drawn else []
        if self.drawn and reference is not None:
            if not callable(reference):
                raise Error("where 'arguments' is a function the reference is one, too: each input has its own right answer")
            self.of_inputs.append(Portable(reference, "reference"))

    def _tolerance(self, o):
        if o["rtol"] is None and o["atol"] is None:
            return {}
        rtol, atol = ({of: _library.real_from(name, value, 0) for of, value in
                       (o[name] if isinstance(o[name], dict) else {None: o[name] or 0}).items()} for name in ("rtol", "atol"))
        for name in {*rtol, *atol} - {None, *self.arguments}:
            raise Error(f"rtol or atol names '{name}', which is no argument{_space.meant(str(name), self.arguments)}")
        return {name: (rtol.get(name, 0.0), atol.get(name, 0.0)) for name in {*rtol, *atol}}

    def jobs(self):
        if self.options["jobs"] is not None:
            return max(1, self.options["jobs"])
        # Two cores stay free: for this process, and so that nobody disturbs the one whose calls are timed.
        return max(1, min(_MOST_JOBS, len(os.sched_getaffinity(0)) - 2)) if self.on_gpu else 1

    def measures_all(self):
        return not (self.options["strategy"] or self.options["evaluations"] or self.options["seconds"])

    def write_study(self, folder, configurations=None):
        """The space as a study: what `tuner` reads it by, and the search asks from. `configurations`: these alone."""
        o = self.options
        budget = {"evaluations": o["evaluations"]} if o["evaluations"] else {}
        search = {"budget": budget} if budget else {}
        # Where all are measured the order matters little, and a strategy that learns has few compiled at a time.
        strategy = "random" if self.measures_all() else o["strategy"]
        if strategy is not None:
            search["strategy"] = strategy
        study = {"schema": 1, "problem_sizes": [self.size], "parameters": self.parameters,
                 "measure": {"drop_above": self.rules["drop_above"], "cache": o["cache"], "finalists": o["finalists"]}}
        for key, value in (("constraints", self.constraints), ("configurations", configurations or self.configurations), ("search", search), ("baseline", o["baseline"])):
            if value:
                study[key] = value
        path = Path(folder) / f"{self.name}.yaml"
        text = f"# What tuner.tune() tuned '{self.portable.name}' over: for 'tuner results', 'report' and 'export'.\n"
        _library.write(path, text + json.dumps(study, indent=1) + "\n", "another 'folder' or 'name' leaves it alone",
                       is_study=True)
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
        inputs = [[name, _arrays.describe(self.arguments[name]) if name in unread or self.drawn else _arrays.digest(packed)]
                  for name, packed in self.packed.items()]
        if self.drawn:
            inputs.append(["drawn", self.of_inputs[0].identity])
            versions.update(self.of_inputs[0].packages)
        rules = {key: value for key, value in self.rules.items() if key != "tolerance"}
        return {"device": self.device, "identity": [
            ["checks", "of each timed call"], ["source", self.portable.identity], ["inputs", json.dumps(inputs)],
            ["verify", verify],
            ["measuring", f"{self.options['cache']}{', on fresh inputs' * self.drawn}, in Python, "
                          f"{json.dumps(rules, sort_keys=True)}"],
            ["compiler", ", ".join(f"{name} {version}" for name, version in versions.items())],
            ["backend options", ""]]}

    def loads(self):
        return {"path": [os.path.abspath(one) if one else os.getcwd() for one in sys.path],
                "functions": self._functions(), "identity": [self.portable.identity, *(one.identity for one in self.of_inputs)],
                "imports": [name for name in ("numpy", "torch", "triton") if name in self.portable.packages]}

    def _functions(self):
        names = ("function", "arguments", "reference")
        return {name: one.sent for name, one in zip(names, (self.portable, *self.of_inputs))}

    @functools.cached_property
    def job(self):
        return {"positional": self.positional, "rules": self.rules, "uses_triton": "triton" in self.portable.packages,
                "apart": self.apart}

    @functools.cached_property
    def apart(self):
        """What the processes are given that compile alone; None: those that run the function compile it."""
        return _stands.of(self.arguments) if "triton" in self.portable.packages else None

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


def tune(function: Callable[..., Any], parameters: dict[str, Iterable] | None,
         arguments: Sequence | dict[str, Any] | Callable[[int], Sequence | dict[str, Any]],
         reference: Any = None, constraints: str | Callable[..., Any] | Iterable = (), *,
         configurations: Iterable | None = None, first: Iterable = (), baseline: dict[str, Any] | None = None,
         outputs: Sequence[str] | None = None,
         rtol: float | dict[str, float] | None = None, atol: float | dict[str, float] | None = None,
         size: dict[str, int] | None = None, name: str | None = None, strategy: str | None = None, seed: int = 1,
         evaluations: int | None = None, seconds: float | None = None, jobs: int | None = None, timeout: float = 60.0,
         cache: str = "cold", samples: int = 50, precision: float = 0.015, drop_above: float = 2.0, finalists: int = 16,
         folder: str | os.PathLike[str] = "results", fresh: bool = False,
         on_trial: Callable[[dict[str, Any]], Any] | None = None, progress: bool | None = None,
         prefix: str | os.PathLike[str] | None = None) -> Tuned:
    """Finds the fastest values of the parameters of a function, which is called as function(*arguments, **values), or
    with arguments by name where they are a dictionary.

    function        any Python function; it writes into its arguments, or returns arrays or a number
    parameters      names and their values: numbers, texts, truth values, None, tuples; None: those of `configurations`
    arguments       arrays and other values, a list or a dictionary; or a function of a seed that makes them, so that each
                    call has inputs that nobody has seen
    reference       right answers: a function of the arguments, or arrays; None: nothing is compared
    constraints     texts ("BLOCK <= 128"), or functions of parameters that say whether a configuration is allowed
    configurations  only these are tried: a list of dictionaries, or of triton.Config
    first           configurations that are measured before the search begins: a list of dictionaries, of any origin
    baseline        the configuration that `.speedup` compares with; None: the first valid one
    outputs         names of the arguments that are compared; None: all that the reference changes
    rtol, atol      tolerances, a number or a dictionary by argument; None: by the type
    size            the problem size that results are stored under, {"M": 4096}; None: the shapes of all arrays. Give other
                    shapes other sizes: of one size the newest results are shown
    name            the name that results are stored under; None: the function's
    strategy        a name of `tuner list strategies`; None: all configurations, or "default" where there is a limit
    seed            of the strategy, and of inputs
    evaluations     at most so many configurations
    seconds         no configuration begins later
    jobs            processes side by side; None: on a GPU all cores but two, at most 16, on the CPU 1
    timeout         seconds for one call of a process
    cache           "cold": the last-level cache is flushed before each sample; "hot"
    samples         at most so many of each configuration
    precision       sampling ends when the interval of the median is so narrow, 0.015 is 1.5 %
    drop_above      a configuration that is so many times as slow as the best is not measured on
    finalists       at most so many of the best are measured alternately at the end
    folder          where results are kept, with a study for the commands of `tuner`
    fresh           forgets earlier results
    on_trial        a function that gets each result; it ends the run by returning True
    progress        True: a bar or lines; False: neither; None: a bar in a terminal or a notebook
    prefix          an installation of tuner other than this package's

    Returns a Tuned: `.best`, `.time_ms`, `.speedup`, `.table`, `.plot()`, `.importance()`. What was measured is kept in
    `folder`: the same call goes on with it, after Ctrl-C (KeyboardInterrupt) and any other end. Raises Error for a mistake;
    a configuration that fails is a row of the table. docs/python.md has examples."""
    options = {key: value for key, value in locals().items()
               if key not in ("function", "parameters", "arguments", "reference", "constraints")}
    begin, function = time.monotonic(), untuned(function)
    task = _Task(function, parameters, arguments, reference, constraints, options)
    bar = Progress(progress, task.name)

    def heard(trial, best_ms, from_store):
        bar.trial(trial["state"], best_ms, from_store)
        return on_trial(trial) if on_trial is not None else None

    with contextlib.ExitStack() as stack:
        stack.callback(bar.close)
        # It loads the function while what comes next is done.
        pool = stack.enter_context(Pool(task.loads(), lambda: task.job, options["timeout"]))
        if baseline is None:
            options["baseline"] = _first_of(task)
        else:
            options["baseline"] = _space.configuration_of("the baseline", baseline, task.parameters)
        options["first"] = _allowed(task, [_space.configuration_of(f"first[{place}]", one, task.parameters)
                                           for place, one in enumerate(_space.listed("first", first))])
        study = task.write_study(folder)
        own = stack.enter_context(Own(study, folder, {**task.context(), "fresh": bool(fresh)}))
        search = stack.enter_context(Search(study, strategy=None, seed=seed, prefix=prefix))
        bar.more(min(len(search), evaluations or len(search)))
        run = Run(task, own, search, heard)
        run.go(pool, task.jobs(), task.inputs)
        run.final(pool, task.inputs)
        document = own.results()
    return Tuned(document, function, str(study), str(folder), time.monotonic() - begin,
                 len(run.known) - run.before, task.reference is not None)


def _first_of(task):
    """The first configuration that the constraints leave: what the others are compared with."""
    with _space_of(task) as search:
        question = search.ask()
    if question is None:
        raise Error("the constraints leave no configuration: " + "; ".join(task.constraints))
    return question[1]


@contextlib.contextmanager
def _space_of(task, configurations=None):
    """All that the constraints leave, of these configurations alone where they are named."""
    task.options["baseline"] = None
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_library.temporary_folder())
        study = task.write_study(folder, configurations)
        try:
            yield stack.enter_context(Search(study, strategy="exhaustive", seed=1, prefix=task.options["prefix"]))
        except Error as error:  # whoever reads it never saw the file
            raise Error(str(error).replace(str(study), task.name)) from None


def _allowed(task, first):
    """These configurations; Error where the constraints leave one of them out."""
    first = [one for place, one in enumerate(first) if one not in first[:place]]
    if not first:
        return first
    baseline = task.options["baseline"]
    with _space_of(task, first) as search:
        left = []
        for number, configuration in search:
            left.append(configuration)
            search.fail(number)
    task.options["baseline"] = baseline
    for place, one in enumerate(first):
        if one not in left:
            raise Error(f"first[{place}] is {_space.values_of(one)}, which the constraints, or 'configurations', leave out")
    return first
