#!/usr/bin/env python3
"""Runs the code of a notebook, cell by cell, without Jupyter: notebook.py PAGE.ipynb, in an empty folder. A notebook is
kept without outputs. Debian's Python runs it where this one has no NumPy; without both it says so, and ends with
status 77."""

import importlib.util
import json
import linecache
import os
import subprocess
import sys
import tempfile
from pathlib import Path


DEBIANS = "/usr/bin/python3"


def has_numpy_elsewhere():
    return (os.path.realpath(sys.executable) != os.path.realpath(DEBIANS) and os.path.exists(DEBIANS)
            and subprocess.run([DEBIANS, "-c", "import numpy"], capture_output=True).returncode == 0)


def main(page):
    document = json.loads(page.read_text(encoding="utf-8"))
    assert document["nbformat"] == 4, document["nbformat"]
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    kept = [place for place, cell in enumerate(cells) if cell["outputs"] or cell["execution_count"] is not None]
    assert not kept, f"code cells {kept} hold outputs"
    if importlib.util.find_spec("numpy") is None:
        print("NUMPY IS NOT INSTALLED: the notebook is not run here")
        sys.exit(77)
    names = {"__name__": "__main__"}
    for place, cell in enumerate(cells):
        text, called = "".join(cell["source"]), f"<cell {place}>"
        linecache.cache[called] = (len(text), None, text.splitlines(True), called)  # as Jupyter does
        exec(compile(text, called, "exec"), names)


if __name__ == "__main__":
    if importlib.util.find_spec("numpy") is None and has_numpy_elsewhere():
        os.execv(DEBIANS, [DEBIANS, *sys.argv])
    path = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tuner-notebook-") as folder:
        os.chdir(folder)
        main(path)
