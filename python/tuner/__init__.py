"""tuner: finds the fastest right variant of a CUDA kernel, or of any Python function. Needs nothing beside Python.

    best = tuner.tune(function, {"BLOCK": [64, 128, 256]}, [x, y], reference=right).best
    found = tuner.run("study.yaml", size="N=4096", budget="200")
    print(tuner.select(found, size={"N": 4096})["configuration"])

docs/python.md has all of it."""

import os
import sys

from tuner._captured import Captured, captured
from tuner._choose import Kernel, load, tuned
from tuner._judge import Verdict, judge
from tuner._library import Error, Progress, program
from tuner._replay import Replay, replay
from tuner._results import Tuned
from tuner._search import Search, Tuning
from tuner._study import columns, defines, export, results, run, select, table
from tuner._tune import tune
from tuner._version import __version__

__all__ = ["Captured", "Error", "Kernel", "Progress", "Replay", "Search", "Tuned", "Tuning", "Verdict", "__version__",
           "captured", "columns", "defines", "export", "judge", "load", "replay", "results", "run", "select", "table", "tune",
           "tuned"]


def _main():
    """The program of a wheel, and of python -m tuner."""
    words = [program(), *sys.argv[1:]]
    os.environ["TUNER_PYTHON"] = sys.executable  # where 'tuner mcp' finds the package that it needs
    os.execv(words[0], words)
