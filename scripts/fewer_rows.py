#!/usr/bin/env python3
"""Keeps of the rankings of a device what is shipped: fewer_rows.py TUNER STUDY FOLDER

Of each ranked CSV file in FOLDER, such as results/matmul/nvidia-h200, the finalists stay and at most a hundred other
rows: those of configurations that an export has, the best with each value of a parameter in each form, and the next
best. `rank` stays that of the whole search.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

MOST = 100


def exported(tuner, study, folder):
    """Names of the parameters, and the configurations of an exported header, as texts."""
    header = subprocess.run([tuner, "export", study, "--from", folder], check=True, capture_output=True, text=True)
    table = json.loads(re.search(r"/\* tuner-table\n(.*?)\ntuner-table \*/", header.stdout, re.S)[1])
    return table["parameters"], {tuple(value if isinstance(value, str) else json.dumps(value) for value in one)
                                 for one in table["configurations"]}


def kept(rows, parameters, configurations):
    """The places of the rows that stay."""
    others = [place for place, row in enumerate(rows) if row["basis"] != "final"]
    chosen = [place for place in others if tuple(rows[place][name] for name in parameters) in configurations]
    best = {}
    for place in sorted(range(len(rows)), key=lambda place: float(rows[place]["time_ms"])):
        for name in parameters:
            best.setdefault((rows[place].get("FORM"), name, rows[place][name]), place)
    first = set(best.values())
    of_values = [place for place in others if place in first]
    few = list(dict.fromkeys([*chosen, *of_values, *others]))[:MOST]
    return sorted({*range(len(rows))} - {*others} | {*few})


def main():
    tuner, study, folder = sys.argv[1:]
    parameters, configurations = exported(tuner, study, folder)
    for file in sorted(Path(folder).glob("*.csv")):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        rows = list(csv.DictReader(lines))
        file.write_text(lines[0] + "".join(lines[1 + place] for place in kept(rows, parameters, configurations)),
                        encoding="utf-8")


if __name__ == "__main__":
    main()
