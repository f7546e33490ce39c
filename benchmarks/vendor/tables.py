#!/usr/bin/env python3
"""Markdown tables from what `vendor` printed.

usage: tables.py OUTPUT...

Rates are those of the first file; with several (runs of the same program) each ratio is given for
every run, in their order. Last come the geometric means and the lowest ratios of all runs.
"""
import math
import re
import sys

LINE = re.compile(r"(matmul bf16|matmul tf32|\w+) +(.*?) +tuned +([\d.]+) ms +([\d.]+) (\S+)(.*)")
OTHER = re.compile(r"(\w+) +([\d.]+) ms +([\d.]+) \(x ([\d.]+)\)")


def read(path):
    """{family: {size: (rate, unit, {library: (rate, ratio)})}}"""
    families = {}
    for line in open(path):
        match = LINE.match(line)
        if not match:
            continue
        family, size, _, rate, unit, rest = match.groups()
        others = {name: (float(other), float(ratio)) for name, _, other, ratio in OTHER.findall(rest)}
        families.setdefault(family, {})[size] = (float(rate), unit, others)
    return families


def main(paths):
    if not paths:
        sys.exit(__doc__)
    runs = [read(path) for path in paths]
    for family, sizes in runs[0].items():
        first_rate, unit, others = next(iter(sizes.values()))
        libraries = list(others)
        large = first_rate > 1e5 and unit == "GFLOP/s"  # on tensor cores
        scale, unit = (1000, "TFLOP/s") if large else (1, unit)
        print(f"\n**{family}**, {unit}\n")
        print("| size | " + " | ".join(libraries) + " | tuned | " +
              " | ".join(f"tuned / {name}" for name in libraries) + " |")
        print("|---" * (2 + 2 * len(libraries)) + "|")
        for size, (rate, _, others) in sizes.items():
            ratios = [", ".join(f"{run[family][size][2][name][1]:.3f}" for run in runs)
                      for name in libraries]
            print(f"| {size} | " + " | ".join(f"{others[name][0] / scale:,.0f}" for name in libraries) +
                  f" | {rate / scale:,.0f} | " + " | ".join(ratios) + " |")
    print("\n| | geometric mean | lowest |\n|---|---:|---:|")
    for family, sizes in runs[0].items():
        for name in next(iter(sizes.values()))[2]:
            means, lowest = [], []
            for run in runs:
                ratios = {size: row[2][name][1] for size, row in run[family].items()}
                means.append(math.exp(sum(map(math.log, ratios.values())) / len(ratios)))
                lowest.append(min(ratios, key=ratios.get))
            worst = ", ".join(f"{run[family][size][2][name][1]:.3f}" for run, size in zip(runs, lowest))
            print(f"| {family} / {name}, {len(sizes)} sizes | " + ", ".join(f"{m:.3f}" for m in means) +
                  f" | {worst} ({'; '.join(dict.fromkeys(lowest))}) |")


if __name__ == "__main__":
    main(sys.argv[1:])
