#!/usr/bin/env python3
"""Does compiling on the host's cores disturb what is measured on the device meanwhile?

usage: disturbance.py RESULTS RESULTS [RESULTS...]

Results directories of one study, tuned again and again: with a cold cache (variants are compiled while
others are measured) and with a warm one. For every pair of directories: the ratio of the times of each
variant that both measured whole, second over first; its median says whether one was slower as a whole,
its spread how noisy single variants are. Two warm runs beside each other show what is noise.
"""
import csv
import itertools
import pathlib
import statistics
import sys


def times_of(folder):
    """Time of each variant, ms, by size and configuration."""
    times = {}
    for file in sorted(pathlib.Path(folder).glob("*/*/*.csv")):
        with open(file, newline="") as rows:
            for row in csv.DictReader(rows):
                if row["state"] != "ok":
                    continue
                names = list(row)
                key = tuple(row[n] for n in names[2 : names.index("time_ms")])
                times[(file.name,) + key] = float(row["time_ms"])
    return times


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    folders = sys.argv[1:]
    if len(folders) < 2:
        sys.exit(__doc__)
    all_times = {folder: times_of(folder) for folder in folders}
    print("second over first                         variants   median      5 %     95 %")
    for first, second in itertools.combinations(folders, 2):
        a, b = all_times[first], all_times[second]
        ratios = sorted(b[k] / a[k] for k in a.keys() & b.keys())
        if not ratios:
            sys.exit(f"{first} and {second} have no measured variant in common")
        names = f"{pathlib.Path(second).name} / {pathlib.Path(first).name}"
        print(
            f"{names:40} {len(ratios):9} {statistics.median(ratios):8.4f}"
            f" {quantile(ratios, 0.05):8.4f} {quantile(ratios, 0.95):8.4f}"
        )


if __name__ == "__main__":
    main()
