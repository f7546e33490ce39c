#!/usr/bin/env python3
"""How many of repeated tunings of one Triton kernel, the softmax of rows, choose the same or a tied configuration:

    benchmarks/python/repeated.py [SIZES [REPEATS [SECONDS]]]      default: 20 sizes, 10 repeats, no limit

SIZES is how many, or the first and the one behind the last, as 10:20, so that several devices can share them.

Needs a GPU, torch and triton; $PYTHONPATH and $TUNER_LIBRARY as for the package. Each tuning measures anew. One line a size:
the winner that is met most, how many of the others are equal to it, tied with it, or another, and what those lose."""

import collections
import json
import sys
import tempfile
import time

import torch
import triton
import triton.language as tl
import tuner


@triton.jit
def softmax_kernel(x, y, columns, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    largest, total = tl.full((CHUNK,), -1e30, tl.float32), tl.zeros((CHUNK,), tl.float32)
    for start in range(0, columns, CHUNK):
        at = start + tl.arange(0, CHUNK)
        value = tl.load(x + row + at, at < columns, -1e30)
        larger = tl.maximum(largest, value)
        total = total * tl.exp(largest - larger) + tl.exp(value - larger)
        largest = larger
    top = tl.max(largest, 0)
    whole = tl.sum(total * tl.exp(largest - top), 0)
    for start in range(0, columns, CHUNK):
        at = start + tl.arange(0, CHUNK)
        tl.store(y + row + at, tl.exp(tl.load(x + row + at, at < columns) - top) / whole, at < columns)


def softmax(x, y, CHUNK, WARPS):
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], CHUNK=CHUNK, num_warps=WARPS)


def right(x, y):
    y.copy_(torch.softmax(x, 1))


def sizes(which):
    """Rows and columns, 64 MiB each."""
    first, end = map(int, (which if ":" in which else "0:" + which).split(":"))
    return [((1 << 24) // columns, columns) for columns in (1024 + 512 * place for place in range(first, end))]


def tuned_once(x, y, folder):
    parameters = {"CHUNK": [256, 512, 1024], "WARPS": [1, 2, 4, 8]}
    tuned = tuner.tune(softmax, parameters, [x, y], right, progress=False, fresh=True, folder=folder)
    rows = {json.dumps({"CHUNK": row["CHUNK"], "WARPS": row["WARPS"]}): row for row in tuned.table if row["time_ms"]}
    tied = {name for name, row in rows.items() if row["tie"]}
    return json.dumps(tuned.best), tied, {name: row["time_ms"] for name, row in rows.items()}


def main(which="20", repeats=10, limit=float("inf")):
    begin, told = time.monotonic(), collections.Counter()
    for rows, columns in sizes(which):
        x = torch.randn(rows, columns, device="cuda")
        y = torch.empty_like(x)
        with tempfile.TemporaryDirectory() as folder:
            found = []
            while len(found) < int(repeats) and time.monotonic() - begin < float(limit):
                found.append(tuned_once(x, y, folder))
        if len(found) < 2:
            break
        winner = collections.Counter(best for best, _, _ in found).most_common(1)[0][0]
        kinds = ["equal" if best == winner else "tied" if winner in tied else "another" for best, tied, _ in found]
        lost = max((times.get(winner, float("nan")) / times[best] - 1 for best, _, times in found), default=0)
        told.update(kinds)
        print(f"{rows} x {columns}: {winner}: {dict(collections.Counter(kinds))}, it is at most {100 * lost:.2f} % slower "
              f"than the winner of another run, in that run; {time.monotonic() - begin:.0f} s", flush=True)
    print(f"all: {dict(told)}, {(time.monotonic() - begin) / max(1, sum(told.values())):.2f} s each")


if __name__ == "__main__":
    main(*sys.argv[1:])
