#!/usr/bin/env python3
"""What NVRTC's options do to the time of one compilation, and whether the cubin stays the same.

usage: nvrtc_options.py TUNER [--arch sm_90] [--variants 24] [--library libnvrtc.so]

Compiles variants of mm.yaml on one thread, each twice with every set of options in turn, the driver's cache
off. No GPU. Prints the mean milliseconds of all and of each variant's faster try.
"""
import argparse
import csv
import ctypes
import os
import pathlib
import subprocess
import time

SETS = {
    "none": [],
    "-minimal": ["-minimal"],
    "-pch": ["-pch"],
    "-split-compile=1": ["-split-compile=1"],
    "-Ofc=max": ["-Ofc=max"],
    "PTX only": ["PTX"],
}


def compile_once(nvrtc, source, options):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"mm.cu", 0, None, None)
    nvrtc.nvrtcAddNameExpression(program, b"mm")
    words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
    begin = time.perf_counter()
    status = nvrtc.nvrtcCompileProgram(program, len(options), words)
    seconds = time.perf_counter() - begin
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    if size.value:
        nvrtc.nvrtcGetCUBIN(program, image)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return (seconds if status == 0 else None), image.raw


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--variants", type=int, default=24)
    parser.add_argument("--library", default=os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/lib64/libnvrtc.so")
    args = parser.parse_args()
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    here = pathlib.Path(__file__).parent
    source = (here / "mm.cu").read_bytes()
    sample = subprocess.run([args.tuner, "check", str(here / "mm.yaml"), "--sample", str(args.variants)],
                            check=True, capture_output=True, text=True).stdout
    variants = list(csv.DictReader(sample.splitlines()))
    nvrtc = ctypes.CDLL(args.library)
    times = {name: [] for name in SETS}
    same = dict.fromkeys(SETS, True)
    for variant in variants:
        tries = {name: [] for name in SETS}
        for _ in range(2):
            plain = None
            for name, extra in SETS.items():
                arch = args.arch.replace("sm_", "compute_") if extra == ["PTX"] else args.arch
                options = ["--gpu-architecture=" + arch, "--std=c++17"]
                options += [f"-D{key}={value}" for key, value in variant.items()]
                options += [word for word in extra if word != "PTX"]
                seconds, image = compile_once(nvrtc, source, options)
                plain = image if plain is None else plain
                same[name] = same[name] and image == plain
                if seconds is None:
                    raise SystemExit(f"{name}: does not compile")
                tries[name].append(seconds)
        for name, both in tries.items():
            times[name].append(both)
    for name, all_tries in times.items():
        mean = 1000 * sum(map(sum, all_tries)) / (2 * len(all_tries))
        faster = 1000 * sum(map(min, all_tries)) / len(all_tries)
        print(f"{name:18} mean {mean:6.1f} ms, of the faster try {faster:6.1f} ms, same cubin: {same[name]}")


if __name__ == "__main__":
    main()
