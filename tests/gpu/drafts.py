#!/usr/bin/env python3
"""Drafts of studies on a machine with a GPU. drafts.py TUNER

A draft has the host code's sizes, which are too large for a CPU; a kernel that no CPU runs is tried all the same; what
fails on the GPU alone is said. Prints all outputs; exit status 1 where any of that is not so."""

import pathlib
import re
import sys
import tempfile

from checks import Checks

TUNER = str(pathlib.Path(sys.argv[1]).resolve())
LARGE = """
__global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
int main() {
  int n = 8192;
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  transpose<<<grid, block>>>(in, out, n);
}
"""
NOT_ON_A_CPU = """
__global__ void scaled(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned zero;
  asm("vabsdiff.u32.u32.u32 %0, %1, %2;" : "=r"(zero) : "r"(i), "r"(i));
  if (i < n) out[i] = 2 * in[i] + zero;
}
"""
MISALIGNED = """
__global__ void pairs(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 2 < n) {
    float2 two = ((const float2*)(in + 1))[i];
    out[i] = two.x * two.y;
  }
  if (i < n && 2 * i + 2 >= n) out[i] = 0;
}
"""


def drafted(checks, name, source):
    """A study, and what `init` said."""
    folder = pathlib.Path(checks.folder)
    (folder / f"{name}.cu").write_text(source)
    status, _, said = checks.run(TUNER, "init", f"{name}.cu")
    study = (folder / f"{name}.yaml").read_text() if status == 0 else ""
    print(study)
    return study, said


def check(checks):
    study, said = drafted(checks, "large", LARGE)
    checks.require("tried on the GPU: it runs there, too" in said, "a draft is tried on the GPU")
    checks.require(re.search(r"^  - \{n: 8192\}", study, re.M), "it has the host code's size")
    study, said = drafted(checks, "ticks", NOT_ON_A_CPU)
    checks.require("tried on the CPU, and it did not run" in said, "no CPU runs the second kernel")
    checks.require("tried on the GPU: " in said and "found" in said, "a GPU does")
    study, said = drafted(checks, "pairs", MISALIGNED)
    checks.require("tried on the GPU, and it did not run" in said, "what fails on the GPU alone is said")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(folder)
        check(checks)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
