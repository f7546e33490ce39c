#!/usr/bin/env python3
"""What a compilation costs with nvcc and with NVRTC: nvcc_costs.py TUNER [--limit 5] [STUDY...]

The same configurations, drawn by `tuner check --compile`, for sm_90, one at a time, without a cache. Printed are the
medians of what the compilers took, and the processor time of the whole check for each configuration (which other jobs
on the machine do not lengthen), in milliseconds."""

import argparse
import csv
import io
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = [ROOT / "search_spaces" / f"{name}.yaml"
           for name in ("transpose", "softmax", "reduction", "matmul", "matmul_bf16")]


def compile_times(tuner, study, compiler, limit, folder):
    """Milliseconds by configuration, and of processor time for each."""
    copy = folder / f"{study.stem}_{compiler}.yaml"
    text = study.read_text().replace("../", f"{study.resolve().parent.parent}/")
    copy.write_text(text.replace("kernel:\n", f"kernel:\n  compiler: {compiler}\n", 1))
    env = dict(os.environ, XDG_CACHE_HOME=str(folder / compiler / study.stem))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([tuner, "check", copy, "--compile", "--arch", "sm_90", "--jobs", "1",
                           "--limit", str(limit), "--seed", "1"], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{study}: {compiler}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    times = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["state"] != "ok":
            continue
        behind = list(row).index("state")
        times[tuple(list(row.values())[:behind])] = float(row["compile_ms"])
    return times, 1000 * used / len(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuner")
    parser.add_argument("studies", nargs="*", type=pathlib.Path, default=STUDIES)
    parser.add_argument("--limit", type=int, default=5)
    options = parser.parse_args()
    print("study, configurations, NVRTC ms, nvcc ms, nvcc over NVRTC, processor ms: NVRTC, nvcc")
    with tempfile.TemporaryDirectory() as scratch:
        for study in options.studies:
            (nvrtc, nvrtc_used), (nvcc, nvcc_used) = (
                compile_times(options.tuner, study, compiler, options.limit, pathlib.Path(scratch))
                for compiler in ("nvrtc", "nvcc"))
            both = sorted(nvrtc.keys() & nvcc.keys())
            ratio = statistics.median(nvcc[key] / nvrtc[key] for key in both)
            print(f"{study.stem}, {len(both)}, {statistics.median(nvrtc[key] for key in both):.0f}, "
                  f"{statistics.median(nvcc[key] for key in both):.0f}, {ratio:.1f}, {nvrtc_used:.0f}, {nvcc_used:.0f}",
                  flush=True)


if __name__ == "__main__":
    main()
