#!/usr/bin/env python3
"""Tunes shipped kernels for ranges of sizes instead of a list, and exports what was learned.

    domains.py PREFIX OUT [--backend cuda] [--budget 600] [STUDY...]

PREFIX is an installed tree or a build tree, whose share/tuner/search_spaces/domains has the studies (default: all).
OUT gets header and launcher of each STUDY; OUT/results the store and the ranked CSV files. The budget is in seconds,
for each study. The same command again goes on. What the export says of the loss at sizes that were not
tuned is printed; benchmarks/vendor/deployed.cu compares the launcher with a library there."""

import argparse
import pathlib
import subprocess


def tune(options, study):
    tuner = options.prefix / "bin/tuner"
    name = study.stem
    results = ["--results", options.out / "results"]
    subprocess.run([tuner, "run", study, "--backend", options.backend, "--budget", f"{options.budget:g}s",
                    "--progress", "plain", *results], check=True)
    subprocess.run([tuner, "export", study, "--format", "header", "--evaluate", *results], check=True)
    for form, file in (("header", f"{name}_tuned.h"), ("launcher", f"{name}_launcher")):
        subprocess.run([tuner, "export", study, "--format", form, "-o", options.out / file, *results], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budget", type=float, default=600)
    options = parser.parse_intermixed_args()
    options.prefix = options.prefix.resolve()
    shipped = {one.stem: one for one in sorted((options.prefix / "share/tuner/search_spaces/domains").glob("*.yaml"))}
    unknown = [name for name in options.studies if name not in shipped]
    if unknown or not shipped:
        parser.error(f"no domain is known of {', '.join(unknown)}; there are {', '.join(shipped) or 'none'}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.studies or shipped:
        tune(options, shipped[name])


if __name__ == "__main__":
    main()
