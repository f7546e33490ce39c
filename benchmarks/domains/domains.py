#!/usr/bin/env python3
"""Tunes shipped kernels for ranges of sizes instead of a list, and exports what was learned.

    domains.py PREFIX OUT [--backend cuda] [--budget 600] [STUDY...]

PREFIX is an installed tree or a build tree. OUT gets for each STUDY (default: all four) its study with a
domain, and header and launcher; OUT/results the store and the ranked CSV files. The budget is in seconds,
for each study. The same command again goes on. What the export says of the loss at sizes that were not
tuned is printed; benchmarks/vendor/deployed.cu compares the launcher with a library there."""

import argparse
import pathlib
import re
import subprocess
import sys

EVEN = "M % 32 == 0 and N % 32 == 0 and K % 32 == 0"
PRODUCT = "{M: [64, 8192], N: [64, 8192], K: [64, 8192]}"

# Ranges, and kinds of sizes that matter alike.
DOMAINS = {
    "matmul": (PRODUCT, [EVEN, "M % 4 == 0 and N % 4 == 0 and K % 4 == 0", "M > 0"]),
    "matmul_bf16": (PRODUCT, [EVEN, "N % 8 == 0 and K % 8 == 0"]),
    "softmax": ("{M: [16, 65536], N: [32, 65536]}", ["N % 4 == 0 and M * N <= 2 ** 27", "M * N <= 2 ** 27"]),
    "convolution2d": ("{H: [64, 8192], W: [64, 8192]}", ["W % 4 == 0", "W > 0"]),
}


def study_text(path, name):
    """The shipped study, tuned until the budget is spent."""
    extents, kinds = DOMAINS[name]
    text = path.read_text(encoding="utf-8")
    text = text.replace("../kernel_sources", str(path.resolve().parent.parent / "kernel_sources"))
    listed = ", ".join(f'"{kind}"' for kind in kinds)
    text, sizes = re.subn(r"^problem_sizes:\n(?:  - .*\n)+",
                          f"problem_sizes:\n  domain: {extents}\n  kinds: [{listed}]\n", text, flags=re.M)
    text, searches = re.subn(r"^search: .*$", "search: {until_loss: 0}", text, flags=re.M)
    if sizes != 1 or searches != 1:
        sys.exit(f"{path}: problem_sizes or search is not where it is expected")
    return text


def tune(options, name):
    tuner = options.prefix / "bin/tuner"
    study = options.out / f"{name}.yaml"
    study.write_text(study_text(options.prefix / f"share/tuner/search_spaces/{name}.yaml", name), encoding="utf-8")
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
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(DOMAINS))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budget", type=float, default=600)
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.studies if name not in DOMAINS]
    if unknown:
        parser.error(f"no domain is known of {', '.join(unknown)}; there are {', '.join(DOMAINS)}")
    options.prefix = options.prefix.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.studies or DOMAINS:
        tune(options, name)


if __name__ == "__main__":
    main()
