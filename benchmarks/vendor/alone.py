#!/usr/bin/env python3
"""Products in bfloat16, each size tuned alone, beside PyTorch's (cuBLAS) in the same run:

    alone.py TUNER STUDY [--budget 5s] [OPTIONS of tuner run] -- 135x2032x2744 33x5120x5120 ...

STUDY is search_spaces/matmul_bf16.yaml, or an older one to compare with. L2 is flushed before each launch, medians of
events. One line a size (M x N x K): microseconds of both, the ratio, what the library launched, how many variants
were right, and the best."""

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def library_ms(a, b, c):
    """The median of some products, L2 flushed before each."""
    flushed = torch.empty(2**28, device="cuda", dtype=torch.uint8)
    times = []
    for _ in range(60):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        flushed.zero_()  # long enough for what follows to be queued meanwhile
        begin.record()
        torch.mm(a, b, out=c)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[10:])


def library_kernels(a, b, c):
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        torch.mm(a, b, out=c)
        torch.cuda.synchronize()
    return [event.key[:60] for event in seen.key_averages() if event.device_time_total > 0]


def tuned(tuner, study, size, options):
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run([tuner, "run", study, "--size", "M={},N={},K={}".format(*size), "--results", results,
                               "--progress", "none", *options], capture_output=True, text=True, check=False)
        files = list(Path(results).glob("*/*/*.csv"))
        if not files:
            sys.exit(done.stderr)
        with files[0].open(newline="") as file:
            return list(csv.DictReader(file))


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("study")
    parser.add_argument("--budget", default="5s")
    given, options = parser.parse_known_args(words[:at])
    for size in (tuple(map(int, text.split("x"))) for text in words[at + 1:]):
        rows = tuned(given.tuner, given.study, size, ["--budget", given.budget, *options])
        m, n, k = size
        product = random(m, k), random(k, n), random(m, n)
        ms, kernels = library_ms(*product), library_kernels(*product)
        right = [row for row in rows if row["state"] in ("ok", "dropped")]
        best = rows[0]
        ours = float(best["time_ms"] or "nan")  # nothing is valid
        places = list(best)
        knobs = [best[name] for name in places[places.index("FORM"):places.index("M")]]
        print(f"{'x'.join(map(str, size))}: library {1000 * ms:.1f} us {kernels}, tuned {1000 * ours:.1f}, "
              f"ratio {ms / ours:.3f}, {len(right)} of {len(rows)} right, {' '.join(knobs)}", flush=True)


if __name__ == "__main__":
    main()
