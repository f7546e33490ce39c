#!/usr/bin/env python3
"""Tunes shipped kernels for ranges of sizes instead of a list, and exports what was learned.

    domains.py PREFIX OUT [--backend cuda] [--budget 600] [--loss 20] [STUDY...]

PREFIX is an installed tree or a build tree, whose share/tuner/search_spaces/domains has the studies (default: all).
OUT gets header and launcher of each STUDY; OUT/results the store and the ranked CSV files. The budget is in seconds,
for each study. The same command again goes on. What the export says of the loss at sizes that were not
tuned is printed; benchmarks/vendor/deployed.cu compares the launcher with a library there.

Several budgets (--budget 60,120,240) are points of a curve: the study is tuned until the first is spent, exported
(OUT/STUDY_60s_tuned.h), tuned on until the second is, and so on. A run that goes on opens the device and holds its
finals once more, within its budget. --loss N measures what each of these headers loses at N other sizes
(loss.py, with --alone seconds for each size). --largest limits the extents of the sizes: for a try without a GPU, say."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys


def study_text(path, largest):
    """The shipped domain, with extents that are limited."""
    text = path.read_text(encoding="utf-8")
    base = path.resolve().parent
    text = re.sub(r"^extends: (.*)$", lambda found: f"extends: {(base / found[1]).resolve()}", text, flags=re.M)
    extent = r"\[(\d+), (\d+)\]"

    def limited(found):
        low, high = int(found[1]), int(found[2])
        return f"[{low}, {max(low, min(high, largest))}]"

    return re.sub(r"^  domain: .*$", lambda line: re.sub(extent, limited, line[0]), text, flags=re.M)


def tune(options, name, study, seconds):
    """Tunes for so many seconds more, and exports."""
    tuner = options.prefix / "bin/tuner"
    results = ["--results", options.out / "results"]
    done = subprocess.run([tuner, "run", study, "--backend", options.backend, "--budget", f"{seconds:g}s",
                           "--progress", "plain", *results])
    if done.returncode not in (0, 1):  # 1: there is a size at which nothing is valid yet
        sys.exit(done.returncode)
    subprocess.run([tuner, "export", study, "--format", "header", "--evaluate", *results], check=True)
    for form, file in (("header", f"{name}_tuned.h"), ("launcher", f"{name}_launcher")):
        subprocess.run([tuner, "export", study, "--format", form, "-o", options.out / file, *results], check=True)


def follow(options, name, shipped):
    """All budgets of one study, and the loss after each."""
    study = options.out / f"{name}.yaml"
    study.write_text(study_text(shipped, options.largest), encoding="utf-8")
    headers = []
    spent = 0
    for seconds in options.budget:
        tune(options, name, study, seconds - spent)
        spent = seconds
        headers.append(options.out / f"{name}_tuned.h")
        if len(options.budget) > 1:
            headers[-1] = options.out / f"{name}_{seconds:g}s_tuned.h"
            shutil.copy(options.out / f"{name}_tuned.h", headers[-1])
    if options.loss:
        loss = pathlib.Path(__file__).resolve().parent / "loss.py"
        subprocess.run([sys.executable, loss, options.prefix, study, *headers, "--sizes", str(options.loss),
                        "--budget", f"{options.alone:g}s", "--backend", options.backend,
                        "--alone", options.out / "alone" / name])


def budgets(text):
    """Rising numbers of seconds."""
    found = [float(one) for one in text.split(",")]
    if found[0] <= 0 or any(b <= a for a, b in zip(found, found[1:])):
        raise ValueError
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budget", type=budgets, default=[600.0], help="seconds, or several that rise: 60,120,240")
    parser.add_argument("--loss", type=int, default=0, metavar="N", help="measure the loss at N other sizes")
    parser.add_argument("--alone", type=float, default=20, metavar="SECONDS", help="for each of these sizes")
    parser.add_argument("--largest", type=int, default=1 << 30, metavar="EXTENT", help="of a size")
    options = parser.parse_intermixed_args()
    options.prefix = options.prefix.resolve()
    shipped = {one.stem: one for one in sorted((options.prefix / "share/tuner/search_spaces/domains").glob("*.yaml"))}
    unknown = [name for name in options.studies if name not in shipped]
    if unknown or not shipped:
        parser.error(f"no domain is known of {', '.join(unknown)}; there are {', '.join(shipped) or 'none'}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.studies or shipped:
        follow(options, name, shipped[name])


if __name__ == "__main__":
    main()
