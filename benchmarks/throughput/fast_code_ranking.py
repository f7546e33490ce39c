#!/usr/bin/env python3
"""Whether variants that are compiled quickly (-Ofc=...) rank as those that are compiled as usual.

usage: fast_code_ranking.py TUNER [--backend cuda] [--evaluations 60] [--options="-Ofc=min,-Ofc=mid,-Ofc=max"]

Needs a GPU. Runs the same variants of mm.yaml as usual and with each option. Prints of each option the
rank correlation of the times, the best time over the usual best, and what its winner loses when it is
compiled as usual: what a search with quick code would cost in the end.
"""
import argparse
import csv
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PARAMETERS = ["BM", "BN", "BK", "TM", "TN", "PAD"]


def times(tuner, option, backend, evaluations):
    """Milliseconds by configuration."""
    with tempfile.TemporaryDirectory() as folder:
        study = (HERE / "mm.yaml").read_text()
        if option:
            study = study.replace('  define_prefix: ""\n', f'  define_prefix: ""\n  options: ["{option}"]\n')
        pathlib.Path(folder, "mm.yaml").write_text(study)
        shutil.copy(HERE / "mm.cu", folder)
        subprocess.run([os.path.abspath(tuner), "run", "mm.yaml", "--backend", backend, "--strategy", "random",
                        "--seed", "1", "--budget", str(evaluations), "--progress", "none"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        file = next(pathlib.Path(folder, "results", "mm").glob("*/*.csv"))
        rows = [row for row in csv.DictReader(file.read_text().splitlines()) if row["state"] == "ok"]
    return {tuple(row[name] for name in PARAMETERS): float(row["time_ms"]) for row in rows}


def correlation(a, b):
    """Spearman's, of times without ties."""
    rank = lambda values: {key: place for place, key in enumerate(sorted(values, key=values.get))}
    first, second, n = rank(a), rank(b), len(a)
    return 1 - 6 * sum((first[key] - second[key]) ** 2 for key in a) / (n * (n * n - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--evaluations", type=int, default=60)
    parser.add_argument("--options", default="-Ofc=min,-Ofc=mid,-Ofc=max")
    args = parser.parse_args()
    usual = times(args.tuner, "", args.backend, args.evaluations)
    for option in args.options.split(","):
        quick = times(args.tuner, option, args.backend, args.evaluations)
        both = usual.keys() & quick.keys()
        plain, fast = ({key: values[key] for key in both} for values in (usual, quick))
        best, winner = min(plain.values()), min(fast, key=fast.get)
        print(f"{option}: {len(both)} variants, rank correlation {correlation(plain, fast):.3f}, best time "
              f"{fast[winner] / best:.3f} of the usual best, its winner compiled as usual {plain[winner] / best:.3f}",
              flush=True)


if __name__ == "__main__":
    main()
