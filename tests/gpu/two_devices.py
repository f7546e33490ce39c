#!/usr/bin/env python3
"""A program that launches on two devices, captured, tuned and applied. two_devices.py TUNER

The launches of both devices are captured and replayed equal, a study is drafted from both and runs, and in the program
all launches of both devices become the tuned kernel. A launch that reads the other device's memory is captured, and
replayed or refused with a sentence. Prints all outputs; exit status 1 where any of that is not so. Left out, with status
0, where there is no nvcc or one device."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from checks import Checks

HERE = pathlib.Path(__file__).resolve().parent


def said(checks, *words):
    """The status of a command, and all that it prints."""
    status, out, err = checks.run(*words)
    return status, out + err


def check(checks, tuner):
    status, text = said(checks, tuner, "capture", "--kernel", "scale", "--sizes", "2", "--", "./two_devices")
    checks.require(status == 0 and "right" in text, "the program is captured and finds its answers right")
    captures = sorted(pathlib.Path(checks.folder, "captured").glob("scale-*"))
    devices = {json.loads((one / "capture.json").read_text())["device"]["number"] for one in captures}
    checks.require(devices == {0, 1}, "a launch of each device is captured")
    for one in captures:
        status, text = said(checks, tuner, "replay", one)
        checks.require(status == 0 and "equal, to the bit" in text, f"{one.name} is equal when it is replayed")
    status, _ = said(checks, tuner, "init", "two_devices.cu", "--captured", "captured", "-o", "scale.yaml")
    checks.require(status == 0, "a study is drafted")
    status, text = said(checks, tuner, "run", "scale.yaml", "--backend", "cuda", "--budget", "20,10s", "--progress", "plain")
    checks.require(status == 0, "it runs, and variants are right")
    status, text = said(checks, tuner, "apply", "scale.yaml", "--once", "--json", "--", "./two_devices")
    checks.require(status == 0 and "right" in text, "the program is right with the tuned kernel")
    report = json.loads(text[text.index("{"):text.rindex("}") + 1])
    checks.require(sum(one["replaced"] for one in report["launches"]) == 40, "all 40 launches are replaced")
    status, text = said(checks, tuner, "capture", "--kernel", "fetch", "-o", "peer", "--", "./two_devices")
    checks.require(status == 0 and "right" in text, "a launch with the other device's memory is captured")
    status, text = said(checks, tuner, "replay", "peer/fetch-1")
    checks.require(status == 0 or "device" in text, "it is replayed, or refused with the reason")


def main():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    listed = ""
    if shutil.which("nvidia-smi"):
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    if not pathlib.Path(nvcc).exists() or listed.count("GPU ") < 2:
        print("left out: there is no nvcc, or only one device")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(folder)
        shutil.copy(HERE / "two_devices.cu", folder)
        checks.run(nvcc, "-O2", "-arch=native", "-o", "two_devices", "two_devices.cu")
        check(checks, str(pathlib.Path(sys.argv[1]).resolve()))
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
