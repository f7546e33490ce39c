"""Holds what a variant is called with, and compares its answers. Each call, timed ones too, finds its working arrays as a
first call would: outputs hold poison, and nothing that an earlier variant did to an array is left."""

import os
import random

from tuner import _arrays
from tuner._answers import answers_again

_SEEN = 1024        # elements of each answer that are compared after every timed call
_WHOLE = 1 / 32     # of the timed calls all of the answer is compared
_BY_REFERENCE = 1 / 4  # of the timed calls with inputs of their own the reference is called, too
_IMMUTABLE = (str, bytes, int, float, complex, type(None))


class Wrong(Exception):
    """The answer of a variant is not the right one."""


class Inputs:
    """`sent`: arguments and right answers, as tuner._tune packs them. `draw(seed)` makes other arguments of the same form,
    of which `reference` has the right answers; with None the inputs are always the same."""

    def __init__(self, sent, job, draw, reference):
        self._job, self._draw, self._reference, self._answers, self._pid = job, draw, reference, sent, os.getpid()
        self._random = random.Random(os.urandom(16))
        made = [_arrays.unpack(one) for one in sent["values"]]
        self._order = [name for name, _ in sent["arguments"]]
        self._values = {name: sent["values"][place] for name, place in sent["arguments"]
                        if _arrays.kind_of(made[place]) is None and not isinstance(made[place], _IMMUTABLE)}
        self._first_right = {name: _arrays.unpack(one) for name, one in sent["right"].items()}
        self._right = self._first_right
        self._returned = [_arrays.unpack(one) for one in sent["returned"]] if sent["returned"] else None
        self._is_compared = bool(self._right) or self._returned is not None
        self._noted, self._calls_unseen = [], 0
        self._take({name: made[place] for name, place in sent["arguments"]})
        self.work = None

    @property
    def given(self):
        return self._before

    @property
    def at_once(self):
        """Timed calls between two looks at their answers."""
        return 1 if self._draw else 4

    def _take(self, given):
        for name in self._answers["pure"]:
            _arrays.kind_of(given[name]).poison(given[name], self._first_right[name])
        self._before = given

    def draw(self):
        """Inputs that nobody has seen before, where they can be made."""
        if self._draw is None:
            return
        made = self._draw(int.from_bytes(os.urandom(4), "little"))
        named = made if isinstance(made, dict) else dict(zip(self._order, made))
        given = {name: _arrays.known(named[name]) for name in self._order}
        for name, value in given.items():
            if _arrays.describe(value) != _arrays.describe(self._before[name]):
                raise ValueError(f"'arguments' made {_arrays.describe(value)} for '{name}', and before "
                                 f"{_arrays.describe(self._before[name])}")
        self._take(given)
        self._right = None

    def renew(self):
        """All that a call is given is made anew before the next one: what others have may be known to them, or spoilt."""
        self._end_copy()
        self.work, self._noted, self._calls_unseen = None, [], 0

    def _end_copy(self):
        """A variant may fork, and the new process come back from the call as if it were this one."""
        if os.getpid() != self._pid:
            os._exit(1)

    def restore(self, names=None):
        """Has the working arrays (all, or these) hold what a call must find."""
        self._end_copy()
        if self.work is None or any(_arrays.form(self.work[name]) != form for name, form in self._forms.items()):
            values = {} if self._draw else {name: _arrays.unpack(one) for name, one in self._values.items()}
            self.work = {**_arrays.copies(self._before), **values}
            self._forms = {name: _arrays.form(value) for name, value in self.work.items()
                           if _arrays.kind_of(value) is not None}
            return
        for name in self._forms if names is None or self._draw else names:
            _arrays.kind_of(self._before[name]).put(self.work[name], self._before[name])
        if self._draw:
            self.work.update({name: value for name, value in self._before.items() if name not in self._forms})

    def restore_for_timing(self):
        """What must not be written is as it was, or that is seen: compare_kept()."""
        self.restore([name for name in self._forms if name not in self._answers["kept"]] if self.work else None)

    def settled(self, answer):
        """As a list of arrays, where what is returned is compared: one that is made only when it is asked for is made now,
        within the time of the call."""
        return answer if self._returned is None else _arrays.returned_arrays(answer) or answer

    def _pairs(self, answer):
        """(what it is called, the variant's, the right one) of all that is compared."""
        if self._right is None:
            self._right, self._returned = answers_again(self._reference, self._before, self._job["positional"],
                                                        self._answers)
        for name, right in self._right.items():
            yield f"'{name}'", self.work[name], right
        if self._returned is None:
            return
        mine = answer if type(answer) is list else _arrays.returned_arrays(answer)
        if mine is None or len(mine) != len(self._returned):
            raise Wrong(f"it returns {type(answer).__name__ if mine is None else f'{len(mine)} arrays'}, the reference "
                        f"{len(self._returned)} arrays")
        for place, (one, right) in enumerate(zip(mine, self._returned)):
            yield f"what it returns{f' [{place}]' if len(mine) > 1 else ''}", one, right

    def compare(self, answer):
        """The largest error; Wrong."""
        self._end_copy()
        largest = -1.0
        for called, mine, right in self._pairs(answer) if self._is_compared else ():
            _same_form(called, mine, right)
            largest = max(largest, self._error(called, mine, right, 0, 1))
        self.compare_kept()
        return largest

    def compare_kept(self):
        """Wrong, if a call has changed what the reference leaves alone."""
        for name in self._answers["kept"]:
            mine, before = self.work[name], self._before[name]
            if _arrays.describe(mine) != _arrays.describe(before):
                raise Wrong(f"it makes {_arrays.describe(mine)} of '{name}', which was {_arrays.describe(before)}")
            if not _arrays.kind_of(before).same_bits(mine, before):
                raise Wrong(f"it writes into '{name}', which the reference leaves alone")

    def note(self, answer):
        """After a timed call: keeps a part of its answers, drawn only now; judge() compares it when times are read."""
        if self._draw:
            self._ask_reference(answer)
            return
        whole = self._random.random() < _WHOLE
        for called, mine, right in self._pairs(answer) if self._is_compared else ():
            _same_form(called, mine, right)
            step = 1 if whole else max(1, _arrays.count(right) // _SEEN)
            start = self._random.randrange(step)
            self._noted.append((called, _arrays.kind_of(mine).part(mine, start, step), right, start, step))

    def _ask_reference(self, answer):
        self._calls_unseen += 1
        if self._is_compared and (self._random.random() < _BY_REFERENCE or self._calls_unseen > 2 / _BY_REFERENCE):
            self._calls_unseen = 0
            self.compare(answer)

    def judge(self):
        """Compares what was kept of the calls since the last time. Wrong."""
        noted, self._noted = self._noted, []
        for called, mine, right, start, step in noted:
            self._error(called, mine, _arrays.kind_of(right).part(right, start, step), start, step)

    def _error(self, called, mine, right, start, step):
        kind, tolerance = _arrays.kind_of(right), self._job["rules"]["tolerance"]
        rtol, atol = tolerance.get(called.strip("'"), tolerance.get(None)) or \
            _arrays.TOLERANCES.get(kind.type_of(right), (0, 0))
        largest, place = kind.error(mine, right, rtol, atol)
        if place is not None:
            raise Wrong(f"{called}[{start + place * step}] is {kind.at(mine, place)}, the right answer "
                        f"{kind.at(right, place)} (allowed: {atol:g} + {rtol:g} of it)")
        return largest if largest == largest else -1.0


def _same_form(called, mine, right):
    kind = _arrays.kind_of(right)
    if _arrays.kind_of(mine) is not kind or kind.shape_of(mine) != kind.shape_of(right):
        raise Wrong(f"{called} is {_arrays.describe(mine)}, the right answer {_arrays.describe(right)}")
