"""Checks what tune() is given before anything is begun."""

from tuner import _arrays
from tuner._library import Error


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
