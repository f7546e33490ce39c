#!/usr/bin/env python3
"""The exported launcher of grouped_product beside torch._grouped_mm, in turns, with cold and with hot caches.

usage: grouped.py FOLDER [GxROWSxNxK...]    FOLDER has grouped_product_launcher.cu and .hpp; needs nvcc

Each size with groups that are all alike, and with skewed ones: from almost no rows to three times the mean, as in the
study. Cold and hot are those of launched.py. TFLOP/s, and PyTorch's time by ours. Each answer is compared with that of
float64; each size's kernel is also given groups that are empty or have one row, and rows behind the last group, which must
be left alone. Exit status 1: one is wrong.
"""
import ctypes
import math
import pathlib
import random
import subprocess
import sys

import torch
from launched import race, uniform

SIZES = ["8x8192x4096x4096", "128x32768x1536x2048", "64x24576x1408x2048", "64x32768x1408x2048", "128x1024x1536x2048"]
KINDS = {"even": 1, "skewed": 3}
WRAPPER = """
#include "grouped_product_launcher.hpp"
extern "C" int launched(const void* a, const void* b, void* c, const void* ends, int groups, int rows, int n, int k,
                        int skew, void* stream, int* how) {
  using Number = __nv_bfloat16;
  const auto done = grouped_product_launcher::grouped_product(
      static_cast<const Number*>(a), static_cast<const Number*>(b), static_cast<Number*>(c),
      static_cast<const std::int32_t*>(ends), groups, rows, n, k, skew, static_cast<cudaStream_t>(stream));
  how[0] = int(done.chosen.config_id);
  how[1] = int(done.chosen.how);
  return int(done.status);
}
"""


def load(folder):
    launcher = folder / "grouped_product_launcher.cu"
    source, library = folder / "grouped_wrapper.cu", folder / "grouped_wrapper.so"
    if not library.exists() or library.stat().st_mtime < launcher.stat().st_mtime:
        source.write_text(WRAPPER)
        command = ["nvcc", "-O2", "--split-compile=0", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a"]
        subprocess.run(command + ["-shared", "-Xcompiler", "-fPIC", "-o", library, source, launcher], check=True)
    return ctypes.CDLL(str(library)).launched


class Product:
    """C = A * B^T for each group of rows, which `ends` say."""

    def __init__(self, groups, rows, n, k):
        self.shape = groups, rows, n, k
        self.a, self.c = uniform(rows, k), torch.empty(rows, n, device="cuda", dtype=torch.bfloat16)
        self.b = uniform(groups * n, k).view(groups, n, k)
        self.how = (ctypes.c_int * 2)()

    def cut(self, ends, skew):
        self.ends, self.skew = torch.tensor(ends, device="cuda", dtype=torch.int32), skew

    def launch(self, launched):
        pointers = [ctypes.c_void_p(one.data_ptr()) for one in (self.a, self.b, self.c, self.ends)]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = launched(*pointers, *self.shape, self.skew, stream, self.how)
        if status != 0:
            raise SystemExit(f"the launcher: CUDA error {status}")

    def library(self):
        return torch._grouped_mm(self.a, self.b.transpose(-2, -1), offs=self.ends)

    def is_right(self, c):
        """As the study has it: what the tensor cores cut off when they add, and the result's rounding."""
        begin, allowed = 0, 2e-8 * self.shape[3] ** 1.5
        for weights, end in zip(self.b, self.ends.tolist()):
            exact = self.a[begin:end].double() @ weights.double().t()
            if not bool(((c[begin:end] - exact).abs() <= 2.0**-7 * exact.abs() + allowed).all()):
                return False
            begin = end
        return True

    def edges_are_right(self, launched):
        """Groups of any sizes, many of them none or one, and rows behind the last."""
        groups, rows = self.shape[:2]
        for seed in range(8):
            dice = random.Random(seed)
            places = [dice.randrange(rows) for _ in range(dice.randint(1, groups))]
            ends = sorted(min(dice.choice(places) + dice.randrange(2), rows - 1) for _ in range(groups))
            self.cut(ends, dice.choice(list(KINDS.values())))
            self.c.fill_(7)
            self.launch(launched)
            if not self.is_right(self.c) or not bool((self.c[ends[-1]:] == 7).all()):
                return False
        return True


def report(size, kind, times, product, right):
    """One line; returns PyTorch's time by ours for each state of the cache."""
    _, rows, n, k = product.shape
    line, ratios = f"{size:20} {kind:6}", {}
    for cache, (ours, *libraries) in times.items():
        line += f"  {cache} {ours * 1e3:8.2f} us {2e-9 * rows * n * k / ours:6.1f} TFLOP/s"
        for theirs in libraries:
            line += f", PyTorch {2e-9 * rows * n * k / theirs:6.1f} (x {theirs / ours:.3f})"
            ratios[cache] = theirs / ours
    print(line, f" configuration {product.how[0]}, how {product.how[1]}", "" if right else "  WRONG", flush=True)
    return ratios


def main(folder, sizes):
    launched, flush = load(folder), torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    beside = hasattr(torch, "_grouped_mm")
    if not beside:
        print("this PyTorch has no torch._grouped_mm: only our times")
    found, wrong = {}, 0
    for size in sizes:
        groups, rows, n, k = map(int, size.split("x"))
        product = Product(groups, rows, n, k)
        if not product.edges_are_right(launched):
            print(f"{size:20} WRONG with groups of none, of one row, or behind the last", flush=True)
            wrong += 1
        for kind, skew in KINDS.items():
            product.cut([rows * (group + 1) ** skew // groups**skew for group in range(groups)], skew)
            programs = [lambda: product.launch(launched)] + [product.library] * beside
            product.c.fill_(math.nan)
            product.launch(launched)
            right = product.is_right(product.c) and (not beside or product.is_right(product.library()))
            wrong += not right
            for cache, ratio in report(size, kind, race(programs, flush), product, right).items():
                found.setdefault(f"{cache}, {kind}", []).append((ratio, size))
    for name, ratios in found.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        print(f"# {name}: geometric mean {mean:.3f} of {len(ratios)} sizes, lowest %.3f at %s" % min(ratios))
    print(f"# {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with torch.inference_mode():
        sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:] or SIZES))
