#!/usr/bin/env python3
"""Kernels of public programs: captured, replayed, drafted for, tuned, and put into the program.

  programs.py TUNER SNAPSHOTS [NAME ...]
  programs.py TUNER SNAPSHOTS --draw FOLDER COUNT SEED

SNAPSHOTS is a folder with checkouts of the programs below, each under the name of its repository. Each is built by nvcc
and run as it is; nothing in it is changed. Prints a row for each kernel: seconds and bytes of the capture, whether the
replay is equal, whether the untouched source is right in the study that `init --captured` drafts, the speed-up over the
program's own configuration (the largest and the smallest of all captured sizes), and the ratio of the kernel's time in
the program (`apply`). Logs and studies are left in programs/NAME. A GPU is needed.

With --draw the programs are drawn from the folders in FOLDER whose Makefile has a target `run`, such as HeCBench/src, and
are built and called as it says. The kernel is the one that takes most of the program's time: what nobody has chosen."""

import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

LLM = "llm.c/dev/cuda"
HEC = "HeCBench/src"
ROD = "gpu-rodinia/cuda"
SAMPLES = "cuda-samples/Samples"
CUBLAS = "--use_fast_math -lcublas -lcublasLt"
COMMON = "-I{snapshots}/cuda-samples/Common"
PROGRAMS = {  # name: folder, source, flags of nvcc, arguments, kernel
    "layernorm": (LLM, "layernorm_forward.cu", CUBLAS, "3", "layernorm_forward_kernel3"),
    "gelu": (LLM, "gelu_forward.cu", CUBLAS, "1", "gelu_forward_kernel1"),
    "adamw": (LLM, "adamw.cu", CUBLAS, "1", "adamw_kernel1"),
    "residual": (LLM, "residual_forward.cu", CUBLAS, "1", "residual_forward_kernel1"),
    "hec-adam": (f"{HEC}/adam-cuda", "main.cu", "", "10000 200 10", "adam"),
    "hec-softmax": (f"{HEC}/softmax-cuda", "main.cu", "", "10000 784 0 20", "softMax"),
    "hec-bilateral": (f"{HEC}/bilateral-cuda", "main.cu", "", "740 360 0.5 0.5 3", "bilateralFilter"),
    "hec-stencil1d": (f"{HEC}/stencil1d-cuda", "stencil_1d.cu", "", "16777216 20", "stencil_1d"),
    "hec-gelu": (f"{HEC}/gelu-cuda", "main.cu", "", "8 4096 512 20", "gelu_bias_loop_base"),
    "hec-jacobi": (f"{HEC}/jacobi-cuda", "main.cu", "", "", "jacobi_step"),
    "rod-pathfinder": (f"{ROD}/pathfinder", "pathfinder.cu", "", "100000 100 20", "dynproc_kernel"),
    "matrixMul": (f"{SAMPLES}/0_Introduction/matrixMul", "matrixMul.cu", COMMON, "", "MatrixMulCUDA"),
    "transpose": (f"{SAMPLES}/6_Performance/transpose", "transpose.cu", COMMON, "", "transposeNoBankConflicts"),
}


COLUMNS = ("captured", "replay", "init", "run", "apply")


