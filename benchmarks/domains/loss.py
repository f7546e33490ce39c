#!/usr/bin/env python3
"""What an export of a domain loses against tuning each size alone.

    loss.py PREFIX STUDY HEADER... [--sizes 20] [--seed 7] [--budget 20s] [--backend cuda] [--alone FOLDER]

PREFIX is an installed tree or a build tree, STUDY a study with a domain, HEADER what was exported of it. Sizes are
drawn from the domain; those that were tuned are left out. Each is tuned alone, with a store of its own in FOLDER
(default: alone, beside the first HEADER), so that nothing that was learned elsewhere helps. What the HEADER chooses
is the baseline of that search: it is measured with it and takes part in its final, in turns with the best. The loss is
the ratio of the two minus 1, so it is never below 0. Several HEADERs are compared after one search with what it
found, four evaluations for each. The same command again goes on.

Printed: the loss of each HEADER in percent at each size, with its interval (* where it is no more than can be
measured); then its median and its worst. Exit status 1: some choice was wrong, or there was none."""

import argparse
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

CHECKED = re.compile(r"^(\S+) +(exact|near_size|near_device|fallback|unsupported|predicted) +([\d.]+) +(.*)$")
LOSES = re.compile(r"^(\S+) +loses ([\d.]+) % \[(-?[\d.]+), (-?[\d.]+)\](, not significant)?$")


def verify(options, header, *words):
    """What verify-export prints. Its status says whether something is lost, too, so the text has to tell."""
    command = [options.prefix / "bin/tuner", "verify-export", header, options.study, "--backend", options.backend, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}status {done.returncode}")
    return done.stdout.splitlines()


def drawn_sizes(options):
    """Labels such as M96_N64. Those that were tuned say nothing of other sizes."""
    lines = verify(options, options.headers[0], "--random", str(options.sizes), "--seed", str(options.seed))
    found = [match.groups() for match in map(CHECKED.match, lines) if match]
    for label, how, _, _ in found:
        if how == "exact":
            print(f"# {label} was tuned: left out")
    return [label for label, how, _, _ in found if how != "exact"]


def as_option(label):
    return ",".join("=".join(re.fullmatch(r"(\w*?[A-Za-z_])(\d+)", part).groups()) for part in label.split("_"))


def loss_at(options, header, label, budget):
    """Percent, lowest and highest percent, whether it is no more than can be measured; infinite without a choice."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / header.name  # verify-export would write the export anew
        shutil.copy(header, copy)
        lines = verify(options, copy, "--size", as_option(label), "--retune", budget, "--results", options.alone / label)
    for match in map(LOSES.match, lines):
        if match:
            return float(match[2]), float(match[3]), float(match[4]), match[5] is not None
    if any("selects nothing valid" in line for line in lines):
        return math.inf, math.inf, math.inf, False
    return None  # nothing is valid at this size


def compared(options, header, label):
    """Where the device has changed since the search, a few evaluations do not get beyond what it found."""
    found = loss_at(options, header, label, "4")
    return loss_at(options, header, label, options.budget) if found and math.isinf(found[0]) else found


def losses_at(options, label):
    """One for each header."""
    first, *others = options.headers
    found = loss_at(options, first, label, options.budget)
    if not others:
        return [found]
    return [compared(options, header, label) for header in options.headers]


def print_line(label, losses):
    cells = [f"{one[0]:8.2f} [{one[1]:.2f}, {one[2]:.2f}]{'*' if one[3] else ' '}" for one in losses]
    print(f"{label:28} " + "  ".join(f"{cell:30}" for cell in cells).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("study", type=pathlib.Path)
    parser.add_argument("headers", nargs="+", type=pathlib.Path, metavar="HEADER")
    parser.add_argument("--sizes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--budget", default="20s", help="for each size, as of tuner run")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--alone", type=pathlib.Path, help="folder of the sizes' results")
    options = parser.parse_args()
    options.alone = options.alone or options.headers[0].parent / "alone"
    losses = [[] for _ in options.headers]
    print("# loss in percent: " + ", ".join(map(str, options.headers)))
    for label in drawn_sizes(options):
        found = losses_at(options, label)
        if None in found:
            print(f"# {label}: nothing is valid")
            continue
        print_line(label, found)
        for of_header, one in zip(losses, found):
            of_header.append((one[0], label))
    for header, found in zip(options.headers, losses):
        if not found:
            sys.exit(f"{header}: there is no size to tell anything of")
        worst = max(found)
        print(f"# {header}: median {statistics.median(one for one, _ in found):.2f} %, worst {worst[0]:.2f} % at "
              f"{worst[1]}, {len(found)} sizes")
    return 1 if any(math.isinf(one) for found in losses for one, _ in found) else 0


if __name__ == "__main__":
    sys.exit(main())
