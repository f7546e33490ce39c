"""What came of a tuning: the best, and a table that pandas takes."""

from __future__ import annotations

import math
from typing import Any

from tuner._library import Error
from tuner._space import values_of


def _squares(numbers):
    """The sum of squared differences from the mean."""
    mean = sum(numbers) / len(numbers) if numbers else 0.0
    return sum((one - mean) ** 2 for one in numbers)


def _shown(value):
    return f"a dictionary of {', '.join(map(str, value))}" if isinstance(value, dict) else repr(value)


def checked(found):
    """What results() returns."""
    if not isinstance(found, dict) or "results" not in found or "parameters" not in found:
        raise Error(f"what results() returns is needed, not {_shown(found)}")
    return found


def rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry of results()["results"] as a list of dictionaries: the parameters, then what was measured, best first."""
    if not isinstance(result, dict) or "trials" not in result:
        raise Error(f"one entry of results()['results'] is needed, not {_shown(result)}")
    out = []
    for trial in result["trials"]:
        row = values_of(trial["configuration"])
        for name in ("rank", "state", "tie", "time_ms", "ci_low_ms", "ci_high_ms", "objective"):
            row[name] = trial.get(name)
        if trial.get("basis") == "final":
            row["ci_low_ms"], row["ci_high_ms"] = trial["final_ci_low_ms"], trial["final_ci_high_ms"]
        row.update({name: value for name, value in (trial.get("metrics") or {}).items() if name not in row})
        for name in ("max_error", "compile_ms", "cost_seconds", "message"):
            row[name] = trial.get(name)
        if row["max_error"] == -1:  # not known
            row["max_error"] = None
        out.append(row)
    return out


class Tuned:
    """What tune() found. Called like the function, it calls it with the best values."""

    def __init__(self, document, function, study, folder, seconds, measured, verified):
        self.document = document  # docs/exchange.md
        self.study, self.folder, self.seconds, self.measured, self.verified = study, folder, seconds, measured, verified
        self._function = function
        self._result = document["results"][0] if document["results"] else {"trials": []}
        ranked = [trial for trial in self._result["trials"] if trial["rank"] == 1]
        self._winner = ranked[0] if ranked else None
        self._values = values_of(self._winner["configuration"]) if ranked else None

    @property
    def best(self) -> dict[str, Any] | None:
        """The values of the parameters of the fastest right configuration; None: there is none."""
        return dict(self._values) if self._winner else None

    @property
    def time_ms(self) -> float | None:
        return self._winner["time_ms"] if self._winner else None

    @property
    def speedup(self) -> float | None:
        """How many times as fast as the baseline; None where one of the two is not valid."""
        found = (self._result.get("baseline") or {}).get("speedup")
        return found["ratio"] if isinstance(found, dict) else found

    @property
    def baseline(self) -> dict[str, Any] | None:
        found = (self._result.get("baseline") or {}).get("configuration")
        return None if found is None else values_of(found)

    @property
    def device(self) -> str | None:
        return self._result["device"]["name"] if "device" in self._result else None

    @property
    def table(self) -> list[dict[str, Any]]:
        """A dictionary for each configuration that was measured, best first: pandas.DataFrame(tuned.table)."""
        return rows(self._result)

    @property
    def notes(self) -> list[str]:
        """What to know before the figures are believed."""
        outside = self._result.get("outside", 0)
        notes = [f"{outside} stored results are outside of the study now: they are kept, and not ranked"] if outside else []
        if not self.verified:
            notes.append("not verified: without a reference wrong answers are ranked, too")
        if "same_inputs" in self._result:
            notes.append(f"a function that keeps its answers would not be noticed: {self._result['same_inputs']}; "
                         "'arguments' may be a function of a seed, which makes others")
        return notes

    def importance(self) -> dict[str, float]:
        """How much each parameter matters, the most first: the share of the variance of the logarithms of the times that
        its values alone explain (the correlation ratio), from 0 to 1. Of the configurations that are right."""
        right = [(values_of(one["configuration"]), math.log(one["search_ms"])) for one in self._result["trials"]
                 if one["state"] in ("ok", "dropped")]
        times = [time for _, time in right]
        total = _squares(times)
        shares = {}
        for name in right[0][0] if right else ():
            groups = {}
            for values, time in right:
                groups.setdefault(repr(values[name]), []).append(time)
            shares[name] = 1 - sum(map(_squares, groups.values())) / total if total > 0 else 0.0
        return dict(sorted(shares.items(), key=lambda one: -one[1]))

    def plot(self, figure=None):
        """Draws the time of each right configuration over the values of each parameter, the most important first, with a
        line through the best of each value. Returns a figure of matplotlib, which has to be installed; `figure`: one to
        draw into."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise Error("plot() needs matplotlib: pip install matplotlib") from None
        names = list(self.importance())
        if not names:
            raise Error("there is nothing to plot: no configuration gave right answers")
        figure = figure or pyplot.figure(figsize=(3.2 * len(names), 3), layout="constrained")
        axes = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        right = [row for row in self.table if row["state"] in ("ok", "dropped")]
        for name, axis in zip(names, axes):
            values = sorted({row[name] for row in right}, key=lambda value: (str(type(value)), value is not None and value))
            places = [values.index(row[name]) for row in right]
            axis.scatter(places, [row["time_ms"] for row in right], s=12, alpha=0.5)
            axis.plot(range(len(values)), [min(row["time_ms"] for row, at in zip(right, places) if at == place)
                                           for place in range(len(values))])
            axis.set_xticks(range(len(values)), list(map(str, values)))
            axis.set_xlabel(name)
            axis.set_yscale("log")
        axes[0].set_ylabel("ms")
        return figure

    def __call__(self, *arguments, **named):
        if self._winner is None:
            raise Error("no configuration gave right answers: .table says why")
        return self._function(*arguments, **named, **self._values)

    def __repr__(self):
        trials = self._result["trials"]
        if self._winner is None:
            failed = next((f"{one['state']}: {one['message']}" for one in trials), "nothing was measured")
            return f"<Tuned: none of {len(trials)} configurations is right; {failed}>"
        values = ", ".join(f"{name}={value!r}" for name, value in self.best.items())
        told = f", {self.speedup:.3g} times as fast as the baseline" if self.speedup else ""
        proof = ("" if self.verified else ", not verified") + ", always on the same inputs" * ("same_inputs" in self._result)
        outside = f", {self._result['outside']} outside of the study now" if self._result.get("outside") else ""
        return f"<Tuned: {values}: {self.time_ms:.4g} ms{told}; {len(trials)} configurations{proof}{outside}>"
