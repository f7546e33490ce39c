#!/usr/bin/env python3
"""Renews the example of docs/report.md: docs/report/matmul-h200.html and its pictures.

    pictures.py --tuner TUNER

report_test.py says when the page is not what the program writes now.
"""

import argparse
import base64
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser, find_chromium

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from tracked import copy_tracked  # noqa: E402

FOLDER = ROOT / "docs" / "report"
# Relative, so that nothing of this machine is in the page; 67 Tflop/s is NVIDIA's figure for the H200.
COMMAND = ["report", "results/matmul", "--limit", "gflops=67000", "--title", "matmul on an NVIDIA H200"]
# The whole search of one of its sizes has the most to look at.
SIZE = "M2048_N2048_K2048"


def picture(browser, path, selector=None):
    clip = {"x": 0, "y": 0, "width": browser.evaluate("innerWidth"), "height": browser.evaluate("innerHeight"),
            "scale": 1}
    if selector:
        box = browser.evaluate(f"""(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();
            return [box.top + scrollY, box.height]; }})()""")
        clip |= {"y": box[0], "height": box[1]}
    shot = browser.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    path.write_bytes(base64.b64decode(shot["data"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuner", required=True)
    tuner = pathlib.Path(parser.parse_args().tuner).resolve()
    FOLDER.mkdir(exist_ok=True)
    page = FOLDER / "matmul-h200.html"
    with tempfile.TemporaryDirectory() as shipped:
        subprocess.run([tuner, *COMMAND, "-o", page], cwd=copy_tracked(shipped, "results"), check=True)
    looks = {"light": {}, "dark": {"dark": True}, "phone": {"width": 390, "height": 844}}
    for name, look in looks.items():
        with Browser(find_chromium(), **look) as browser:
            browser.open(page)
            browser.evaluate(f"""(() => {{ const size = document.getElementById('choose-size');
                size.value = {SIZE!r}; size.dispatchEvent(new Event('change')); }})()""")
            browser.frames()
            picture(browser, FOLDER / f"{name}.png")
            if name == "dark":
                picture(browser, FOLDER / "parameters.png", "#effects")
            if name == "light":
                picture(browser, FOLDER / "parallel.png", "#parallel .chart")
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    sys.exit(main())