class Program:
    """One program in a folder of its own, with a log of all commands."""

    def __init__(self, name, tuner, folder, build, call, kernel=None, source=None):
        self.name, self.tuner, self.build, self.call, self.kernel, self.source = name, tuner, build, call, kernel, source
        self.at = pathlib.Path("programs", name).absolute()
        self.at.unlink() if self.at.is_symlink() else shutil.rmtree(self.at, ignore_errors=True)
        shutil.copytree(folder, self.at)
        self.row = {}

    def run(self, words, limit=90):
        """The exit status, all that was printed, and the seconds."""
        begin = time.time()
        try:
            done = subprocess.run(words, shell=True, cwd=self.at, capture_output=True, text=True, timeout=limit,
                                  stdin=subprocess.DEVNULL)
            status, text = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            status, text = 124, f"longer than {limit} s"
        seconds = time.time() - begin
        with open(self.at / "log.txt", "a") as log:
            log.write(f"$ {words}\n{text[-8000:]}\n[{status}, {seconds:.2f} s]\n")
        return status, text, seconds

    def find_kernel(self):
        """The kernel that takes most time, by the command that `capture` proposes, and the file that defines it."""
        _, text, _ = self.run(f"{self.tuner} capture -- {self.call}")
        proposed = re.search(r"^next: tuner capture --kernel (\S+)", text, re.M)
        self.kernel = proposed.group(1) if proposed else "-"
        defines = re.compile(rf"__global__[^;{{]*?\b{re.escape(self.kernel)}\s*\([^;{{]*\{{", re.S)
        files = [path for path in sorted(self.at.rglob("*.*")) if path.suffix in (".cu", ".cuh", ".h", ".hpp")]
        having = [path for path in files if defines.search(path.read_text(errors="replace"))]
        self.source = having[0].relative_to(self.at) if having else None
        return proposed is not None

    def draft(self):
        """Builds, captures, replays and drafts."""
        status, _, _ = self.run(self.build, 180)
        if status:
            return self.row.update(captured="does not build")
        if not self.kernel and not self.find_kernel():
            return self.row.update(captured="launches nothing that could be seen")
        status, _, seconds = self.run(f"{self.tuner} capture --kernel '{self.kernel}' --sizes 3 -o captured -- {self.call}")
        captures = sorted(self.at.glob("captured/*/capture.json"))
        size = sum(file.stat().st_size for file in self.at.glob("captured/*/*"))
        self.row["captured"] = f"{len(captures)} in {seconds:.1f} s, {size / 2**20:.1f} MiB"
        if not captures:
            return None
        _, text, seconds = self.run(f"{self.tuner} replay {captures[0].parent}")
        same = next((one for one in ("equal, to the bit", "as good as equal") if one in text), "differs")
        self.row["replay"] = f"{same.removesuffix(', to the bit')}, {seconds:.1f} s"
        if not self.source:
            return None
        status, text, seconds = self.run(f"{self.tuner} init {self.source} --kernel {self.kernel} "
                                         "--captured captured -o study.yaml")
        self.row["init"] = f"{seconds:.1f} s" if status == 0 else "refused"
        return None

    def tune(self):
        """Runs the study, and applies it."""
        if not (self.at / "study.yaml").exists():
            return
        _, text, seconds = self.run(f"{self.tuner} run study.yaml --backend cuda --budget 10s --results results "
                                    "--progress none")
        faster = [float(one) for one in re.findall(r"speed-up over the baseline \([^)]*\): ([\d.]+)", text)]
        best = len(re.findall(r"the baseline \([^)]*\) is the best", text))
        span = [1.0] * best + faster
        self.row["run"] = f"{min(span):.2f} to {max(span):.2f}, {seconds:.1f} s" if span else "nothing is right"
        _, text, seconds = self.run(f"{self.tuner} apply study.yaml --results results --pairs 2 -- "
                                    f"{self.call}")
        ratio = re.search(r"kernel, ms .* ([\d.]+) \(", text)
        why = re.search(r"left as they were.*?: (.*)", text)
        self.row["apply"] = ratio.group(1) if ratio else why.group(1)[:60] if why else "not"


    def show(self):
        print(f"| {self.name} | {self.kernel} |", " | ".join(self.row.get(key, "-") for key in COLUMNS), "|", flush=True)

    def all(self):
        self.draft()
        self.tune()
        self.show()


def named(name, tuner, snapshots):
    folder, source, flags, arguments, kernel = PROGRAMS[name]
    build = f"nvcc -O3 -std=c++17 -arch=native -o prog {source} {flags.format(snapshots=snapshots)}"
    return Program(name, tuner, snapshots / folder, build, f"./prog {arguments}", kernel, source)


def drawn(folder, count, seed, tuner):
    """Programs that `make run` would build and call. Their neighbours are where they look for them."""
    pathlib.Path("programs").mkdir(exist_ok=True)
    for neighbour in folder.iterdir():
        link = pathlib.Path("programs", neighbour.name)
        if not link.exists():
            link.symlink_to(neighbour)
    folders = [path.parent for path in sorted(folder.glob("*-cuda/Makefile"))]
    random.Random(seed).shuffle(folders)
    architecture = subprocess.run("nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0", shell=True,
                                  capture_output=True, text=True, check=False).stdout.strip().replace(".", "")
    build = f"make -j4 ARCH=sm_{architecture}"
    out = []
    for path in folders:
        asked = subprocess.run("make -n run", shell=True, cwd=path, capture_output=True, text=True, check=False)
        call = (asked.stdout.strip().splitlines() or [""])[-1].strip()
        if asked.returncode == 0 and call.startswith("./") and len(out) < count:
            out.append(Program(path.name, tuner, path, build, call))
    return out


def main():
    tuner, snapshots = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    is_drawn = sys.argv[3:4] == ["--draw"]  # how far they get counts, not how fast they become
    if is_drawn:
        folder, count, seed = sys.argv[4:]
        programs = drawn(snapshots / folder, int(count), int(seed), tuner)
    else:
        programs = [named(name, tuner, snapshots) for name in sys.argv[3:] or list(PROGRAMS)]
    print("| program | kernel |", " | ".join(COLUMNS), "|")
    with concurrent.futures.ThreadPoolExecutor(6 if is_drawn else 5) as pool:
        list(pool.map(Program.all if is_drawn else Program.draft, programs))
    for one in [] if is_drawn else programs:
        one.tune()
        one.show()


if __name__ == "__main__":
    main()
