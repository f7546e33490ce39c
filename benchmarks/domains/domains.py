#!/usr/bin/env python3
"""Tunes shipped kernels for ranges of sizes instead of a list, and exports what was learned.

    domains.py PREFIX OUT [--backend cuda] [--budget 600] [--loss 20] [STUDY...]

PREFIX is an installed tree or a build tree. OUT gets for each STUDY (default: all four) its study with a
domain, and header and launcher; OUT/results the store and the ranked CSV files. The budget is in seconds,
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

EVEN = "M % 32 == 0 and N % 32 == 0 and K % 32 == 0"
PRODUCT = {"M": (64, 8192), "N": (64, 8192), "K": (64, 8192)}

# Ranges, and kinds of sizes that matter alike.
DOMAINS = {
    "matmul": (PRODUCT, [EVEN, "M % 4 == 0 and N % 4 == 0 and K % 4 == 0", "M > 0"]),
    "matmul_bf16": (PRODUCT, [EVEN, "N % 8 == 0 and K % 8 == 0"]),
    "softmax": ({"M": (16, 65536), "N": (32, 65536)}, ["N % 4 == 0 and M * N <= 2 ** 27", "M * N <= 2 ** 27"]),
    "convolution2d": ({"H": (64, 8192), "W": (64, 8192)}, ["W % 4 == 0", "W > 0"]),
}


def study_text(path, name, largest):
    """The shipped study, tuned until the budget is spent."""
    ranges, kinds = DOMAINS[name]
    text = path.read_text(encoding="utf-8")
    text = text.replace("../kernel_sources", str(path.resolve().parent.parent / "kernel_sources"))
    extents = ", ".join(f"{dim}: [{low}, {max(low, min(high, largest))}]" for dim, (low, high) in ranges.items())
    listed = ", ".join(f'"{kind}"' for kind in kinds)
    text, sizes = re.subn(r"^problem_sizes:\n(?:  - .*\n)+",
                          f"problem_sizes:\n  domain: {{{extents}}}\n  kinds: [{listed}]\n", text, flags=re.M)
    text, searches = re.subn(r"^search: .*$", "search: {until_loss: 0}", text, flags=re.M)
    if sizes != 1 or searches != 1:
        sys.exit(f"{path}: problem_sizes or search is not where it is expected")
    return text


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


def follow(options, name):
    """All budgets of one study, and the loss after each."""
    study = options.out / f"{name}.yaml"
    shipped = options.prefix / f"share/tuner/search_spaces/{name}.yaml"
    study.write_text(study_text(shipped, name, options.largest), encoding="utf-8")
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
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(DOMAINS))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budget", type=budgets, default=[600.0], help="seconds, or several that rise: 60,120,240")
    parser.add_argument("--loss", type=int, default=0, metavar="N", help="measure the loss at N other sizes")
    parser.add_argument("--alone", type=float, default=20, metavar="SECONDS", help="for each of these sizes")
    parser.add_argument("--largest", type=int, default=1 << 30, metavar="EXTENT", help="of a size")
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.studies if name not in DOMAINS]
    if unknown:
        parser.error(f"no domain is known of {', '.join(unknown)}; there are {', '.join(DOMAINS)}")
    options.prefix = options.prefix.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.studies or DOMAINS:
        follow(options, name)


if __name__ == "__main__":
    main()
