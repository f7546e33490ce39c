#!/usr/bin/env python3
"""How many results a second a search takes from many workers, and what memory it needs.

Replays a made-up recording with `tuner run --replay --compile-workers`: nothing is compiled or measured, so all
time is that of strategy, loop and clock. simulate.py --tuner build/release/bin/tuner [--configurations 100000]
[--workers 1,16,256] [--strategy exhaustive] [--repeats 1,10]
"""

import argparse
import json
import os
import pathlib
import random
import tempfile
import time


def recording(configurations):
    """As T4: times from 1 to 2 ms, compilations of 0.5 to 2.5 s, two parameters."""
    rng = random.Random(1)
    results = []
    for i in range(configurations):
        results.append({
            "configuration": {"A": i % 1000, "B": i // 1000},
            "times": {"compilation": rng.uniform(500, 2500), "benchmark": 50, "runtimes": [rng.uniform(1, 2)]},
            "invalidity": "correct", "correctness": 1,
            "measurements": [{"name": "time", "value": 1, "unit": "ms"}], "objectives": ["time"]})
        results[-1]["measurements"][0]["value"] = results[-1]["times"]["runtimes"][0]
    return {"schema_version": "1.0.0", "results": results}


def replay(tuner, file, strategy, workers, repeats, evaluations):
    """Seconds, and the most memory that the process held, in MiB."""
    words = [tuner, "run", "--replay", file, "--strategy", strategy, "--compile-workers", str(workers),
             "--repeats", str(repeats), "--budget", str(evaluations), "--progress", "none"]
    begin = time.monotonic()
    pid = os.posix_spawn(tuner, words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuner", required=True)
    parser.add_argument("--configurations", type=int, default=100000)
    parser.add_argument("--workers", type=numbers, default=[1, 16, 256])
    parser.add_argument("--strategy", default="exhaustive")
    parser.add_argument("--repeats", type=numbers, default=[1, 10])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "recording.json"
        file.write_text(json.dumps(recording(options.configurations)))
        print("| workers | results | results a second | memory |\n|--:|--:|--:|--:|")
        for workers in options.workers:
            # Reading the recording is not counted.
            read, _ = replay(options.tuner, str(file), options.strategy, workers, 1, 1)
            for repeats in options.repeats:
                seconds, memory = replay(options.tuner, str(file), options.strategy, workers, repeats,
                                         options.configurations)
                results = repeats * options.configurations
                print(f"| {workers} | {results} | {results / (seconds - read):.0f} | {memory:.0f} MiB |", flush=True)


if __name__ == "__main__":
    main()
