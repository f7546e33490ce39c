#!/usr/bin/env python3
"""PyTorch's RMS norm, its compiler's, and a copy, bfloat16, cold cache: what search_spaces/norm.yaml is compared with.

usage: norms.py [ROWSxCOLUMNS...]     prints GB/s, each element read once and written once

Calls are replayed from a graph, so that what one costs the host is no part of the time.
"""
import sys

import torch

EPSILON = 1e-5


def milliseconds(program, flush, rounds=40):
    """The median of launches that find nothing in the L2 cache."""
    for _ in range(3):
        program()
    samples = []
    for _ in range(rounds):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        program()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end))
    return sorted(samples)[len(samples) // 2]


def replayed(program):
    for _ in range(2):
        program()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        program()
    return graph.replay


def library(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[1],), weight, EPSILON)


def written_out(x, weight):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + EPSILON) * weight.float()).to(x.dtype)


def main(sizes):
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    for size in sizes:
        rows, columns = map(int, size.split("x"))
        x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
        weight = torch.rand(columns, device="cuda", dtype=torch.bfloat16)
        y = torch.empty_like(x)
        torch._dynamo.reset()
        compiled = [torch.compile(form, dynamic=False) for form in (library, written_out)]
        times = {
            "PyTorch": milliseconds(replayed(lambda: library(x, weight)), flush),
            "compiled": min(milliseconds(replayed(lambda form=form: form(x, weight)), flush) for form in compiled),
            "copy": milliseconds(lambda: y.copy_(x), flush),
        }
        print(size, "  ".join(f"{name} {4 * rows * columns / ms / 1e6:.0f} GB/s" for name, ms in times.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["16384x4096", "4096x8192", "8192x16384"])
