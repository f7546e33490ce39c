#!/usr/bin/env python3
"""Saxpy on a GPU where launches wait for the device, or once did. blocking_launches.py TUNER

CUDA_LAUNCH_BLOCKING=1 is left out, with a note, and gives the same times. Under nsys and compute-sanitizer, where they
are found, a run ends; compute-sanitizer makes launches wait, which is said. Other variables of the environment change
nothing. Prints a table; exit status 1 where a run does not end in two minutes, finds nothing, or is another 1.5 times."""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDY = ROOT / "examples/saxpy/saxpy.yaml"
SECONDS = 120


def run(tuner, folder, environment, launcher):
    words = [*launcher, tuner, "run", str(STUDY), "--backend", "cuda", "--results", folder, "--progress", "plain"]
    try:
        done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=SECONDS,
                              cwd=folder)
    except subprocess.TimeoutExpired:
        return None, "", "did not end"
    best = [float(row["time_ms"]) for file in pathlib.Path(folder).rglob("*.csv")
            for row in csv.DictReader(file.open()) if row["rank"] == "1"]
    text = done.stdout + done.stderr
    if done.returncode != 0 or not best:
        return None, text, f"status {done.returncode}: {text[-400:]}"
    return min(best), text, ""


def main():
    tuner = os.path.abspath(sys.argv[1])
    cases = {"plain": ({}, [], ""),
             "CUDA_LAUNCH_BLOCKING=1": ({"CUDA_LAUNCH_BLOCKING": "1"}, [], "CUDA_LAUNCH_BLOCKING is set"),
             "CUDA_DEVICE_MAX_CONNECTIONS=1": ({"CUDA_DEVICE_MAX_CONNECTIONS": "1"}, [], ""),
             "CUDA_MODULE_LOADING=LAZY": ({"CUDA_MODULE_LOADING": "LAZY"}, [], ""),
             "CUDA_MODULE_LOADING=EAGER": ({"CUDA_MODULE_LOADING": "EAGER"}, [], "")}
    if shutil.which("nsys"):
        cases["nsys"] = ({}, ["nsys", "profile", "--force-overwrite=true", "-o", "profile"], "")
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if os.path.exists(sanitizer):
        cases["compute-sanitizer"] = ({}, [sanitizer, "--target-processes", "all"], "")
    usual, bad = None, 0
    for name, (environment, launcher, said) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            best, text, failure = run(tuner, folder, environment, launcher)
        usual = usual or best
        if not failure and said not in text:
            failure = f"does not say '{said}'"
        if not failure and not launcher and not usual / 1.5 < best < usual * 1.5:
            failure = "another time"
        waits = "launches wait" if "each launch waits for the device" in text else ""
        print(f"{name:32} {best or float('nan'):10.5f} ms  {waits} {failure}")
        bad += bool(failure)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
