#!/usr/bin/env python3
"""Launches of a program, captured and replayed on a GPU. captured.py TUNER

A kernel of a template with a struct as its argument, and one that follows lists and a table of pointers and reads
variables of its module, are equal to the bit when they are replayed; with one float of the memory changed they are not.
A kernel that adds floats in no fixed order is as far from its program as its launches are from each other, and the
study that is drafted from it has its tolerance from that: in it the kernel is right. One whose launches are equal keeps
the usual tolerance.
A program of 400,000 short launches is at most a quarter slower while it is watched. Prints a table; exit status 1 where
any of that is not so. Left out, with status 0, where there is no nvcc."""

import gzip
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def spoil(capture):
    """Changes the last float that the launch has written."""
    described = json.loads((capture / "capture.json").read_text())
    file = capture / next(one["written"] for one in described["allocations"] if one["written"])
    held = bytearray(gzip.decompress(file.read_bytes()))
    place = max(place for place, byte in enumerate(held) if byte)
    held[place] ^= 1
    file.write_bytes(gzip.compress(bytes(held)))


def drafted(folder, tuner, kernel, wanted, launch=1):
    """Captures a launch into a folder of its own, drafts a study from it and runs that. Returns what is wrong."""
    wrong = []
    code, text = run(folder, tuner, "capture", "--kernel", kernel, "--launch", str(launch), "-o", f"of_{kernel}", "--",
                     "./followed_lists")
    wrong += [f"{kernel} is not captured: {text}"] * (code != 0)
    source = str(HERE / "followed_lists.cu")
    code, text = run(folder, tuner, "init", source, "--kernel", kernel, "--captured", f"of_{kernel}", "-o",
                     f"{kernel}.yaml")
    print(text)
    if code:
        return [*wrong, f"no study is drafted for {kernel}: {text}"]
    study = pathlib.Path(folder, f"{kernel}.yaml").read_text()
    print(study)
    wrong += [f"the study of {kernel} lacks: {one}" for one in wanted if not re.search(one, study)]
    code, text = run(folder, tuner, "run", f"{kernel}.yaml", "--backend", "cuda", "--progress", "none")
    print(text)
    wrong += [f"{kernel} is not right in its study"] * (code != 0 or "correctness" in text)
    return wrong


def differing(folder, tuner):
    """Tolerances of studies that are drafted from kernels whose launches differ, and from one whose do not."""
    far = r"\n  sum: \{rtol: 1e-4, atol: \S+\}  # 4 times as far as ten launches of the program's own kernel were"
    return [
        *drafted(folder, tuner, "add_up", [far], launch=2),
        *drafted(folder, tuner, "add_rows", [far, r"\nmemory: captured"]),
        *drafted(folder, tuner, "walk", [r"ten launches of the program's own kernel were equal to the bit"]),
    ]


def main():
    tuner = os.path.abspath(sys.argv[1])
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("left out: there is no nvcc")
        return 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("followed_lists", "short_launches"):
            built = run(folder, nvcc, "-O2", "-arch=native", "-o", name, str(HERE / f"{name}.cu"))
            if built[0]:
                print(built[1])
                return 1
        for kernel in ("axpy", "walk"):
            code, text = run(folder, tuner, "capture", "--kernel", kernel, "--", "./followed_lists")
            wrong += [f"{kernel} is not captured: {text}"] * (code != 0)
            code, text = run(folder, tuner, "replay", f"captured/{kernel}-1")
            print(text)
            wrong += [f"{kernel} is not equal"] * (code != 0 or "equal, to the bit" not in text)
        spoil(pathlib.Path(folder, "captured/walk-1"))
        code, text = run(folder, tuner, "replay", "captured/walk-1")
        print(text)
        wrong += ["a changed float is not seen"] * (code != 1 or "not equal: memory at 0x" not in text)
        run(folder, tuner, "capture", "--kernel", "add_up", "--", "./followed_lists")
        code, text = run(folder, tuner, "replay", "captured/add_up-1")
        print(text)
        wrong += ["a sum in no fixed order is not as good as equal"] * (code != 0 or "as good as equal" not in text)
        wrong += differing(folder, tuner)
        seconds = {"alone": [], "watched": []}
        for _ in range(5):
            for how, words in (("alone", []), ("watched", [tuner, "capture", "--"])):
                _, text = run(folder, *words, "./short_launches")
                seconds[how].append(float(re.search(r"([\d.]+) s", text).group(1)))
        alone, watched = (statistics.median(seconds[how]) for how in ("alone", "watched"))
        print(f"400,000 launches: {alone:.3f} s alone, {watched:.3f} s watched, ratio {watched / alone:.3f}")
        wrong += ["watching costs more than a quarter"] * (watched > 1.25 * alone)
    print("\n".join(wrong) or "all as it should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
