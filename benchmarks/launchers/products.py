#!/usr/bin/env python3
"""CUTLASS's products beside cuBLAS: products.py TUNER [--budget N] [OPTIONS of tuner run]

In a folder with examples/cutlass and CUTLASS's headers. Each size of the study: the best of all configurations,
what another run finds, with the budget or without, and what that loses (by the times of the run that measured
all), and the product of PyTorch, which is cuBLAS's, in the same way: L2 flushed before each launch, medians.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("TILE_M", "TILE_N", "SCHEDULE", "CLUSTER_M", "CLUSTER_N", "EPILOGUE", "STAGES")


def run(tuner, results, *options):
    begin = time.monotonic()
    done = subprocess.run([tuner, "run", "product.yaml", "--progress", "none", "--results", results, *options],
                          text=True, capture_output=True, check=False)
    if done.returncode != 0:
        print(done.stderr[-2000:])
    print(f"run {' '.join(options)}: {time.monotonic() - begin:.1f} s", flush=True)
    return {tuple(int(row[key]) for key in "MNK"): rows for rows in
            (list(csv.DictReader(file.open(encoding="utf-8"))) for file in Path(results).glob("product/*/*.csv"))
            for row in rows[:1]}


def configuration(row):
    return tuple(row[name] for name in NAMES)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuner")
    parser.add_argument("--budget")
    given, options = parser.parse_known_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vendor"))
    from alone import library_ms, random  # needs PyTorch
    options += ["--timeout", "300"]  # for a compilation of half a minute, of which many run at once
    tuner = os.path.abspath(given.tuner)
    everything = run(tuner, "all", "--strategy", "exhaustive", *options)
    found = run(tuner, "found", *(["--budget", given.budget] if given.budget else []), *options)
    print("size                  tried  best ms  TFLOP/s  cuBLAS ms  best/cuBLAS  loss of another run  best configuration")
    for size, rows in sorted(everything.items()):
        times = {configuration(row): float(row["time_ms"]) for row in rows if row["time_ms"]}
        best = min(times.values())
        [chosen] = [configuration(row) for row in found.get(size, [])[:1]] or [None]
        loss = f"{100 * (times[chosen] / best - 1):.2f} %" if chosen in times else "-"
        m, n, k = size
        rival = library_ms(random(m, k), random(n, k).T, random(m, n))
        work = 2e-9 * size[0] * size[1] * size[2]
        print(f"{'x'.join(map(str, size)):22} {len(times):4} {best:9.4f} {work / best:8.1f} {rival:10.4f} {best / rival:12.3f}"
              f"  {loss:>19}  {' '.join(min(times, key=times.get))}", flush=True)
        for row in rows:
            if row["state"] not in ("ok", "dropped"):
                print("   ", *configuration(row), row["state"], row["message"][:200])


if __name__ == "__main__":
    sys.exit(main())
