#!/usr/bin/env python3
"""Renews the picture of docs/report.md and README.md: pictures.py --tuner TUNER"""

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

PICTURE = ROOT / "docs" / "report" / "light.png"
# 67 Tflop/s is NVIDIA's figure for the H200.
COMMAND = ["report", "results/matmul", "--limit", "gflops=67000", "--title", "matmul on an NVIDIA H200"]
# The whole search of one of its sizes has the most to look at: of all rows (results/README.md).
SIZE = "M2048_N2048_K2048"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuner", required=True)
    tuner = pathlib.Path(parser.parse_args().tuner).resolve()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        subprocess.run([tuner, *COMMAND, "-o", page], cwd=copy_tracked(folder, "results"), check=True)
        with Browser(find_chromium()) as browser:
            browser.open(page)
            browser.evaluate(f"""(() => {{ const size = document.getElementById('choose-size');
                size.value = {SIZE!r}; size.dispatchEvent(new Event('change')); }})()""")
            browser.frames()
            shot = browser.send("Page.captureScreenshot", format="png")
    PICTURE.write_bytes(base64.b64decode(shot["data"]))
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    sys.exit(main())
