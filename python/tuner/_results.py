"""What came of a tuning: the best, and a table that pandas takes."""

from __future__ import annotations

from typing import Any

from tuner._library import Error


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
        row = dict(trial["configuration"])
        for name in ("rank", "state", "tie", "time_ms", "ci_low_ms", "ci_high_ms", "objective"):
            row[name] = trial.get(name)
        if trial.get("basis") == "final":
            row["ci_low_ms"], row["ci_high_ms"] = trial["final_ci_low_ms"], trial["final_ci_high_ms"]
        row.update({name: value for name, value in (trial.get("metrics") or {}).items() if name not in row})
        for name in ("max_error", "compile_ms", "cost_seconds", "message"):
            row[name] = trial.get(name)
        out.append(row)
    return out


class Tuned:
    """What tune() found. Called like the function, it calls it with the best values."""

    def __init__(self, document, function, study, folder, seconds, measured, verified):
        self.document = document  # docs/results-json.md
        self.study, self.folder, self.seconds, self.measured, self.verified = study, folder, seconds, measured, verified
        self._function = function
        self._result = document["results"][0] if document["results"] else {"trials": []}
        ranked = [trial for trial in self._result["trials"] if trial["rank"] == 1]
        self._winner = ranked[0] if ranked else None

    @property
    def best(self) -> dict[str, Any] | None:
        """The values of the parameters of the fastest right configuration; None: there is none."""
        return dict(self._winner["configuration"]) if self._winner else None

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
        return (self._result.get("baseline") or {}).get("configuration")

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

    def __call__(self, *arguments, **named):
        if self._winner is None:
            raise Error("no configuration gave right answers: .table says why")
        return self._function(*arguments, **named, **self._winner["configuration"])

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
