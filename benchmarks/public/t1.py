#!/usr/bin/env python3
"""Runs every T1 file of a folder as it is, and says of each what its variants came to or what is wrong with it.

    benchmarks/public/t1.py SNAPSHOTS --tuner build/release/bin/tuner [--seconds 10] [--backend cpu]

T1 files are those whose name ends in -CAFF.json, and others that hold a kernel and tuning parameters. Nothing is written
in SNAPSHOTS. `--compile sm_90` compiles a few configurations of each instead, without a GPU.
"""

import argparse
import collections
import concurrent.futures
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from run import reason


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("snapshots", type=pathlib.Path)
    parser.add_argument("--tuner", required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", help="files whose path contains this; may be repeated")
    parser.add_argument("--seconds", type=float, default=10, help="for the search of each file")
    parser.add_argument("--evaluations", type=int, default=20, help="at most so many configurations of each")
    parser.add_argument("--total", type=float, help="seconds for all; files for which no time is left are not run")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--compile", metavar="ARCH", help="compile --evaluations configurations only, such as for sm_90")
    parser.add_argument("--at-once", type=int, default=1, help="so many files beside each other: states count here, not times")
    parser.add_argument("--out", type=pathlib.Path, help="keep logs, results and t1.json in this folder")
    return parser.parse_args()


def is_t1(path):
    if path.name.endswith("-CAFF.json"):
        return True
    text = path.read_text(errors="replace") if path.stat().st_size < 1 << 20 else ""
    return '"KernelSpecification"' in text and '"TuningParameters"' in text and '"$schema"' not in text


def call(command, log, limit):
    """Exit status and standard output of a command; None past the limit. What it says besides goes to the log."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired as expired:
        log.write_bytes((expired.stdout or b"") + (expired.stderr or b""))
        return None, ""
    log.write_bytes(done.stdout + done.stderr)
    return done.returncode, done.stdout.decode(errors="replace")


def cause(log):
    """What a run says of the parameters that wrong variants have in common, shortened to that."""
    said = re.search(r"^((?:all \d+ wrong variants|wrong answers differ).*?)\. If the right.*\(T1 file: (.*)\)",
                     log.read_text(errors="replace"), re.M)
    return f"; {said.group(1)} ({said.group(2)})" if said else ""


def states(counted):
    return ", ".join(f"{count} {state}" for state, count in counted.most_common())


def verdict(options, path, folder, name):
    """One sentence about a file, and whether something of it ran or compiled."""
    log = folder / f"{name}.log"
    status, said = call([options.tuner, "check", path], log, 60)
    if status != 0:
        return "refused", reason(log)
    checked = re.search(r"warning: \S+:\d+:\d+: (.*): the file can only be checked", log.read_text(errors="replace"))
    if checked:
        return "checked", checked.group(1)
    if options.compile:
        status, said = call([options.tuner, "check", path, "--compile", "--arch", options.compile, "--limit",
                             str(options.evaluations)], log, 60 * options.evaluations)
        rows = list(csv.DictReader(io.StringIO(said)))
        counted = collections.Counter(row["state"] for row in rows)
        message = next((row["message"] for row in rows if row["state"] != "ok"), "") if not counted["ok"] else ""
        return ("compiles", states(counted)) if counted["ok"] else ("broken", message or reason(log))
    results = folder / "results" / name
    call([options.tuner, "run", path, "--results", results, "--backend", options.backend, "--budget",
          f"{options.evaluations},{options.seconds:.0f}s"], log, 3 * options.seconds + 30)
    exported, export_log = folder / f"{name}.json", folder / f"{name}.export.log"
    status, said = call([options.tuner, "export", path, "--results", results, "--format", "json", "--force", "-o", exported],
                        export_log, 60)
    if status != 0:
        return "broken", reason(log)
    trials = json.loads(exported.read_text())["results"][0]["trials"]
    counted = collections.Counter(trial["state"] for trial in trials)
    if counted["ok"]:
        return "ran", states(counted) + cause(log)
    message = next((trial["message"] for trial in trials if trial.get("message")), reason(log)) if trials else reason(log)
    return "broken", f"{states(counted)}: {message}".replace("\n", " ")[:300] + cause(log)


def look_at(options, root, folder, end, path):
    relative, start = str(path.relative_to(root)), time.monotonic()
    if start + options.seconds > end:
        kind, words = "not run", "no time was left"
    else:
        kind, words = verdict(options, path, folder, relative.replace("/", "+").removesuffix(".json"))
    words = words.replace(f"{root}/", "")
    print(f"{kind:9} {relative}: {words}", flush=True)
    return {"file": relative, "verdict": kind, "words": words, "seconds": time.monotonic() - start}


def main():
    options = arguments()
    options.tuner, root = options.tuner.resolve(), options.snapshots.resolve()
    files = [path for path in sorted(root.rglob("*.json")) if is_t1(path)]
    files = [path for path in files if not options.only or any(part in str(path) for part in options.only)]
    end = time.monotonic() + (options.total or 1e9)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        table = list(pool.map(lambda path: look_at(options, root, folder, end, path), files))
        (folder / "t1.json").write_text(json.dumps(table, indent=1) + "\n")
    print(states(collections.Counter(row["verdict"] for row in table)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
