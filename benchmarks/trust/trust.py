#!/usr/bin/env python3
"""How far can the winner of a run be trusted?

usage: trust.py TUNER STUDY --size M=1024,... [--where RULE] [--runs 10] [--backend cuda]

Tunes one space RUNS times, exhaustively, in a different order each time and from nothing. Each run
names a winner by the tuner's own rule (probe, estimate, interleaved final); beside it the winner by
the rule that other tuners use is taken from the same run: the lowest mean of the first 7 launches.
Then all winners are measured again, interleaved, several times over; the median of those times is
taken for the truth, and each rule is judged by how much slower its winners are than the best one.
Prints a table; the last line of each rule is what it would cost a user at worst.
"""
import argparse
import csv
import json
import pathlib
import sqlite3
import statistics
import struct
import subprocess
import tempfile


def tune(args, results, *more):
    subprocess.run([args.tuner, "run", args.study, "--backend", args.backend, "--size", args.size,
                    "--results", str(results), "--progress", "none", *more],
                   check=True, stdout=subprocess.DEVNULL)


def parameters_of(args):
    out = subprocess.run([args.tuner, "check", args.study, "--size", args.size, "--sample", "1"],
                         check=True, capture_output=True, text=True).stdout
    return out.splitlines()[0].split(",")


def ranked_rows(results):
    path = next(pathlib.Path(results).glob("*/*/*.csv"))
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def literal(text):
    try:
        float(text)
        return text
    except ValueError:
        return {"true": "True", "false": "False"}.get(text, f"'{text}'")


def rule_for(names, values):
    return "(" + " and ".join(f"{n} == {literal(v)}" for n, v in zip(names, values)) + ")"


def winner_by_mean_of_7(results, names):
    base = sqlite3.connect(pathlib.Path(results) / "tuner.sqlite")
    best = None
    for configuration, samples in base.execute(
            "SELECT configuration, samples FROM trials WHERE state = 'ok'"):
        times = struct.unpack(f"<{len(samples) // 8}d", samples)[:7]
        mean = statistics.fmean(times)
        if best is None or mean < best[0]:
            values = json.loads(configuration)
            best = (mean, tuple(str(values[n]) for n in names))
    return best[1]


def true_times(args, names, winners, folder):
    """Median time of each winner over several interleaved re-measurements."""
    times = {w: [] for w in winners}
    for repeat in range(args.repeats):
        results = folder / f"truth{repeat}"
        tune(args, results, "--strategy", "exhaustive", "--seed", str(repeat + 1),
             "--where", " or ".join(rule_for(names, w) for w in sorted(winners)))
        for row in ranked_rows(results):
            times[tuple(row[n] for n in names)].append(float(row["time_ms"]))
    return {w: statistics.median(t) for w, t in times.items()}


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tuner")
    p.add_argument("study")
    p.add_argument("--size", required=True)
    p.add_argument("--where")
    p.add_argument("--runs", type=int, default=10)
    p.add_argument("--repeats", type=int, default=5, help="of the re-measurement")
    p.add_argument("--backend", default="cuda")
    args = p.parse_args()
    names = parameters_of(args)
    ours, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for run in range(args.runs):
            results = folder / f"run{run}"
            tune(args, results, "--strategy", "random", "--seed", str(run + 1),
                 *(["--where", args.where] if args.where else []))
            ours.append(tuple(ranked_rows(results)[0][n] for n in names))
            plain.append(winner_by_mean_of_7(results, names))
        truth = true_times(args, names, set(ours) | set(plain), folder)
    best = min(truth.values())
    print(f"{args.study}, {args.size}: {args.runs} runs, {len(truth)} different winners")
    for rule, winners in (("this tuner", ours), ("mean of 7 launches", plain)):
        losses = [100 * (truth[w] / best - 1) for w in winners]
        print(f"  {rule:20} {len(set(winners))} different winners; true time over the best winner's: "
              f"median +{statistics.median(losses):.2f} %, worst +{max(losses):.2f} %")


if __name__ == "__main__":
    main()
