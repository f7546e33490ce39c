"""Functions that choose their configuration at each call, by shapes and types of their arguments."""

from __future__ import annotations

import functools
import inspect
import os
import re
import threading
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

from tuner import _arrays, _clocks
from tuner._library import Error
from tuner._options import size_of
from tuner._source import untuned
from tuner._space import meant, values_of
from tuner._study import results, select
from tuner._tune import tune as tune_


_OPTIONS = [one for one in inspect.signature(tune_).parameters if one not in ("function", "arguments", "size")]


def _of_array(value):
    """By which an array chooses: quick, since every call does it. None: it is none."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return (value.typecode, len(value)) if hasattr(value, "typecode") else None
    return shape, value.dtype, getattr(value, "device", None)


def _of_value(value):
    return value if (array := _of_array(value)) is None else array


class Kernel:
    """A function with its tuned configurations: called like the function, without its parameters, it takes those that were
    tuned for these shapes and types. `configuration(*arguments)`: which ones that are."""

    def __init__(self, function, key, name, folder, tune):
        functools.update_wrapper(self, function)
        self._function, self._name, self._folder, self._tune = function, name or function.__name__, str(folder), tune
        names = list(inspect.signature(function).parameters)
        for one in key or ():
            if one not in names:
                raise Error(f"key names '{one}', which is no argument{meant(one, names)}")
        self._names, self._key = names, key
        self._places = [(names.index(one), one) for one in key or names]
        self._of = _of_array if key is None else _of_value
        self._chosen, self._turn = {}, threading.Lock()

    def __call__(self, *arguments, **named):
        try:
            chosen = self._chosen[self._key_of(arguments, named)]
        except (KeyError, TypeError):
            chosen = self.configuration(*arguments, **named)
        return self._function(*arguments, **named, **chosen)

    def _key_of(self, arguments, named):
        count, of = len(arguments), self._of
        return tuple([of(arguments[place] if place < count else named.get(name)) for place, name in self._places])

    def configuration(self, *arguments, **named) -> dict[str, Any]:
        """The values of the parameters that a call with these arguments has."""
        key = self._key_of(arguments, named)
        try:
            hash(key)
        except TypeError:
            raise Error(f"'{self._name}' cannot choose by its arguments: name those that it can with key=[...]") from None
        with self._turn:
            if key not in self._chosen:
                self._chosen[key] = self._choose(arguments, named)
            return self._chosen[key]

    def _choose(self, arguments, named):
        given = {**dict(zip(self._names, arguments)), **named}
        size, types = self._size_and_types(given)
        device = _clocks.device_of(given)[0]["name"]
        found = self._stored(types, size, device, exactly=self._tune is not None)
        if found is None and self._tune is not None:
            tuned = self._tune(self._function, given, f"{self._name}.{types}", size)
            if tuned.best is None:
                raise Error(repr(tuned))
            return tuned.best
        if found is None:
            raise Error(f"nothing was tuned for '{self._name}' with {types} and as many dimensions, in '{self._folder}': tune() or "
                        "@tuner.tuned(tune=True) do that")
        return found

    def _size_and_types(self, given):
        """The problem size of a call, and a text with the types, and other values, that choose."""
        keyed = {name: value for name, value in given.items() if self._key is None or name in self._key}
        arrays = {name: _arrays.known(value) for name, value in keyed.items()}
        types = dict.fromkeys(_arrays.kind_of(value).type_of(value) for value in arrays.values()
                              if _arrays.kind_of(value) is not None)
        size, words = size_of(None, arrays, ()), [str(one) for one in types]
        for name, value in keyed.items():
            if self._key is None or _arrays.kind_of(arrays[name]) is not None:
                continue
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                size[name + "_" * (name in size)] = value
            else:
                words.append(f"{name}_{value}")
        return size, re.sub(r"[^\w+-]+", "_", "-".join(words), flags=re.ASCII) or "any"

    def _stored(self, types, size, device, exactly):
        """The best configuration for this size; where not `exactly`, of a near one, on another device if need be."""
        for stem in (f"{self._name}.{types}", self._name):
            study = Path(self._folder, f"{stem}.yaml")
            if not study.exists():
                continue
            found = results(study, self._folder)
            found["results"] = [one for one in found["results"] if set(one["size"]) == set(size)]
            here = [one for one in found["results"] if one["device"]["name"] == device]
            if here or not exactly:
                found["results"] = here or found["results"][:1]
            trial = select(found, size=size, nearest=not exactly) if found["results"] else None
            if trial is not None and (not exactly or here):
                return values_of(trial["configuration"])
        return None

    def __repr__(self):
        return f"<tuned {self._name}: {len(self._chosen)} choices made>"


def tuned(parameters: dict[str, Iterable] | None = None, reference: Any = None,
          constraints: str | Callable[..., Any] | Iterable = (), *, key: Sequence[str] | None = None, tune: bool = False,
          name: str | None = None, folder: str | os.PathLike[str] = "results", **options: Any) -> Callable[[Callable], Kernel]:
    """A decorator: the function is called without its parameters, and takes at each call those that were tuned for the
    shapes and types of its arguments. Choosing costs microseconds from the second call with the same ones on.

    parameters   names and their values, as for tune(); needed where `tune` is True
    reference    right answers, as for tune()
    constraints  as for tune()
    key          names of the arguments that choose: arrays by shape, type and device, others by value; None: all arrays
    tune         True: what was not tuned yet is tuned at its first call, on the arguments of that call, which stay as they
                 are; False: the nearest size that was tuned is taken
    name         the name that results are stored under; None: the function's
    folder       where results are kept, NAME.TYPES.yaml for each combination of types
    options      further arguments of tune(): configurations, first, evaluations, seconds, rtol, ...

    Returns a Kernel. A call raises Error where nothing fits, and where no configuration gave right answers."""
    for one in options:
        if one not in _OPTIONS:
            raise Error(f"tuned() takes no '{one}'{meant(one, _OPTIONS)}")
    if tune and parameters is None and options.get("configurations") is None:
        raise Error("tuned(tune=True) needs parameters, or configurations")

    def first(function, given, stem, size):
        return tune_(function, parameters, given, reference, constraints, name=stem, folder=folder, size=size, **options)

    def decorate(function):
        function._is_tuned = True
        return Kernel(function, key, name, folder, first if tune else None)
    return decorate


def load(study: str | os.PathLike[str], function: Callable[..., Any], key: Sequence[str] | None = None) -> Kernel:
    """A function with what tune(), or @tuned, has found for it: it is called without its parameters, and takes those of the
    best configuration for the shapes and types of its arguments, or of the nearest size.

    study     the study that tune() wrote, "results/add.yaml"; those for single types, results/add.float32.yaml, go first
    function  the function that was tuned
    key       names of the arguments that choose; None: all arrays

    Returns a Kernel. Raises Error where there is no such study."""
    path = Path(study)
    if not path.exists() and not list(path.parent.glob(f"{path.stem}.*.yaml")):
        raise Error(f"'{path}': there is no such file")
    return Kernel(untuned(function), key, path.stem, path.parent, None)
