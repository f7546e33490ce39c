#!/usr/bin/env python3
"""An exported launcher of products beside PyTorch (cuBLAS), in turns, with cold and with hot caches.

usage: launched.py FAMILY FOLDER [MxNxK...]    FOLDER has FAMILY_launcher.cu and .hpp; needs nvcc

FAMILY is matmul_bf16, matmul_tf32, linear_bf16, thin_product, thin_product_fp8 (beside PyTorch's product with bfloat16
weights, which move twice as many bytes, and its product of fp8 numbers with fp8 numbers, where that takes such rows), or
linear: linear.hpp, one function of thin_product and linear_bf16.
Cold: the median of launches that find nothing of theirs in the L2 cache. Hot: of calls one after the other.
TFLOP/s, and GB/s of the second matrix. Each answer is compared with that of float64. Exit status 1: one is wrong.
"""
import ctypes
import math
import pathlib
import subprocess
import sys
import time

import torch

LAYERS = ["4096x4096", "6144x4096", "28672x4096", "4096x14336", "10240x8192", "57344x8192", "8192x28672"]
ROWS = [1, 2, 4, 8, 16, 24, 32, 48, 64]
THIN = [f"{rows}x{layer}" for layer in LAYERS for rows in ROWS]
CUBES = ["4096x4096x4096", "8192x8192x8192", "2048x2048x2048", "1024x1024x1024", "1536x1536x1536", "3072x3072x3072",
         "128x8192x8192", "4096x4096x512", "16384x1024x4096"]
# Rows of which most were not tuned, and the layers of a language model of 8 billion numbers.
LINEAR = [f"{rows}x{layer}" for layer in LAYERS[:4]
          for rows in [1, 3, 12, 20, 32, 48, 64, 96, 128, 200, 300, 512, 777, 1024, 1500, 2048, 3000, 4096, 6000, 8192]]
# Of each family: C's types of the three matrices, how the second is turned, what follows K, sizes.
BF16 = "__nv_bfloat16"
FAMILIES = {
    "matmul_bf16": ([BF16] * 3, False, "", CUBES + ["5000x3000x2008"]),
    "matmul_tf32": (["float"] * 3, True, "", CUBES + ["5000x2996x2004"]),
    "linear_bf16": ([BF16] * 3, True, "", CUBES + ["5000x3000x2008"]),
    "linear": ([BF16] * 3, True, "", LINEAR),
    "thin_product": ([BF16] * 3, True, "", THIN),
    "thin_product_fp8": ([BF16, "__nv_fp8_e4m3", BF16], True, "static_cast<const float*>(scale), ", THIN),
}
KERNELS = {"linear": ["thin_product", "linear_bf16"]}  # of an export of several
WRAPPER = """
#include "{name}.hpp"
extern "C" int launched(const void* a, const void* b, void* c, const void* scale, int m, int n, int k, void* stream,
                        int* how) {{
  const auto done = {name}::{family}(
      static_cast<const {types[0]}*>(a), static_cast<const {types[1]}*>(b), static_cast<{types[2]}*>(c), m, n, k,
      {scale}static_cast<cudaStream_t>(stream));
  how[0] = int(done.{number});
  how[1] = int(done.{how});
  return int(done.status);
}}
"""


