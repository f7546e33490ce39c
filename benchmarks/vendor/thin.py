#!/usr/bin/env python3
"""The exported launcher of thin_product beside PyTorch (cuBLAS), bfloat16, in turns, with cold and with hot caches.

usage: thin.py FOLDER [ROWSxCOLUMNSxDEPTH...]    FOLDER has thin_product_launcher.cu; needs nvcc

Cold: the median of launches that find nothing of theirs in the L2 cache. Hot: of calls one after the other. GB/s are
those of the weights. Each answer is compared with PyTorch's. Exit status 1: one is wrong.
"""
import ctypes
import math
import pathlib
import subprocess
import sys

import torch

SHAPES = ["4096x4096", "6144x4096", "28672x4096", "4096x14336", "10240x8192", "57344x8192", "8192x28672"]
ROWS = [1, 2, 4, 8, 16, 24, 32, 48, 64]

WRAPPER = """
#include "thin_product_launcher.hpp"
extern "C" int thin(const void* x, const void* w, void* y, int m, int n, int k, void* stream, int* how) {
  const auto done = thin_product_launcher::thin_product(
      static_cast<const __nv_bfloat16*>(x), static_cast<const __nv_bfloat16*>(w), static_cast<__nv_bfloat16*>(y), m, n,
      k, static_cast<cudaStream_t>(stream));
  how[0] = int(done.chosen.config_id);
  how[1] = int(done.chosen.how);
  return int(done.status);
}
"""


def load(folder):
    source = folder / "thin_wrapper.cu"
    source.write_text(WRAPPER)
    library = folder / "thin_wrapper.so"
    command = ["nvcc", "-O2", "--split-compile=0", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a"]
    command += ["-shared", "-Xcompiler", "-fPIC", "-o", library, source]
    subprocess.run(command + [folder / "thin_product_launcher.cu"], check=True)
    return ctypes.CDLL(str(library)).thin


class Race:
    def __init__(self):
        self.flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def cold(self, programs, rounds=31):
        samples = [[] for _ in programs]
        for turn in range(rounds):
            for i in range(len(programs)):
                which = (i + turn) % len(programs)
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                self.flush.zero_()
                begin.record()
                programs[which]()
                end.record()
                end.synchronize()
                samples[which].append(begin.elapsed_time(end))
        return [sorted(times)[len(times) // 2] for times in samples]

    def hot(self, programs, calls=20, rounds=7):
        samples = [[] for _ in programs]
        for _ in range(rounds):
            for program, times in zip(programs, samples):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                for _ in range(8):
                    self.flush.zero_()  # meanwhile the host queues the calls
                for _ in range(3):
                    program()
                begin.record()
                for _ in range(calls):
                    program()
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end) / calls)
        return [sorted(times)[len(times) // 2] for times in samples]


def compare(thin, race, x, w):
    rows, depth, columns = x.shape[0], x.shape[1], w.shape[0]
    y = torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16)
    theirs = torch.empty_like(y)
    how = (ctypes.c_int * 2)()

    def ours():
        stream = torch.cuda.current_stream().cuda_stream
        pointers = [ctypes.c_void_p(matrix.data_ptr()) for matrix in (x, w, y)]
        status = thin(*pointers, rows, columns, depth, ctypes.c_void_p(stream), how)
        if status != 0:
            raise SystemExit(f"the launcher: CUDA error {status}")

    def library():
        torch.matmul(x, w.t(), out=theirs)

    ours()
    library()
    difference = (y.float() - theirs.float()).abs() - 2.0**-7 * theirs.float().abs()
    right = bool((difference <= 2e-8 * depth**1.5 + 1e-3).all())
    return race.cold([ours, library]), race.hot([ours, library]), right, tuple(how)


def main(folder, sizes):
    thin, race = load(folder), Race()
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    ratios = {"cold": [], "hot": []}
    wrong = 0
    before = None
    for rows, columns, depth in sizes:
        if before != (columns, depth):
            w = torch.empty(columns, depth, device="cuda", dtype=torch.bfloat16).uniform_(-1, 1)
            before = (columns, depth)
        x = torch.empty(rows, depth, device="cuda", dtype=torch.bfloat16).uniform_(-1, 1)
        cold, hot, right, how = compare(thin, race, x, w)
        wrong += not right
        line = f"{rows:3} x {columns} x {depth}".ljust(20)
        for name, (ours, theirs) in (("cold", cold), ("hot", hot)):
            rate = 2 * columns * depth / 1e6
            ratio = theirs / ours
            ratios[name].append((ratio, f"{rows}x{columns}x{depth}"))
            line += f"  {name} {rate / theirs:6.0f} -> {rate / ours:6.0f} GB/s (x {ratio:.3f})"
        print(line, f" configuration {how[0]}, how {how[1]}", "" if right else "  WRONG", flush=True)
    for name, found in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        print(f"# {name}: geometric mean {mean:.3f} of {len(found)} sizes, lowest %.3f at %s" % min(found))
    print(f"# {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    wanted = sys.argv[2:] or [f"{rows}x{shape}" for shape in SHAPES for rows in ROWS]
    sys.exit(main(pathlib.Path(sys.argv[1]), [tuple(map(int, size.split("x"))) for size in wanted]))
