#!/usr/bin/env python3
"""A ranking of configurations that nobody measured, to compile what is exported of it.

  tuner check STUDY --sample 4 | stand_in.py STUDY >FOLDER/stand-in.csv

Reads valid configurations as CSV and writes them as a ranked CSV for the study's first problem size, the
first one the fastest.
"""

import csv
import re
import sys
from pathlib import Path

MEASURED = ["time_ms", "ci_low_ms", "ci_high_ms", "min_ms", "samples", "basis", "tie", "message"]


def first_size(study):
    """[(name, extent)] of the first problem size of the study, a path; or of the one that it extends."""
    text = study.read_text(encoding="utf-8")
    block = re.search(r"^problem_sizes:\n((?:[ #].*\n|\n)*)", text, re.M)
    size = block and re.search(r"^ *- \{(.*)\}", block[1], re.M)
    other = re.search(r"^extends: *(\S+)", text, re.M)
    if not size and other:
        return first_size(study.parent / other[1])
    if not size:
        raise ValueError("the study has no line '- {M: 64, ...}' under problem_sizes")
    return [(name, int(extent)) for name, extent in re.findall(r"(\w+) *: *(\d+)", size[1])]


def ranking(rows, size):
    """Rows of the ranked CSV, its header first; `rows` have the parameters' names first."""
    names, *configurations = rows
    yield ["rank", "state", *names, *(name for name, _ in size), *MEASURED]
    for rank, values in enumerate(configurations, 1):
        yield [rank, "ok", *values, *(extent for _, extent in size), *[rank] * 4, 1, "search", "false", ""]


def main():
    size = first_size(Path(sys.argv[1]))
    rows = [row for row in csv.reader(sys.stdin) if row]
    csv.writer(sys.stdout, lineterminator="\n").writerows(ranking(rows, size))


if __name__ == "__main__":
    main()
