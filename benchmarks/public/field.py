#!/usr/bin/env python3
"""How far kernels of public programs get without a hand: from `tuner init` to a right variant by the draft alone.

    benchmarks/public/field.py FOLDER... --tuner build/release/bin/tuner --sample 60 --seed 1 [--skip 60] [--out DIR]

Each FOLDER is a work tree of a repository; nothing is fetched, and nothing is written in it. One kernel is drawn from
each file that has any, and the files are taken from the folders in turn, so that a folder that is named twice gives
twice as many. `--skip N` leaves out the first N of the same order: a sample that is disjoint from that one. A kernel
is drafted, checked, and run on the backend `cpu` (or another one: `--backend cuda` needs a GPU); `right` means that a
variant gave the right answer. `nvcc -cubin` of the file alone says what can be had at all. The table counts how many
came how far, in all and of what nvcc takes; the lines below it say what stopped each kernel. `--compile sm_90` asks
less, and needs no GPU: whether one variant of the draft, which is not tried, compiles for that architecture.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
IN_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"  # four deep
ATTRIBUTE = re.compile(rf"__(?:launch_bounds|attribute|block_size|cluster_dims)__\s*{IN_PARENTHESES}")
KERNEL = re.compile(r"__global__\b[\w\s:<>*]*?\b(\w+)\s*\([^;{]*\)\s*\{")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tuner", required=True, type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=60, help="draw so many kernels")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of the order")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of the sample only those whose path or name contains this")
    parser.add_argument("--seconds", type=float, default=30, help="for the variants of each kernel")
    parser.add_argument("--backend", default="cpu", help="runs the drafted studies")
    parser.add_argument("--compile", metavar="ARCH", help="instead of a run compile one variant of the untried draft")
    parser.add_argument("--at-once", type=int, default=2, help="so many kernels beside each other")
    parser.add_argument("--out", type=pathlib.Path, help="keep the drafts and what was said in this folder")
    return parser.parse_args()


def kernels_of(path):
    """Names of the kernels that a file defines."""
    text = ATTRIBUTE.sub("", COMMENT.sub("", path.read_text(errors="replace")))
    return list(dict.fromkeys(KERNEL.findall(text)))


def draw(options):
    """Pairs of a file and a kernel of it, from the folders in turn."""
    chance = random.Random(options.seed)
    queues = {}
    for folder in dict.fromkeys(options.folders):
        files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".cu", ".cuh") and path.is_file()]
        chance.shuffle(files)
        queues[folder] = iter(files)
    drawn = []
    for folder in itertools.cycle(options.folders):
        if len(drawn) == options.skip + options.sample or not queues:
            break
        for path in queues.get(folder, ()):
            names = kernels_of(path)
            if names:
                drawn.append((path, chance.choice(names)))
                break
        else:
            queues.pop(folder, None)
    return [one for one in drawn[options.skip :] if options.only in f"{one[0]} {one[1]}"]


def call(command, seconds, env):
    """Exit status and what a command says; 124 past the limit."""
    try:
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=seconds,
            env=env, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, "timeout"


def telling(text):
    """The line of an output that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    usual = re.compile(r":\d+:\d+: |error|cannot|correctness:|compile:|runtime:|launch:|timeout|did not run")
    return next((line for line in lines if usual.search(line)), lines[-1] if lines else "")[:220]


def knobs_of(yaml):
    """Parameters with a choice that are no extents of the block."""
    block = re.search(r"^  block: (.*)", yaml, re.M)
    parameters = re.search(r"^parameters:\n((?:  .*\n)*)", yaml, re.M)
    lists = re.findall(r"^  (\w+): \[([^\]]*,[^\]]*)\]  #", parameters.group(1) if parameters else "", re.M)
    return [name for name, _ in lists if not re.search(rf"\b{name}\b", block.group(1) if block else "")]


def follow(number, path, kernel, options, scratch):
    """A kernel's way, and where it ended."""
    study = scratch / f"{number}_{path.stem}_{kernel}.yaml"
    env = dict(os.environ, XDG_CACHE_HOME=str(scratch / "cache"))
    out = {"name": f"{path} {kernel}", "reached": [], "said": "", "knobs": [], "configurations": 0}
    nvcc = ["nvcc", "-x", "cu", "-arch=sm_90", "-std=c++17", "-cubin", path, "-o", scratch / f"{number}.cubin"]
    out["nvcc"] = call(nvcc, 120, env)[0] == 0
    run = ["run", study, "--backend", options.backend, "--budget", f"3,{options.seconds}s", "--jobs", 2, "--progress", "none"]
    run += ["--results", scratch / f"{number}.results", "--timeout", 20]
    init = ["init", path, "--kernel", kernel, "-o", study]
    if options.compile:
        init.append("--no-try")
        run = ["check", study, "--compile", "--arch", options.compile, "--limit", 1]
    for stage, step in zip(options.stages, (init, ["check", study], run)):
        status, text = call([options.tuner, *step], 60 + 3 * options.seconds, env)
        study.with_suffix(f".{stage}.txt").write_text(text)
        is_done = re.search(r"\b[1-9]\d* ok\b", text) if stage == "right" else status == 0
        if not is_done:
            out["said"] = f"{step[0]}: {telling(text)}"
            return out
        out["reached"].append(stage)
        if stage == "checked":
            out["configurations"] = int((re.findall(r"^valid +(\d+)", text, re.M) or [0])[-1])
            out["knobs"] = knobs_of(study.read_text())
    return out


def report(all_kernels, stages):
    last = stages[-1]
    taken = [one for one in all_kernels if one["nvcc"]]
    print(f"{'':28} {'all':>10} {'of nvcc’s':>12}")
    for title, is_one in (
        ("kernels", lambda one: True),
        *((stage, lambda one, stage=stage: stage in one["reached"]) for stage in stages),
        (f"  {last}, two configurations", lambda one: last in one["reached"] and one["configurations"] > 1),
        (f"  {last}, a knob besides", lambda one: last in one["reached"] and one["knobs"]),
        ("    that is not 'unroll'", lambda one: last in one["reached"] and set(one["knobs"]) - {"unroll"}),
    ):
        cells = []
        for some in (all_kernels, taken):
            count = sum(1 for one in some if is_one(one))
            cells.append(f"{count:4} {100 * count / max(1, len(some)):3.0f} %")
        print(f"{title:28} {cells[0]:>10} {cells[1]:>12}")
    for one in all_kernels:
        if one["said"]:
            print(f"{'nvcc' if one['nvcc'] else '    '} {one['name']}: {one['said']}")


def main():
    options = arguments()
    options.tuner = options.tuner.resolve()
    options.stages = ("drafted", "checked", "compiled" if options.compile else "right")
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
            work = [pool.submit(follow, i, path, kernel, options, scratch) for i, (path, kernel) in enumerate(draw(options))]
            done = [one.result() for one in work]
        if options.out:
            shutil.copytree(scratch, options.out, dirs_exist_ok=True, ignore=shutil.ignore_patterns("cache", "*.results"))
    report(done, options.stages)


if __name__ == "__main__":
    main()
