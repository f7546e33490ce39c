#!/usr/bin/env python3
"""What `tuner init` learns of a GPU that is there. drafts.py TUNER

A draft has the host code's sizes, which are too large for a CPU; a kernel that no CPU runs is tried all the same; what
fails on the GPU alone is said. Prints all outputs; exit status 1 where any of that is not so."""

import pathlib
import re
import subprocess
import sys
import tempfile

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


class Checks:
    def __init__(self, tuner, folder):
        self.tuner, self.folder, self.wrong = tuner, pathlib.Path(folder), []

    def draft(self, name, source):
        """A study, and what `init` said."""
        (self.folder / f"{name}.cu").write_text(source)
        words = [self.tuner, "init", f"{name}.cu"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120)
        study = (self.folder / f"{name}.yaml").read_text() if done.returncode == 0 else ""
        print("$", *words[1:], "\n" + done.stderr + study, f"(status {done.returncode})", flush=True)
        return study, done.stderr

    def require(self, holds, what):
        self.wrong += [] if holds else [what]


def check(checks):
    study, said = checks.draft("large", LARGE)
    checks.require("tried on the GPU: it runs there, too" in said, "a draft is tried on the GPU")
    checks.require(re.search(r"^  - \{n: 8192\}", study, re.M), "it has the host code's size")
    study, said = checks.draft("ticks", NOT_ON_A_CPU)
    checks.require("tried on the CPU, and it did not run" in said, "no CPU runs the second kernel")
    checks.require("tried on the GPU: " in said and "found" in said, "a GPU does")
    study, said = checks.draft("pairs", MISALIGNED)
    checks.require("tried on the GPU, and it did not run" in said, "what fails on the GPU alone is said")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        check(checks)
    print("\n".join(f"WRONG: {one}" for one in checks.wrong) or "all as it should be")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