def load(family, folder):
    types, _, scale, _ = FAMILIES[family]
    launchers = [folder / f"{one}_launcher.cu" for one in KERNELS.get(family, [family])]
    source, library = folder / f"{family}_wrapper.cu", folder / f"{family}_wrapper.so"
    if not library.exists() or library.stat().st_mtime < max(one.stat().st_mtime for one in launchers):
        words = {"name": family, "number": "chosen", "how": "how"} if family in KERNELS else \
            {"name": family + "_launcher", "number": "chosen.config_id", "how": "chosen.how"}
        source.write_text(WRAPPER.format(family=family, types=types, scale=scale, **words))
        command = ["nvcc", "-O2", "--split-compile=0", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a"]
        subprocess.run(command + ["-shared", "-Xcompiler", "-fPIC", "-o", library, source, *launchers], check=True)
    return ctypes.CDLL(str(library)).launched


def timed(program, times, calls=1):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(calls):
        program()
    end.record()
    end.synchronize()
    times.append(begin.elapsed_time(end) / calls)


def race(programs, flush):
    """{cache: the median of each}; the host queues the calls while the device still flushes.

    Shortly after calls one after the other both are slower, most likely since the power limit keeps the clock low: hence
    the pause. Then something light, so that the device is not measured as it wakes up."""
    cold, hot = [[] for _ in programs], [[] for _ in programs]
    time.sleep(0.5)
    for _ in range(400):
        flush.zero_()
    for turn in range(31):
        for i in range(len(programs)):
            which = (i + turn) % len(programs)
            flush.zero_()
            timed(programs[which], cold[which])
    for _ in range(7):
        for program, times in zip(programs, hot):
            for _ in range(8):
                flush.zero_()
            for _ in range(3):
                program()
            timed(program, times, calls=20)
    return {name: [sorted(times)[len(times) // 2] for times in samples] for name, samples in
            (("cold", cold), ("hot", hot))}


def uniform(rows, columns, type=torch.bfloat16):
    return torch.empty(rows, columns, device="cuda", dtype=type).uniform_(-1, 1)


class Product:
    """C = A * B, or of a turned B; `scale`: of the rows of an fp8 B."""

    def __init__(self, family, m, n, k):
        types, self.turned, with_scale, _ = FAMILIES[family]
        dtype = torch.float32 if types[0] == "float" else torch.bfloat16
        self.shape, self.scale = (m, n, k), None
        self.a = uniform(m, k, dtype)
        self.b = uniform(n, k, dtype) if self.turned else uniform(k, n, dtype)
        self.ours, self.theirs = (torch.empty(m, n, device="cuda", dtype=dtype) for _ in range(2))
        self.library_b = self.b.t() if self.turned else self.b
        if with_scale:
            self.scale = torch.empty(n, device="cuda").uniform_(0.5, 1)
            self.b = self.b.to(torch.float8_e4m3fn)
            self.library_b = (self.b.float() * self.scale[:, None]).to(dtype).t()

    def launch(self, launched, how):
        matrices = [self.a, self.b, self.ours, self.scale]
        pointers = [ctypes.c_void_p(0 if one is None else one.data_ptr()) for one in matrices]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = launched(*pointers, *self.shape, stream, how)
        if status != 0:
            raise SystemExit(f"the launcher: CUDA error {status}")

    def library(self):
        torch.mm(self.a, self.library_b, out=self.theirs)

    def library_of_fp8(self):
        """PyTorch's product of fp8 numbers on both sides, which is another sum; None: not of this many rows."""
        if self.scale is None:
            return None
        few = self.a.to(torch.float8_e4m3fn)
        one = torch.ones(self.shape[0], 1, device="cuda")
        both = {"scale_a": one, "scale_b": self.scale[None, :], "out_dtype": torch.bfloat16}
        try:
            torch._scaled_mm(few, self.b.t(), **both)
        except RuntimeError:
            return None
        return lambda: torch._scaled_mm(few, self.b.t(), **both)

    def is_right(self):
        """As the studies have it: what the tensor cores cut off when they add, and the result's rounding."""
        a, b = (self.as_read(one).double() for one in (self.a, self.b))
        exact = (a @ (b.t() if self.turned else b)) * (1 if self.scale is None else self.scale)
        relative = 0 if self.ours.dtype == torch.float32 else 2.0**-7
        return bool(((self.ours - exact).abs() <= relative * exact.abs() + 2e-8 * self.shape[2] ** 1.5).all())

    @staticmethod
    def as_read(matrix):
        """Of float32 the tensor cores ignore the 13 lowest bits."""
        return (matrix.view(torch.int32) & -8192).view(torch.float32) if matrix.dtype == torch.float32 else matrix


def measure(family, launched, size, flush):
    product = Product(family, *size)
    how = (ctypes.c_int * 2)()
    programs = [lambda: product.launch(launched, how), product.library]
    if of_fp8 := product.library_of_fp8():
        programs.append(of_fp8)
    for program in programs:
        program()
    right = product.is_right()
    return race(programs, flush), right, tuple(how), product.b.numel() * product.b.element_size()


def main(family, folder, sizes):
    launched, flush = load(family, folder), torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = True
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    ratios, wrong = {}, 0
    for size in sizes:
        m, n, k = map(int, size.split("x"))
        times, right, how, moved = measure(family, launched, (m, n, k), flush)
        wrong += not right
        line = size.ljust(20)
        for cache, (ours, *libraries) in times.items():
            line += f"  {cache} {ours * 1e3:8.2f} us {2e-9 * m * n * k / ours:6.1f} TFLOP/s {1e-6 * moved / ours:5.0f} GB/s"
            for name, theirs in zip(("", " fp8"), libraries):
                line += f" (x {theirs / ours:.3f}{name})"
                ratios.setdefault(cache + name, []).append((theirs / ours, size))
        kernel = KERNELS[family][how[0]] if family in KERNELS else f"configuration {how[0]}"
        print(line, f" {kernel}, how {how[1]}", "" if right else "  WRONG", flush=True)
    for name, found in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        print(f"# {name}: geometric mean {mean:.3f} of {len(found)} sizes, lowest %.3f at %s" % min(found))
    print(f"# {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in FAMILIES:
        sys.exit(__doc__)
    with torch.inference_mode():
        sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or FAMILIES[sys.argv[1]][3]))
