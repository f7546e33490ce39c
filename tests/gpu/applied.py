#!/usr/bin/env python3
"""Programs with a tuned kernel in place of their own, on a GPU. applied.py TUNER [FOLDER]

A program of nvcc that launches a kernel with too small blocks: from the default stream, with attributes, through the
driver's interface, into a graph, from four threads, at two sizes. Built with the static and the shared runtime and with
streams per thread, its launches are replaced, all that can be, and it finds its own answers right; the kernel takes no
longer than before. Launches that cannot be replaced are left, with the reason. A million short launches cost at most a
microsecond more, whether they are of that kernel or of another. Prints all outputs; exit status 1 where any of that is
not so. Left out, with status 0, where there is no nvcc. FOLDER is where all of it happens (a temporary one)."""

import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

from checks import Checks

HERE = pathlib.Path(__file__).resolve().parent
BUILDS = {"static": ["-cudart", "static"], "shared": ["-cudart", "shared"],
          "per-thread": ["--default-stream", "per-thread"]}
SHORT = 1000000

STUDY = """schema: 1
kernel: {name: saxpy, source: applied_kernel.cuh, entry: saxpy}
problem_sizes: [{N: 16777216}, {N: 1000003}]
parameters: {VEC: [1, 2, 4], BLOCK: [32, 64, 128, 256, 512, 1024]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK * VEC)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: inout, fill: {uniform: [1, 2]}}
  - {name: a, type: float32, value: 2.5}
  - {name: n, type: int32, value: N}
reference: {entry: saxpy, block: [256], grid: ["ceil_div(N, 256)"]}
baseline: {VEC: 1, BLOCK: 32}
"""


def built(checks, nvcc):
    for name in ("applied_kernel.cuh", "applied_program.cu"):
        shutil.copy(HERE / name, checks.folder)
    stubs = pathlib.Path(nvcc).resolve().parent.parent / "lib64/stubs"
    for name, options in BUILDS.items():
        code, _, _ = checks.run(nvcc, "-O2", "-arch=native", *options, "-o", name, "applied_program.cu", f"-L{stubs}",
                                "-lcuda")
        if code:
            return False
    return True


def check_program(checks, tuner, build):
    """Pairs of runs: counts, the program's own verdict, and the kernel's time."""
    code, out, err = checks.run(tuner, "apply", "saxpy.yaml", "--json", "--", f"./{build}", "check")
    checks.require(code == 0, f"{build}: status {code}")
    checks.require("WRONG" not in out + err and "right launches of a graph" in err, f"{build}: wrong answers")
    expected = re.search(r"replaceable launches of saxpy: (\d+)", err)
    if code or not expected:
        return
    told = json.loads(out.splitlines()[-1])
    replaced = sum(one["replaced"] for one in told["launches"])
    checks.require(replaced == int(expected[1]), f"{build}: {replaced} of {expected[1]} launches are replaced")
    left = {one["reason"]: one["launches"] - one["replaced"] for one in told["launches"] if one["reason"]}
    checks.require(any("cooperative" in reason for reason in left), f"{build}: no cooperative launch is left: {left}")
    checks.require(any("has 8 bytes" in reason or "to float64" in reason for reason in left), f"{build}: no kernel of doubles is left: {left}")
    recorded = sum(one["recorded"] for one in told["launches"])
    checks.require(recorded == 5, f"{build}: {recorded} of 5 recorded launches are counted")
    ratio = told["kernel_ms"]["ratio"]["median"]
    print(f"{build}: {replaced} launches replaced, kernel {ratio:.3f} of its time")
    checks.require(ratio < 1.02, f"{build}: the kernel takes {ratio:.3f} times as long")


def check_once(checks, tuner):
    """One run, as text: its answers are right, too."""
    code, out, _ = checks.run(tuner, "apply", "saxpy.yaml", "--once", "--", "./static", "check")
    checks.require(code == 0 and "WRONG" not in out, "one run with the tuned kernel")


def nanoseconds(checks, kernel, *words):
    _, out, err = checks.run(*words, "./static", "short", str(SHORT), kernel)
    found = re.search(r"([\d.]+) ns a launch", out + err)
    return float(found[1]) if found else float("inf")


def check_overhead(checks, tuner):
    for kernel, options in (("tiny", []), ("saxpy", [])):
        alone, applied = [], []
        for _ in range(3):
            alone.append(nanoseconds(checks, kernel))
            applied.append(nanoseconds(checks, kernel, tuner, "apply", "saxpy.yaml", *options, "--once", "--"))
        a, b = statistics.median(alone), statistics.median(applied)
        print(f"{kernel}: {a:.0f} ns a launch alone, {b:.0f} ns applied, {b - a:.0f} ns more")
        checks.require(b - a < 2000, f"a launch of {kernel} costs {b - a:.0f} ns more")


def main():
    tuner = os.path.abspath(sys.argv[1])
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("left out: there is no nvcc")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        checks = Checks(sys.argv[2] if len(sys.argv) > 2 else scratch)
        os.makedirs(checks.folder, exist_ok=True)
        pathlib.Path(checks.folder, "saxpy.yaml").write_text(STUDY)
        if not built(checks, nvcc):
            return 1
        code, _, _ = checks.run(tuner, "run", "saxpy.yaml", "--backend", "cuda", "--progress", "plain")
        checks.require(code == 0, "the study is tuned")
        for build in BUILDS:
            check_program(checks, tuner, build)
        check_once(checks, tuner)
        check_overhead(checks, tuner)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
