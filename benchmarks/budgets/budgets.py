#!/usr/bin/env python3
"""Wall seconds of whole runs beside their budgets.

    budgets.py PREFIX [--backend cuda] [--budgets 5,20] [STUDY[:SIZE]...]

PREFIX is an installed tree or a build tree. Each run starts with an empty store and an empty cache of
artifacts, and no cache of the driver's. A run may take 1.05 times its budget plus one second; exit
status 1 where one takes longer. STUDY is one of search_spaces, SIZE such as M=4096,N=4096,K=4096.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

STUDIES = [
    "matmul:M=4096,N=4096,K=4096",
    "matmul_bf16:M=4096,N=4096,K=4096",
    "convolution2d:H=4096,W=4096",
    "transpose_f16:M=8192,N=8192",
    "softmax:M=8192,N=8192",
]


def run(prefix, backend, place, budget):
    """Wall seconds, and the last line of the ranking's best."""
    name, _, size = place.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        words = [prefix / "bin/tuner", "run", prefix / f"share/tuner/search_spaces/{name}.yaml",
                 "--backend", backend, "--budget", f"{budget}s", "--results", f"{folder}/results",
                 "--progress", "none"]
        words += ["--size", size] if size else []
        env = dict(os.environ, XDG_CACHE_HOME=folder, CUDA_CACHE_DISABLE="1")
        begin = time.monotonic()
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
    trials = next((line.strip() for line in done.stdout.splitlines() if re.match(r"\s*\d+ trials?: ", line)), "")
    return seconds, done.returncode, trials


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budgets", default="5,20,60")
    parser.add_argument("studies", nargs="*", default=STUDIES)
    args = parser.parse_intermixed_args()
    late = 0
    print(f"{'study':<14}{'size':<26}{'budget s':>9}{'wall s':>8}{'allowed':>9}  status")
    for place in args.studies:
        for budget in map(float, args.budgets.split(",")):
            seconds, status, trials = run(args.prefix.resolve(), args.backend, place, f"{budget:g}")
            allowed = 1.05 * budget + 1
            late += seconds > allowed
            name, _, size = place.partition(":")
            print(f"{name:<14}{size:<26}{budget:>9g}{seconds:>8.2f}{allowed:>9.2f}  {status}"
                  f"{'  LATE' if seconds > allowed else ''}  {trials}", flush=True)
    print(f"{late} late")
    return late > 0


if __name__ == "__main__":
    sys.exit(main())
