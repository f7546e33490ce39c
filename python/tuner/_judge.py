"""Verdicts on kernels that nobody trusts: `tuner judge`."""

from __future__ import annotations

import json
import subprocess
from os import PathLike
from typing import Any, Callable

from tuner._library import Error, program, real_from, study_file, temporary_folder
from tuner._reference import study_with
from tuner._study import Study, _words


class Verdict(dict):
    """What `tuner judge --json` says, by its names (docs/judge.md); those that matter most are properties, too."""

    @property
    def accepted(self) -> bool:
        return self["accepted"]

    @property
    def verdict(self) -> str:
        """"accepted", "refused", "interrupted", or the state of the first failure: "compile", "correctness", ..."""
        return self["verdict"]

    @property
    def why(self) -> str:
        """Size and message of the first failure; empty where there is none."""
        return self["why"]

    @property
    def time_ms(self) -> float | None:
        return self["time_ms"]

    @property
    def speedup(self) -> float | None:
        """How many times as fast as the reference; None where that was not timed."""
        return self["speedup"]

    def __repr__(self):
        figures = "" if self.time_ms is None else f", {self.time_ms:.4g} ms"
        why = f": {self.why.splitlines()[0]}" if self.why else ""
        return f"<Verdict: {self.verdict}{why}{figures}>"


def judge(kernel: str | PathLike[str] | None = None, study: Study | None = None, *, source: str | None = None,
          reference: Callable[..., Any] | None = None, arrays: str = "numpy",
          configuration: str | dict[str, Any] | None = None, size: str | dict[str, int] | list | None = None,
          backend: str | None = None, device: int | None = None, timeout: float = 10.0, counters: bool = False,
          server: float = 300.0, sanitizer: bool = True, prefix: str | PathLike[str] | None = None) -> Verdict:
    """A verdict on a kernel that nobody trusts, in the place of a study's own: is it right, on inputs that it cannot know
    and at sizes where kernels go wrong, and how fast is it? The same as `tuner judge --json`.

    kernel         path of the kernel's source
    study          a study file, or a dictionary of its keys: sizes, inputs, and the reference that says what is right
    source         the source itself, instead of `kernel`
    reference      instead of the study's: a function of its arguments and extents, by their names, that returns the outputs. It
                   runs in a process of its own, never in reach of what is judged
    arrays         "numpy" or "torch": what that function is given
    configuration  values of the parameters, {"BLOCK": 256} or "BLOCK=256", instead of the study's baseline or first valid
                   configuration
    size           {"N": 4096} or "N=4096", or a list of these, instead of the study's sizes
    backend        "auto" (the study's), "cuda", "cpu", ...
    device         its number, from 0
    timeout        seconds for one size
    counters       read hardware counters, and say what limits the kernel
    server         seconds for which a process stays that makes the next verdict faster; 0: none
    sanitizer      memory and race checks by compute-sanitizer, where that is found
    prefix         an installation of tuner other than this package's

    Returns a Verdict, a dictionary: `accepted`, `verdict`, `why`, `time_ms`, `speedup`, `checks`, ... (docs/judge.md).
    Raises Error for a mistake of the call or of the study, and where there is no device."""
    if (kernel is None) == (source is None):
        raise Error("either 'kernel' (a path) or 'source' (its text) is needed")
    if study is None:
        raise Error("which study? It says what is right")
    if isinstance(configuration, dict):
        configuration = ",".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}"
                                 for name, value in configuration.items())
    options = {"configuration": configuration, "size": size, "backend": backend, "device": device,
               "timeout": real_from("timeout", timeout, 1e-3), "counters": bool(counters),
               "server": real_from("server", server, 0), "no-sanitizer": not sanitizer}
    with temporary_folder() as folder, study_file(study_with(study, reference, arrays, folder)) as path:
        words = [program(prefix), "judge", "-" if kernel is None else str(kernel), "--study", str(path), "--json",
                 *_words(options)]
        try:
            done = subprocess.run(words, input=source or "", text=True,
                                  errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        except OSError as error:
            raise Error(f"cannot start {words[0]}: {error}") from None
        return _verdict(done, str(kernel) if kernel is not None else "source")


def _verdict(done, kernel):
    try:
        told = json.loads(done.stdout)
    except ValueError:
        raise Error(done.stderr.strip() or f"the program ended with {done.returncode}") from None
    if "mistakes" in told:
        raise Error(done.stderr.strip() or "; ".join(one["message"] for one in told["mistakes"]))
    return Verdict({**told, "kernel": kernel})
