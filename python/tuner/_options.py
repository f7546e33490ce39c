"""Checks what tune() is given before anything is begun, and names the problem size."""

import os
import re

from tuner import _arrays, _library
from tuner._library import Error


def checked_size(size):
    if not isinstance(size, dict) or not size:
        raise Error(f"size is {size!r}: a dictionary is needed, such as {{'M': 4096}}")
    return {name: _library.whole(f"size '{name}'", extent) for name, extent in size.items()}


def size_of(size, arguments, parameters):
    """Where none is given, the shapes of all arrays: another shape is another size."""
    if size is not None:
        return checked_size(size)
    shapes = {name: _arrays.kind_of(value).shape_of(value) for name, value in arguments.items()
              if _arrays.kind_of(value) is not None}
    extents, seen = {}, set()
    for name, shape in shapes.items():
        if shape not in seen:  # whose shape is that of one before it is told by that
            seen.add(shape)
            stem = re.sub(r"\W", "_", name, flags=re.ASCII)
            extents.update({f"{stem}_{axis}": max(1, extent) for axis, extent in enumerate(shape)})
    if len(seen) <= 1 and len(extents) <= 1:
        extents = {"elements": next(iter(extents.values()), 1)}
    return {name + "_" * (name in parameters): extent for name, extent in extents.items()}


def made_of(arguments, seed):
    """Of a function the first ones."""
    if not callable(arguments):
        return _listed(arguments)
    try:
        digests = [_digest(_listed(arguments(one))) for one in (seed + 1, seed)]
        if digests[0] == digests[1]:
            raise Error("the function 'arguments' makes the same for each seed: give the arguments themselves")
        return arguments(seed)
    except Error:
        raise
    except Exception as error:
        raise Error(f"the function 'arguments' fails: {type(error).__name__}: {error}") from error


def _listed(made):
    if not isinstance(made, (dict, list, tuple)):
        raise Error(f"the arguments are {type(made).__name__}: a list or a dictionary is needed, or a function of a seed "
                    "that returns one")
    return made


def _digest(made):
    values = made.values() if isinstance(made, dict) else made
    return [_arrays.digest(_arrays.pack("made", _arrays.known(value))) for value in values]


def check(o):
    """Before anything is begun; texts of the others are checked where they are used."""
    for name, least, most in (("timeout", 1e-3, 1e9), ("precision", 0, 1), ("drop_above", 0, 1e9)):
        o[name] = _library.real_from(name, o[name], least, most)
    o["samples"] = _library.whole_from("samples", o["samples"], 7)
    o["finalists"], o["seed"] = _library.whole("finalists", o["finalists"], 32), _library.whole("seed", o["seed"])
    for name in ("evaluations", "jobs"):
        if o[name] is not None:
            o[name] = _library.whole(name, o[name], 32)
    if o["seconds"] is not None:
        o["seconds"] = _library.real_from("seconds", o["seconds"], 0)
    if o["cache"] not in ("cold", "hot"):
        raise Error(f"cache is {o['cache']!r}: 'cold' and 'hot' are allowed")
    if isinstance(o["outputs"], str):
        o["outputs"] = [o["outputs"]]
    for name, kind, words in (("name", str, "a text"), ("strategy", str, "a text"), ("baseline", dict, "a dictionary"),
                              ("outputs", (list, tuple), "a list of names")):
        if o[name] is not None and not isinstance(o[name], kind):
            raise Error(f"{name} is {o[name]!r}: {words} is needed")
    if o["on_trial"] is not None and not callable(o["on_trial"]):
        raise Error(f"on_trial is {o['on_trial']!r}: a function is needed")
    try:
        o["folder"] = os.fspath(o["folder"])
    except TypeError:
        raise Error(f"folder is {o['folder']!r}: a path is needed") from None
    if os.path.exists(o["folder"]) and not os.path.isdir(o["folder"]):
        raise Error(f"'{o['folder']}' is no folder: results need one")
