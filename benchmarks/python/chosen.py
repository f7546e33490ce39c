#!/usr/bin/env python3
"""A PyTorch model of ten lines whose one operation, a softmax of rows in Triton, is tuned at three shapes by the decorator.
Needs a GPU, torch and triton, and the package: PYTHONPATH=python TUNER_LIBRARY=build/release/lib/libtuner.so

Prints for each shape the seconds of its first call, what was chosen, the kernel's time beside torch.softmax, and what
choosing costs, in microseconds of the host: a call through the decorator less one of the plain function with the same values."""

import tempfile
import time
import timeit

import torch
import triton
import triton.language as tl

import tuner

RESULTS = tempfile.mkdtemp(prefix="tuner-chosen-")


@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    row = tl.load(x + at, inside, float("-inf")).to(tl.float32)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(y + at, row / tl.sum(row, 0), inside)


def right(x, y):
    y.copy_(torch.softmax(x, 1))


@tuner.tuned({"num_warps": [1, 2, 4, 8, 16], "num_stages": [1, 2, 3]}, right, tune=True, key=["x"], folder=RESULTS)
def softmax(x, y, num_warps, num_stages):
    block = triton.next_power_of_2(x.shape[1])
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=block, num_warps=num_warps, num_stages=num_stages)


class Attention(torch.nn.Module):
    """Scores of queries and keys, and their softmax by the tuned operation."""

    def forward(self, queries, keys):
        scores = queries @ keys.T
        weights = torch.empty_like(scores)
        softmax(scores, weights)
        return weights


def milliseconds(call):
    return triton.testing.do_bench(call)


def main():
    model = Attention().cuda()
    for rows, columns in ((512, 512), (4096, 1024), (256, 16384)):
        queries, keys = torch.randn(rows, 64, device="cuda"), torch.randn(columns, 64, device="cuda")
        begin = time.monotonic()
        weights = model(queries, keys)
        torch.cuda.synchronize()
        first = time.monotonic() - begin
        torch.testing.assert_close(weights, torch.softmax(queries @ keys.T, 1))
        x, y = queries @ keys.T, weights
        chosen = softmax.configuration(x, y)
        plain = softmax.__wrapped__
        count = 3000
        through = min(timeit.repeat(lambda: softmax(x, y), number=count, repeat=5)) / count
        alone = min(timeit.repeat(lambda: plain(x, y, **chosen), number=count, repeat=5)) / count
        print(f"{rows} x {columns}: first call {first:.1f} s, {chosen}, {milliseconds(lambda: softmax(x, y)):.4f} ms "
              f"(torch.softmax {milliseconds(lambda: torch.softmax(x, 1)):.4f} ms), choosing {1e6 * (through - alone):.2f} us",
              flush=True)


if __name__ == "__main__":
    main()
