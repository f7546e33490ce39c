#!/usr/bin/env python3
"""Wall seconds from the start of the program until a search stood within a share of the best known.

    reached.py PREFIX [--strategies default,random] [--seeds 5] [--budget 20] [--within 0.02]
               [--beside LABEL=OTHER] [STUDY[:SIZE]...]

PREFIX is an installed tree or a build tree. OTHER is one, too: another program, which takes part with the
strategy `default` under that label. Each run starts with an empty store and an empty cache of artifacts,
and no cache of the driver's; strategies take turns, seed by seed. The best known is the fastest search
figure of all runs at that size: what nobody found is not known. A run that has not come that far within
its budget counts as its budget, and is shown with a `>`. The columns of each strategy: median and worst
seconds, configurations that were tried (median), how busy compile workers and device were over the run, and
whichever of the two was busier in each quarter of it (medians). STUDY is one of search_spaces.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from budgets import STUDIES


class Run:
    """What one run showed: (seconds since the start, search figure) of each good trial, in order."""

    def __init__(self, prefix, backend, place, strategy, seed, budget):
        name, _, size = place.partition(":")
        self.good, self.trials, self.busy, self.budget = [], 0, (0.0, 0.0, 0.0), budget
        with tempfile.TemporaryDirectory() as folder:
            words = [prefix / "bin/tuner", "run", prefix / f"share/tuner/search_spaces/{name}.yaml",
                     "--backend", backend, "--strategy", strategy, "--seed", str(seed),
                     "--budget", f"{budget:g}s", "--results", f"{folder}/results", "--progress", "json"]
            words += ["--size", size] if size else []
            env = dict(os.environ, XDG_CACHE_HOME=folder, CUDA_CACHE_DISABLE="1")
            begin = time.monotonic()
            with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True) as process:
                for line in process.stderr:
                    if line.startswith("{"):
                        self.take(json.loads(line), time.monotonic() - begin)
            if process.returncode != 0:
                raise SystemExit(f"{words}: status {process.returncode}")

    def take(self, event, seconds):
        if event["event"] == "trial":
            self.trials += 1
            if event["state"] == "ok":
                self.good.append((seconds, event["time_ms"]))
        elif event["event"] == "ranked":
            shares = [event["bound"][key] for key in ("compile_workers_busy", "device_busy")]
            shares.append(list(map(max, *shares)))
            self.busy = tuple(statistics.mean(share) for share in shares)

    def best(self):
        return min((ms for _, ms in self.good), default=float("inf"))

    def reached(self, limit):
        """Seconds until a figure was under the limit, and whether one was."""
        return next(((seconds, True) for seconds, ms in self.good if ms <= limit), (self.budget, False))


def row(label, runs, limit):
    reached = sorted(run.reached(limit) for run in runs)
    seconds = [each for each, _ in reached]
    median = statistics.median(seconds)
    missed = sum(not was for _, was in reached)
    compilers, device, busier = (100 * statistics.median(run.busy[i] for run in runs) for i in range(3))
    return (f"  {label:<24}{'>' if 2 * missed > len(runs) else ' '}{median:>6.2f}"
            f"{'>' if missed else ' '}{seconds[-1]:>7.2f}{len(runs) - missed:>5}/{len(runs)}"
            f"{statistics.median(run.trials for run in runs):>8g}{compilers:>10.0f}{device:>8.0f}{busier:>8.0f}"
            f"   {' '.join(f'{run.best():.4g}' for run in runs)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--beside", action="append", default=[], metavar="LABEL=OTHER")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--strategies", default="default,random")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=20)
    parser.add_argument("--within", type=float, default=0.02)
    parser.add_argument("studies", nargs="*", default=STUDIES)
    args = parser.parse_intermixed_args()
    racers = [(each, args.prefix.resolve(), each) for each in args.strategies.split(",")]
    racers += [(label, pathlib.Path(path).resolve(), "default")
               for label, path in (each.split("=", 1) for each in args.beside)]
    print(f"  {'strategy':<24} {'median':>6} {'worst':>7}{'came':>6} {'tried':>8}{'compile %':>10}"
          f"{'device %':>8}{'busier':>8}   best of each seed, ms")
    for place in args.studies:
        runs = {label: [] for label, _, _ in racers}
        for seed in range(1, args.seeds + 1):
            for label, prefix, strategy in racers:
                runs[label].append(Run(prefix, args.backend, place, strategy, seed, args.budget))
        limit = (1 + args.within) * min(run.best() for each in runs.values() for run in each)
        print(f"{place}: within {limit:.4g} ms")
        for label, each in runs.items():
            print(row(label, each, limit), flush=True)


if __name__ == "__main__":
    sys.exit(main())
