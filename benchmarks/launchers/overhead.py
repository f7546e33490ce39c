#!/usr/bin/env python3
"""What a launcher costs: overhead.py TUNER [--variants N]

The same kernel as a kernel study and from a launcher, with the same compiler, at a short and at a long size:
the time of the best variant with its interval, and whether one lies within the other's; and what a variant
takes beside its measurement, the whole run's time by the clock for each variant, with everything compiled
before. Both by --fresh runs in turns, three of each; the median.
"""

import argparse
import csv
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = """
__global__ void twice(float* x, int n) {
  for (int i = blockIdx.x * TUNE_BLOCK + threadIdx.x; i < n; i += gridDim.x * TUNE_BLOCK) x[i] = 2 * x[i];
}
__global__ void plain(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 2 * x[i];
}
extern "C" cudaError_t launch(float* x, int n, cudaStream_t stream) {
  twice<<<(n + TUNE_BLOCK - 1) / TUNE_BLOCK, TUNE_BLOCK, 0, stream>>>(x, n);
  return cudaGetLastError();
}
"""

STUDY = """schema: 1
%s
problem_sizes: [{N: %d}]
parameters: {BLOCK: {range: [64, %d, 32]}}
arguments:
  - {name: x, type: float32, shape: [N], role: inout, fill: {uniform: [0, 1]}}
  - {name: n, type: int32, value: N}
reference: {entry: plain, block: [256], grid: [256]}
search: {strategy: exhaustive}
measure: {finalists: 0, drop_above: 0}
"""

FORMS = {
    "kernel": "kernel: {source: k.cu, entry: twice, compiler: nvcc, name: %s}\n"
              "launch: {block: [BLOCK], grid: [\"ceil_div(N, BLOCK)\"]}",
    "launcher": "launcher: {source: k.cu, entry: launch, name: %s}",
}


def run(tuner, folder, study):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    begin = time.monotonic()
    done = subprocess.run([tuner, "run", study, "--fresh", "--progress", "none"], cwd=folder, text=True,
                          env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    taken = time.monotonic() - begin
    [file] = (folder / "results" / Path(study).stem).glob("*/*.csv")
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    # The time that is compared is one variant's, not that of whichever is best.
    return taken, next(row for row in rows if row["BLOCK"] == "256"), len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuner")
    parser.add_argument("--variants", type=int, default=31)
    given = parser.parse_args()
    tuner = os.path.abspath(given.tuner)
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "k.cu").write_text(SOURCE, encoding="utf-8")
        print("form      elements   time_ms (95 %)                     variants  ms a variant, all in all")
        for elements in (1000, 4_000_000, 64_000_000):
            found = {form: [] for form in FORMS}
            for form, head in FORMS.items():
                name = f"{form}{elements}"
                text = STUDY % (head % name, elements, 32 + 32 * given.variants)
                (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
                run(tuner, folder, f"{name}.yaml")  # compiles
            for _ in range(3):
                for form in FORMS:
                    found[form].append(run(tuner, folder, f"{form}{elements}.yaml"))
            middle = {}
            for form, runs in found.items():
                row = sorted((one[1] for one in runs), key=lambda one: float(one["search_ms"]))[1]
                low, at, high = (float(row[key]) for key in ("ci_low_ms", "search_ms", "ci_high_ms"))
                middle[form] = (low, at, high)
                spent = statistics.median(1e3 * taken / count for taken, _, count in runs)
                print(f"{form:9} {elements:9}   {at:.5f} ({low:.5f} to {high:.5f})   {runs[0][2]:5}  {spent:8.1f}")
            (low, one, high), (least, other, most) = middle["kernel"], middle["launcher"]
            print(f"launcher / kernel = {other / one:.4f}, intervals "
                  f"{'meet' if low <= most and least <= high else 'do not meet'}")


if __name__ == "__main__":
    main()
