#!/usr/bin/env python3
"""Changed headers and wrong constants on a real backend: headers_and_constants.py TUNER [BACKEND]

BACKEND is cuda (default) or cpu. Each header is changed between two runs, however it comes in: the second
run must not take anything of the first. A constant that is larger than its symbol must be refused with its
place; one that is smaller, and one that nobody sets, be warned of. Exit status 0 when all of it holds.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = {
    "include": ('#include "inc/h.h"', ""),
    "macro": ('#define NAME "inc/h.h"\n#include NAME', ""),
    "comment before": ('/* x */ #include "inc/h.h"', ""),
    "comment within": ('#/**/include "inc/h.h"', ""),
    "digraph": ('%:include "inc/h.h"', ""),
    "made by a macro": ('#define Q(x) #x\n#define NAME(x) Q(inc/x.h)\n#include NAME(h)', ""),
    "folder in two words": ("#include <h.h>", "'--include-path', 'inc'"),
    "short folder in two words": ("#include <h.h>", "'-I', 'inc'"),
    "has_include": ('#if __has_include("inc/h.h")\n#include "inc/h.h"\n#endif', ""),
}
STUDY = """schema: 1
kernel: {name: k, source: k.cu, entry: k, options: [%s]}
problem_sizes: [{n: 256}]
parameters: {BLOCK: [64]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
%sreference: {entry: right, %sblock: [64], grid: [4]}
verify: {y: {rtol: 0, atol: 0}}
"""
BODY = """extern "C" __global__ void %s(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] %s;
}
"""
DEFAULT = "\n#ifndef VALUE\n#define VALUE 0\n#endif\n"


class Folder:
    def __init__(self, path, tuner, backend):
        self.path, self.tuner, self.backend = Path(path), tuner, backend
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.path / "cache"),
                            "CUDA_CACHE_DISABLE": "1"}

    def write(self, name, text):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def run(self, *more):
        return subprocess.run([self.tuner, "run", "k.yaml", "--backend", self.backend, "--progress",
                               "plain", *more], cwd=self.path, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def state(self, *more):
        self.run(*more)
        rows = [row for file in self.path.glob("results/k/*/*.csv")
                for row in csv.DictReader(file.open(encoding="utf-8"))]
        return rows[0]["state"] if len(rows) == 1 else f"{len(rows)} rows"


def changed_header(folder, include, options):
    """States after a run, with the header changed, changed back and --fresh, changed and --fresh."""
    folder.write("k.yaml", STUDY % (options, "", "source: r.cu, "))
    folder.write("k.cu", include + DEFAULT + BODY % ("k", "+ VALUE"))
    folder.write("r.cu", BODY % ("right", ""))
    states = []
    for value, more in ((0, ()), (1, ()), (0, ("--fresh",)), (1, ("--fresh",))):
        folder.write("inc/h.h", f"#define VALUE {value}\n")
        states.append(folder.state(*more))
    return states


def constants(folder):
    """(what, whether it holds) for each."""
    product = "* (mask[0] + mask[3])"
    folder.write("k.cu", "__constant__ float mask[4];\n" + BODY % ("k", product) +
                 BODY % ("right", product))
    given = "constants:\n  - {name: mask, type: float32, shape: [%d], fill: {uniform: [1, 2]}}\n"
    said = {3: "'mask' has room for more than the 12 bytes", 4: "", 5: "k.yaml:10:12: "}
    for count, status in ((4, 0), (3, 0), (5, 2)):
        folder.write("k.yaml", STUDY % ("", given % count, ""))
        done = folder.run()
        yield f"a constant of {count} for 4", done.returncode == status and said[count] in done.stderr
    folder.write("k.yaml", STUDY % ("", "", ""))
    done = folder.run()
    yield "a constant that nobody sets", "nothing sets __constant__ 'mask'" in done.stderr
    yield "an answer of zeros", "all zero" in done.stderr


def main(tuner, backend="cuda"):
    tuner = str(Path(tuner).resolve())
    failed = 0
    results = []
    for name, (include, options) in WAYS.items():
        with tempfile.TemporaryDirectory() as path:
            states = changed_header(Folder(path, tuner, backend), include, options)
        wanted = ["ok", "correctness", "ok", "correctness"]
        results.append((f"header by {name}", states == wanted, " ".join(states)))
    with tempfile.TemporaryDirectory() as path:
        results += [(name, holds, "") for name, holds in constants(Folder(path, tuner, backend))]
    for name, holds, more in results:
        failed += not holds
        print(f"{name:<36} {'holds' if holds else 'DOES NOT HOLD'}  {more}")
    print(f"{len(results)} tried, {failed} do not hold")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    sys.exit(main(*sys.argv[1:]))
