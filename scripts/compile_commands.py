"""How a build compiles its sources, for the scripts that compile them in other ways.

CMake may join sources (CMAKE_UNITY_BUILD) and precompile headers; here each source has a command of
its own that names neither.
"""

import json
import re
import shlex
from pathlib import Path

INCLUDED = re.compile(r'^#include "(/.*\.cpp)"$', re.M)


def is_joined(path):
    """Whether a file is one of those in which CMake joins sources."""
    return "/Unity/unity_" in path


def without_precompiled(words):
    """Without the options that name CMake's precompiled headers, which other versions of the compiler
    cannot read, and which would give a source what it forgets to include."""
    kept = []
    for word in words:
        if "/cmake_pch.h" not in word:
            kept.append(word)
            continue
        while kept[-1] in ("-Xclang", "-include", "-include-pch"):
            kept.pop()
    return kept


def options_of(entry):
    """The words of a command without what is compiled and what is written."""
    words = iter(without_precompiled(entry.get("arguments") or shlex.split(entry["command"])))
    kept = []
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(words)
        elif word not in ("-c", entry["file"]):
            kept.append(word)
    return kept


def options_by_source(build):
    """{path of a source: (options, the folder they are for)}; of several, the first."""
    found = {}
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        file = str(Path(entry["directory"], entry["file"]))
        options = options_of(entry), entry["directory"]
        sources = INCLUDED.findall(Path(file).read_text()) if is_joined(file) else [file]
        for source in sources:
            found.setdefault(source, options)
    return found
