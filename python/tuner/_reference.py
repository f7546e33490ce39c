"""References that are functions: files that `reference: {python: ...}` of a study names."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from pathlib import Path

from tuner._library import Error
from tuner._source import Portable


def study_with(study, reference, arrays, folder):
    """The study with a function as its reference, which is written into a file of `folder`; without one the study as it is.
    `arrays`: "numpy" or "torch"."""
    if reference is None:
        return study
    if not callable(reference):
        raise Error(f"reference is {reference!r}: a function of the study's arguments is needed")
    if arrays not in ("numpy", "torch"):
        raise Error(f"arrays is {arrays!r}: 'numpy' and 'torch' are allowed")
    sent = Portable(reference, "reference").sent
    path = [str(Path(__file__).resolve().parents[1]), *(os.path.abspath(one) if one else os.getcwd() for one in sys.path)]
    text = ("# The reference of a study, written by Python's tuner.\nimport pickle\nimport sys\n\n"
            f"sys.path[:] = {path!r}\nfrom tuner import _source\n\n"
            f"reference = _source.load(pickle.loads({pickle.dumps(sent, protocol=4)!r}))\n")
    file = Path(folder).resolve() / f"reference_{hashlib.sha256(text.encode()).hexdigest()[:16]}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    said = {"python": f"{file}:reference", "arrays": arrays}
    if isinstance(study, dict):
        return {**study, "reference": said}
    return {"extends": os.path.abspath(study), "reference": said}
