#!/usr/bin/env python3
"""What a second, third ... device of a machine gives: wall time of whole runs on 1, 2, ... devices.

    devices.py PREFIX [--devices 1,2] [--variants 1250] [--rounds 3] [--backend cuda] [--ranks] [--in-turn]

PREFIX is an installed tree or a build tree. Two studies: the 450 variants of benchmarks/throughput (exhaustive), and
so many variants of the product with register tiles at each of four sizes, which are compiled once for all four (exhaustive
within a budget). Each is tuned with an empty store: once without artifacts and without the driver's cache, then
--rounds times with the artifacts of that run, in turns. With --ranks the last number of devices is also had from an MPI
job of as many ranks, with --in-turn from a run that tunes one size after the other.

Printed, medians over the rounds: wall seconds of the program, start and finals included, speed-up over the first
number of devices, how busy compile workers and devices were, the winners' times. Then what a neighbour does to a
device: for each variant the time that device 0 measured while others were at work over its time in a run of its own,
beside two runs of its own. Times that were scaled to another device's are left out.
"""

import argparse
import collections
import csv
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SIZES = ["M=1024,N=1024,K=1024", "M=2048,N=2048,K=2048", "M=4096,N=4096,K=128", "M=1000,N=1000,K=1000"]


class Run:
    """One run of the program, and what it said of itself."""

    def __init__(self, command, results, cache):
        self.results = results
        self.busy, self.uuids = ([], []), {}
        env = dict(os.environ, XDG_CACHE_HOME=str(cache), CUDA_CACHE_DISABLE="1")
        begin = time.monotonic()
        with subprocess.Popen([*command, "--results", results, "--progress", "json"], env=env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            said = [line for line in process.stderr if not self.take(line)]
        self.wall = time.monotonic() - begin
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{''.join(said)}status {process.returncode}")

    def take(self, line):
        if not line.startswith("{"):
            return False
        event = json.loads(line)
        if event["event"] == "ranked":
            for shares, key in zip(self.busy, ("compile_workers_busy", "device_busy")):
                shares += (event["bound"] or {}).get(key, [])
            self.uuids |= {(one["rank"], one["device"]): one["uuid"] for one in event.get("devices", [])}
        return True

    def rows(self):
        for file in sorted(pathlib.Path(self.results).glob("*/*/*.csv")):
            with open(file, newline="", encoding="utf-8") as rows:
                yield from ((file.name, row) for row in csv.DictReader(rows))

    def winners(self):
        return [float(row["time_ms"]) for _, row in self.rows() if row["rank"] == "1"]

    def times(self, uuid=None):
        """Search figures by variant; with a uuid those of that device only."""
        found = {}
        for name, row in self.rows():
            if row["state"] != "ok" or not row["search_ms"] or row.get("device_scale"):
                continue
            if uuid and row["device_uuid"] != uuid:
                continue
            columns = list(row)
            key = (name, *(row[column] for column in columns[2:columns.index("time_ms")]))
            found[key] = float(row["search_ms"])
        return found


def median_of(runs, figure):
    return statistics.median(map(figure, runs))


def busy_percent(run, which):
    return 100 * statistics.mean(run.busy[which]) if run.busy[which] else math.nan


def print_table(name, runs, first):
    print(f"{name}\n  {'devices':<12}{'artifacts':<10}{'wall s':>8}{'speed-up':>10}{'compile %':>11}{'device %':>10}"
          "   winners, ms")
    for (devices, source), these in runs.items():
        wall = median_of(these, lambda r: r.wall)
        base = median_of(runs[first, source], lambda r: r.wall)
        print(f"  {devices:<12}{source:<10}{wall:>8.2f}{base / wall:>10.2f}"
              f"{median_of(these, lambda r: busy_percent(r, 0)):>11.0f}"
              f"{median_of(these, lambda r: busy_percent(r, 1)):>10.0f}   "
              f"{' '.join(f'{ms:.4g}' for ms in these[-1].winners())}", flush=True)


def print_ratios(label, before, after):
    ratios = sorted(after[key] / before[key] for key in before.keys() & after.keys())
    if not ratios:
        print(f"  {label:<44} nothing in common")
        return
    at = lambda share: ratios[min(len(ratios) - 1, int(share * len(ratios)))]  # noqa: E731
    print(f"  {label:<44}{len(ratios):>6} variants, median {statistics.median(ratios):.4f}, "
          f"5 to 95 %: {at(0.05):.4f} to {at(0.95):.4f}", flush=True)


def print_neighbours(runs, first):
    alone = runs[first, "cached"]
    for one, other in itertools.pairwise(alone):
        print_ratios("alone, a run and the one after it", one.times(), other.times())
    for (devices, source), these in runs.items():
        uuid = these[-1].uuids.get((0, 0))
        if devices != first and source == "cached" and uuid:
            print_ratios(f"device 0 beside others ({devices})", alone[-1].times(), these[-1].times(uuid))


def commands(options, words):
    """By label. One process takes devices of the machine; in an MPI job each rank has one."""
    run = [options.prefix / "bin/tuner", "run", *words, "--strategy", "exhaustive", "--backend", options.backend]
    count = options.devices[-1]
    found = {str(one): [*run, "--device", ",".join(map(str, range(one)))] for one in options.devices}
    if options.in_turn:
        found[f"{count} in turn"] = [*found[str(count)], "--in-turn"]
    if options.ranks:
        found[f"{count} ranks"] = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", str(count), *run]
    return found


def measure(options, name, words, folder):
    runs = collections.defaultdict(list)
    kinds = commands(options, words)
    first = next(iter(kinds))
    for label, command in kinds.items():
        place = folder / label.replace(" ", "_")
        runs[label, "cold"].append(Run(command, place / "cold", place / "cache"))
    for round_ in range(options.rounds):
        for label, command in kinds.items():
            place = folder / label.replace(" ", "_")
            runs[label, "cached"].append(Run(command, place / str(round_), place / "cache"))
    print_table(name, runs, first)
    print_neighbours(runs, first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--devices", type=lambda text: [int(one) for one in text.split(",")], default=[1, 2])
    parser.add_argument("--variants", type=int, default=1250, help="of the product, at each of its four sizes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--ranks", action="store_true", help="an MPI job, too")
    parser.add_argument("--in-turn", action="store_true", help="one size after the other, too")
    options = parser.parse_args()
    options.prefix = options.prefix.resolve()
    products = [options.prefix / "share/tuner/search_spaces/matmul.yaml", "--where", "FORM == 'registers'",
                "--budget", str(options.variants), *(word for size in SIZES for word in ("--size", size))]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        measure(options, "throughput, 450 variants", [HERE.parent / "throughput/mm.yaml"], place / "throughput")
        measure(options, f"matmul, {options.variants} variants at {len(SIZES)} sizes", products, place / "products")


if __name__ == "__main__":
    main()
