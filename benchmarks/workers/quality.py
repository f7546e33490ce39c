#!/usr/bin/env python3
"""What is lost when many workers share a search, at equal worker-seconds.

A worker is one compile worker with one device. Each number of workers replays the same recordings by the simulated
clock of `tuner run --replay --compile-workers W --simulated-devices W`, for budget / W seconds, so more workers
measure as much, but know less when they ask. A loss is best found / best recorded - 1: the median over seeds.

The budget is --times what random search with one worker, which compiles and measures one configuration after the
other, needs on average until it has gone --way of the way from the median to the best; it follows from the recording
alone. quality.py --tuner build/release/bin/tuner RECORDING...
"""

import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


def replay(options, recording, words):
    """By run, each answer of the replay: its simulated second, and its objective or infinity. None: refused."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.csv"
        done = subprocess.run([options.tuner, "run", "--replay", recording, "--progress", "none", "--trace", trace,
                               *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        # 1: nothing valid was found, which is an answer.
        if done.returncode == 2 and "no compile times" in done.stderr:
            return None
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(map(str, done.args))}: status {done.returncode}\n{done.stderr}")
        runs = {}
        with open(trace, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                objective = float(row["objective"]) if row["objective"] else math.inf
                runs.setdefault(int(row["run"]), []).append((float(row["time_s"]), objective))
        return runs


def evaluations_of_random_search(objectives, way):
    """How many draws without replacement until the mean of the best so far has gone so much of the way from the median
    to the best. Before anything better a run is at the median. The best of m draws is the k-th best of n with the
    chance C(n - k, m - 1) / C(n, m)."""
    valid = sorted(value for value in objectives if value < math.inf)
    middle = statistics.median(valid)
    gains = [middle - value for value in valid if value < middle]
    total = len(objectives)

    def share_of_way(draws):
        mean, chance = 0.0, draws / total  # that the first one is among them, and no better one
        for rank, gain in enumerate(gains):
            mean += gain * chance
            if total - rank - draws <= 0:
                break
            # C(total - rank - 2, draws - 1) / C(total - rank - 1, draws - 1)
            chance *= (total - rank - draws) / (total - rank - 1)
        return mean / (middle - valid[0])

    low, high = 0, total
    while high - low > 1:
        between = (low + high) // 2
        low, high = (low, between) if share_of_way(between) >= way else (between, high)
    return high


def budget_of(options, recording):
    """Worker-seconds, the evaluations that they are on average, and the best recorded objective."""
    (answers,) = replay(options, recording, ["--strategy", "exhaustive"]).values()
    objectives = [objective for _, objective in answers]
    evaluations = options.times * evaluations_of_random_search(objectives, options.way)
    return evaluations * answers[-1][0] / len(answers), evaluations, min(objectives)


def losses(options, recording, strategy, workers, seconds, best):
    """Of each run, and how many configurations it measured."""
    repeats = options.random_seeds if strategy == "random" else options.seeds
    devices = workers if options.devices is None else options.devices
    runs = replay(options, recording,
                  ["--strategy", strategy, "--compile-workers", str(workers), "--simulated-devices", str(devices),
                   "--budget", f"{seconds:.6f}s", "--repeats", str(repeats)])
    answers = [[objective for _, objective in run] for run in runs.values()]
    answers += [[]] * (repeats - len(answers))
    return [min(one, default=math.inf) / best - 1 for one in answers], [len(one) for one in answers]


def percent(loss):
    return "none" if math.isinf(loss) else f"{100 * loss:.1f}"


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", nargs="+", metavar="RECORDING",
                        help="with compile times; others are named and left out")
    parser.add_argument("--tuner", required=True, help="the program")
    parser.add_argument("--workers", type=numbers, default=[1, 4, 16, 64, 256], help="such as 1,16,256")
    parser.add_argument("--devices", type=int, help="so many for any number of compile workers; else as many as these")
    parser.add_argument("--strategies", default="default,random", help="names, with commas")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each strategy")
    parser.add_argument("--random-seeds", type=int, default=50, help="runs of random")
    parser.add_argument("--way", type=float, default=0.95, help="that random search goes in the budget")
    parser.add_argument("--times", type=float, default=1, help="the budget is so many times that")
    return parser.parse_args()


def main():
    options = parse()
    head = ["recording", "evaluations", "strategy", *map(str, options.workers)]
    print("loss in %, and configurations measured, by workers\n")
    print("| " + " | ".join(head) + " |\n|---|--:|---|" + "--:|" * len(options.workers))
    for recording in options.recordings:
        name = pathlib.Path(recording).name.split(".")[0]
        if replay(options, recording, ["--strategy", "random", "--compile-workers", "1", "--budget", "1"]) is None:
            print(f"{name}: no compile times, left out", file=sys.stderr)
            continue
        budget, evaluations, best = budget_of(options, recording)
        for strategy in options.strategies.split(","):
            cells = []
            for workers in options.workers:
                lost, measured = losses(options, recording, strategy, workers, budget / workers, best)
                cells.append(f"{percent(statistics.median(lost))} ({statistics.median(measured):.0f})")
            print(f"| {name} | {evaluations:.0f} | {strategy} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
