#!/usr/bin/env python3
"""Whether nvcc, which compiles exported launchers, and NVRTC, which compiled what was measured, make the same of a kernel.

    same_code.py [--top 1] [KERNEL...]

KERNEL is matmul, softmax, convolution2d or matmul_bf16 (default: those that are written for it, matmul and convolution2d).
The best configurations at each size in the shipped results/KERNEL are compiled by both, from the same source with the
same definitions, and their machine code is compared byte by byte. No GPU is needed. Exit status 1 when one differs or a kernel has no results,
77 without the CUDA toolkit.
"""
import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import nvrtc  # noqa: E402
from tracked import copy_tracked  # noqa: E402

SKIPPED = 77
WRITTEN_FOR_IT = ["matmul", "convolution2d"]
RECORDED = ["matmul", "softmax", "convolution2d", "matmul_bf16"]


def winners(shipped, name, top):
    """Configurations that rank among the first at a size, each once, with the first size that has it."""
    found = {}
    for file in sorted((shipped / "results" / name).glob("*/*.csv")):
        with open(file, newline="", encoding="utf-8") as rows:
            for row, _ in zip(csv.DictReader(rows), range(top)):
                columns = list(row)
                extents = file.stem.split("_")
                variant = {column: row[column] for column in columns[2:columns.index("time_ms")]
                           if f"{column}{row[column]}" not in extents}
                found.setdefault(tuple(variant.items()), file.stem)
    return [(size, dict(variant)) for variant, size in found.items()]


def code_by_nvcc(nvcc, kernel, variant, folder):
    image = folder / "kernel.cubin"
    subprocess.run([nvcc, "-O2", "-std=c++17", "-cubin", "-arch=" + nvrtc.architecture(variant),
                    *nvrtc.definitions(variant), "-o", image, nvrtc.ROOT / kernel.source], check=True)
    return nvrtc.code_of(image.read_bytes(), kernel.entry)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=1, help="configurations of each size")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    options = parser.parse_args()
    unknown = set(options.kernels) - set(RECORDED)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: give one of {', '.join(RECORDED)}")
    nvcc = shutil.which("nvcc") or shutil.which(nvrtc.TOOLKIT / "bin/nvcc")
    if not nvcc or not nvrtc.LIBRARY.exists():
        print(f"skipped: no nvcc, or no {nvrtc.LIBRARY}")
        return SKIPPED
    compiler = nvrtc.Nvrtc()
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        shipped = copy_tracked(folder, "results")
        best_of = {name: winners(shipped, name, options.top) for name in options.kernels or WRITTEN_FOR_IT}
    for name, best in best_of.items():
        kernel = nvrtc.KERNELS[name]
        if not best:
            sys.exit(f"no results of {name}")
        for size, variant in best:
            measured = nvrtc.code_of(compiler.compile(kernel, variant), kernel.entry)
            with tempfile.TemporaryDirectory() as folder:
                deployed = code_by_nvcc(nvcc, kernel, variant, pathlib.Path(folder))
            same = len(measured) > 0 and measured == deployed
            different += not same
            print(f"{name} {size}: {'the same' if same else 'not the same'} {len(deployed)} bytes", flush=True)
            if not same:
                print(f"  {variant}, {len(measured)} bytes by NVRTC")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
