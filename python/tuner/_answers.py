"""The right answers: from a function that is called here, once and once more on poison, or from arrays."""

from tuner import _arrays
from tuner._library import Error


def right_answers(reference, arguments, positional, outputs):
    """What the workers compare with: `right` arguments and what is `returned`, packed; arguments that are `pure` outputs,
    `changes` of what is read and written, and what is to be `kept` as it was. `by_return`: the reference returns the
    arguments that are right."""
    arrays = [name for name, value in arguments.items() if _arrays.kind_of(value) is not None]
    for name in outputs or ():
        if name not in arrays:
            raise Error(f"outputs names '{name}', which is no array among the arguments; there are: {', '.join(arrays)}")
    if reference is None:
        return {"right": {}, "returned": None, "pure": [], "changes": [], "kept": []}
    if callable(reference):
        found = _of_function(reference, arguments, positional, arrays, outputs)
    else:
        found = _of_arrays(reference, arguments, arrays, outputs)
    if not found["right"] and not found["returned"]:
        raise Error("the reference says nothing: it changes none of the arguments and returns no array or number")
    found["right"] = {name: _arrays.pack(name, value) for name, value in found["right"].items()}
    if found["returned"] is not None:
        found["returned"] = [_arrays.pack("what is returned", value) for value in found["returned"]]
    return found


def _called(reference, work, positional):
    named = {name: value for name, value in work.items() if name not in positional}
    try:
        return reference(*(work[name] for name in positional), **named)
    except Exception as error:
        raise Error(f"the reference fails: {type(error).__name__}: {error}") from error


def _sync(arguments):
    from tuner import _clocks
    _clocks.clock_for(arguments, False).sync()


def _of_function(reference, arguments, positional, arrays, outputs):
    work = _arrays.copies(arguments)
    answer = _called(reference, work, positional)
    _sync(arguments)
    returned = _arrays.returned_arrays(answer)
    if outputs and returned is not None and len(returned) == len(outputs):
        changed = dict(zip(outputs, returned))
        for name, value in changed.items():
            _same_form(f"the reference returns for '{name}'", value, arguments[name])
        return {"right": changed, "returned": None, "pure": list(outputs), "changes": [], "kept": [], "by_return": True}
    changed = [name for name in arrays if not _arrays.kind_of(work[name]).same_bits(work[name], arguments[name])]
    if outputs:
        changed = list(outputs)
    elif not changed and returned is None:  # an earlier call may have left the right answers there
        changed = [name for name in arrays if _is_pure(name, reference, arguments, positional, work)]
    pure = [name for name in changed if _is_pure(name, reference, arguments, positional, work)]
    kept = [] if outputs else [name for name in arrays if name not in changed]
    return {"right": {name: work[name] for name in changed}, "returned": returned, "pure": pure,
            "changes": [name for name in changed if name not in pure], "kept": kept}


def answers_again(reference, given, positional, answers):
    """(right arguments by name, what is returned) for other inputs: `answers` of the first ones say what is compared."""
    work = _arrays.copies(given)
    returned = _arrays.returned_arrays(_called(reference, work, positional))
    _sync(given)
    if answers.get("by_return"):
        return dict(zip(answers["right"], returned)), None
    return {name: work[name] for name in answers["right"]}, returned if answers["returned"] else None


def _is_pure(name, reference, arguments, positional, right):
    """Whether the reference writes all of it, and does not look at what was there."""
    work = _arrays.copies(arguments)
    kind = _arrays.kind_of(work[name])
    kind.poison(work[name], right[name])
    _called(reference, work, positional)
    _sync(arguments)
    return all(_arrays.kind_of(value) is None or _arrays.kind_of(value).same_bits(work[other], value)
               for other, value in right.items())


def _same_form(what, value, argument):
    kind = _arrays.kind_of(value)
    if kind is None:
        raise Error(f"{what} a {type(value).__name__}: an array is needed")
    if kind is not _arrays.kind_of(argument) or kind.shape_of(value) != kind.shape_of(argument) \
            or kind.type_of(value) != kind.type_of(argument):
        raise Error(f"{what} {_arrays.describe(value)}, but the argument is {_arrays.describe(argument)}")


def _of_arrays(reference, arguments, arrays, outputs):
    if isinstance(reference, dict):
        for name in reference:
            if name not in arrays:
                raise Error(f"the reference names '{name}', which is no array among the arguments; there are: "
                            f"{', '.join(arrays)}")
        right, returned = {name: _arrays.known(value) for name, value in reference.items()}, None
    else:
        returned = _arrays.returned_arrays(reference)
        if returned is None:
            raise Error(f"the reference is {reference!r}: a function, an array, a list of arrays, or a dictionary of "
                        "arguments and arrays is needed")
        right = {}
        if outputs:
            if len(outputs) != len(returned):
                raise Error(f"the reference has {len(returned)} arrays for {len(outputs)} outputs")
            right, returned = dict(zip(outputs, returned)), None
    for name, value in right.items():
        _same_form(f"the reference has for '{name}'", value, arguments[name])
    if right and all(_arrays.kind_of(value).same_bits(value, arguments[name]) for name, value in right.items()):
        raise Error(f"'{next(iter(right))}' holds the right answer before any call, so a function that does nothing would "
                    "pass: give it other contents")
    kept = [] if outputs else [name for name in arrays if name not in right]
    return {"right": right, "returned": returned, "pure": [], "changes": list(right), "kept": kept}
