#!/usr/bin/env python3
"""A Triton kernel of a program, captured as it runs there and tuned on its own inputs: triton_launch.py TUNER

Runs itself as the program (--program), under `tuner capture`, then tune() on the launch that was captured: its arrays and
numbers are the arguments, what it wrote there is the right answer. Needs a GPU, PyTorch, Triton and the package tuner."""

import subprocess
import sys
import tempfile

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 8192, 4000


@triton.jit
def softmax_rows(out, x, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * columns + tl.arange(0, BLOCK)
    there = tl.arange(0, BLOCK) < columns
    value = tl.load(x + at, there, -float("inf"))
    power = tl.exp(value - tl.max(value))
    tl.store(out + at, power / tl.sum(power), there)


def softmax(out, x, columns, num_warps):
    softmax_rows[(out.shape[0],)](out, x, columns, BLOCK=triton.next_power_of_2(columns), num_warps=num_warps)


def program():
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    out = torch.zeros_like(x)
    for _ in range(3):
        softmax(out, x, COLUMNS, num_warps=16)
        x = out
        out = torch.zeros_like(x)
    torch.cuda.synchronize()


def main():
    import tuner
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.argv[1], "capture", "--kernel", "softmax_rows", "-o", f"{folder}/captured", "--"]
        subprocess.run([*command, sys.executable, __file__, "--program"], check=True)
        shape = ("float32", (ROWS, COLUMNS))
        launch = tuner.captured(f"{folder}/captured/softmax_rows-1", {"out": shape, "x": shape, "columns": "int32"}, arrays="torch")
        print(launch, "grid", launch.grid, "block", launch.block)
        found = tuner.tune(softmax, {"num_warps": [1, 2, 4, 8, 16, 32]}, launch.arguments, launch.expected,
                           baseline={"num_warps": 16}, folder=f"{folder}/results")
        print(found)
        return 0 if found.best else 1


if __name__ == "__main__":
    sys.exit(program() if "--program" in sys.argv else main())
