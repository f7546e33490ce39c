#!/usr/bin/env python3
"""PyTorch's norms and softmax of rows, its compiler's, and a copy, cold cache: what the shipped ones are compared with.

usage: norms.py [KIND:ROWSxCOLUMNS...]     KIND: norm (RMS) or layer_norm, bfloat16, or softmax, float32
       prints GB/s, each element read once and written once

Calls are replayed from a graph, so that what one costs the host is no part of the time.
"""
import sys

import torch

EPSILON = 1e-5
DEFAULT = ["norm:16384x4096", "norm:4096x8192", "norm:8192x16384", "layer_norm:16384x4096", "softmax:8192x8192",
           "softmax:1024x50257"]


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


def norm_written_out(x, weight, bias):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + EPSILON) * weight.float()).to(x.dtype)


# The library's form first; the compiler is given all of them.
FORMS = {
    "norm": [lambda x, w, b: torch.nn.functional.rms_norm(x, (x.shape[1],), w, EPSILON), norm_written_out],
    "layer_norm": [lambda x, w, b: torch.nn.functional.layer_norm(x, (x.shape[1],), w, b, EPSILON)],
    "softmax": [lambda x, w, b: torch.softmax(x, -1)],
}


def main(cases):
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    for case in cases:
        kind, size = case.split(":")
        rows, columns = map(int, size.split("x"))
        form = torch.float32 if kind == "softmax" else torch.bfloat16
        x = torch.randn(rows, columns, device="cuda", dtype=form)
        weight, bias = (torch.rand(columns, device="cuda", dtype=form) for _ in range(2))
        y = torch.empty_like(x)
        torch._dynamo.reset()

        def best(programs):
            return min(milliseconds(replayed(lambda: program(x, weight, bias)), flush) for program in programs)

        times = {
            "PyTorch": best(FORMS[kind][:1]),
            "compiled": best([torch.compile(program, dynamic=False) for program in FORMS[kind]]),
            "copy": milliseconds(lambda: y.copy_(x), flush),
        }
        moved = 2 * x.element_size() * rows * columns / 1e6
        print(case, "  ".join(f"{name} {moved / ms:.0f} GB/s" for name, ms in times.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or DEFAULT)
