"""Parameters and constraints of Python as a study has them. A study knows numbers, texts and truth values: None and tuples
go as text, as Python writes them, and come back by value_of()."""

import ast
import difflib
import inspect
import itertools
import operator

from tuner._library import Error

_MOST_COMBINATIONS = 2_000_000
_MOST_ROWS = 4000


def value_of(plain):
    """The value that a study has as `plain`."""
    if isinstance(plain, str) and (plain == "None" or plain[:1] + plain[-1:] == "()"):
        try:
            value = ast.literal_eval(plain)
        except (ValueError, SyntaxError):
            return plain
        return value if value is None or isinstance(value, tuple) else plain
    return plain


def values_of(configuration):
    return {name: value_of(plain) for name, plain in configuration.items()}


def _plain(name, value):
    if value is None or isinstance(value, tuple):
        return repr(value if value is None else tuple(_element(name, one) for one in value))
    if isinstance(value, str) and value_of(value) != value:
        raise Error(f"parameter '{name}' has the text {value!r}: give the value {value_of(value)!r} itself")
    if isinstance(value, (bool, str, float)) and value == value:
        return value
    try:
        return operator.index(value)
    except TypeError:
        pass
    if hasattr(value, "item") and value == value:  # of NumPy
        return value.item()
    raise Error(f"parameter '{name}' has the value {value!r}: numbers, texts, truth values, None, and tuples of these are "
                "allowed")


def _element(name, value):
    """Of a tuple: as it is written there."""
    if isinstance(value, tuple):
        return tuple(_element(name, one) for one in value)
    return value if value is None or isinstance(value, str) else _plain(name, value)


def listed(what, configurations):
    """[{name: value}] of what is given as a list of dictionaries, or of Triton's Config."""
    if isinstance(configurations, (str, dict)) or not hasattr(configurations, "__iter__"):
        raise Error(f"{what} is {configurations!r}: a list of dictionaries is needed, [{{\"BLOCK\": 64}}, ...]")
    out = []
    for one in configurations:
        one = one.all_kwargs() if hasattr(one, "all_kwargs") else one
        if not isinstance(one, dict) or not one:
            raise Error(f"{what} has {one!r}: a dictionary of parameters and values is needed")
        out.append(one)
    return out


def parameters_of(configurations, parameters):
    """Of a list of configurations those that `parameters` does not say, with the values that are in the list."""
    configurations = listed("configurations", configurations)
    if not configurations:
        raise Error("configurations is empty: there is nothing to be measured")
    if not isinstance(parameters, (dict, type(None))):
        raise Error(f"parameters is {parameters!r}: beside configurations, a dictionary or None is needed")
    out = dict(parameters or {})
    for name in dict.fromkeys(name for one in configurations for name in one if name not in out):
        out[name] = list(dict.fromkeys(_plain(name, one[name]) for one in configurations if name in one))
        out[name] = [value_of(value) for value in out[name]]
    return configurations, out


def plain_parameters(parameters):
    if not isinstance(parameters, dict) or not parameters:
        raise Error("'parameters' needs names and their values: {\"BLOCK\": [64, 128]}")
    out = {}
    for name, values in parameters.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise Error(f"{name!r} is no name of a parameter")
        if isinstance(values, (str, bytes)):
            raise Error(f"parameter '{name}' needs a list of values, not the text {values!r}")
        try:
            out[name] = [_plain(name, value) for value in values]
        except TypeError:
            raise Error(f"parameter '{name}' needs a list of values, not {values!r}") from None
        if not out[name]:
            raise Error(f"parameter '{name}' has no values")
    return out


def configuration_of(what, given, parameters):
    """All names, each with one of its values."""
    for name in given:
        if name not in parameters:
            raise Error(f"{what} names '{name}', which is no parameter{meant(name, parameters)}")
    out = {}
    for name, values in parameters.items():
        if name not in given:
            raise Error(f"{what} says nothing of '{name}'")
        out[name] = _plain(name, given[name])
        if out[name] not in values:
            raise Error(f"{what} has {name}={given[name]!r}, which is none of its values: {list(map(value_of, values))}")
    return out


class Configuration(dict):
    """What a constraint gets whose only argument is no parameter."""

    def __missing__(self, name):
        raise Error(f"there is no parameter '{name}'{meant(str(name), self)}")


def meant(name, names):
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(names)}"


def _literal(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return repr(value)


def constraint_text(constraint, parameters):
    """A text as it is; of a function the combinations that it allows, of the parameters that it takes. None: all."""
    if isinstance(constraint, str):
        return constraint
    if not callable(constraint):
        raise Error(f"the constraint {constraint!r} is neither a text nor a function")
    called = getattr(constraint, "__name__", repr(constraint))
    try:
        taken = list(inspect.signature(constraint).parameters)
    except ValueError:
        raise Error(f"the constraint '{called}' tells no signature: a Python function is needed, or a text") from None
    by_name = all(name in parameters for name in taken) and taken
    if not by_name and len(taken) != 1:
        wrong = next((name for name in taken if name not in parameters), "")
        raise Error(f"the constraint '{called}' takes '{wrong}', which is no parameter{meant(wrong, parameters)}")
    names = taken if by_name else list(parameters)
    count = 1
    for name in names:
        count *= len(parameters[name])
    if count > _MOST_COMBINATIONS:
        raise Error(f"the constraint '{called}' takes {len(names)} parameters with {count} combinations, more than can be "
                    "asked for one by one: let it take those alone that it needs, or write it as text")
    good, bad = [], []
    for values in itertools.product(*(parameters[name] for name in names)):
        given = values_of(dict(zip(names, values)))
        try:
            holds = constraint(**given) if by_name else constraint(Configuration(given))
        except Error as error:
            raise Error(f"the constraint '{called}': {error}") from None
        except Exception as error:
            why = f"fails for {given}: {type(error).__name__}: {error}"
            if not by_name:
                why = (f"takes '{taken[0]}', which is no parameter{meant(taken[0], parameters)}; so it was given a dictionary of "
                       f"all, and {why}")
            raise Error(f"the constraint '{called}' {why}") from error
        (good if holds else bad).append(values)
    return _membership(called, names, good, bad)


def _membership(called, names, good, bad):
    if not good:
        raise Error(f"the constraint '{called}' leaves no configuration: it holds for no values of {', '.join(names)}")
    if not bad:
        return None
    rows, word = (good, "in") if len(good) <= len(bad) else (bad, "not in")
    if len(rows) > _MOST_ROWS:
        raise Error(f"the constraint '{called}' is a table of {len(rows)} rows: write it as text")
    if len(names) == 1:
        return f"{names[0]} {word} [{', '.join(_literal(row[0]) for row in rows)}]"
    tuples = ", ".join("(" + ", ".join(_literal(value) for value in row) + ")" for row in rows)
    return f"({', '.join(names)}) {word} [{tuples}]"
