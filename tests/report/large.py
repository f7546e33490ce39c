#!/usr/bin/env python3
"""Measures how long a large report takes to open, and a filter to be drawn, in headless Chromium.

    large.py --tuner TUNER [ROWS...]      10000 and 100000 without ROWS

What it prints is in docs/report.md. No test: how fast a machine is, is no fact of the program.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from browser import Browser, find_chromium

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["BM", "BN", "BK", "TM", "TN", "VEC", "PAD", "UNROLL", "STAGES"]
REPEATS = 5


def write_ranking(folder, rows):
    """One ranked CSV: nine parameters of five values and one of three, a tenth did not compile."""
    place = folder / "made" / "some-device"
    place.mkdir(parents=True)
    shutil.copy(ROOT / "results" / "softmax" / "nvidia-h200" / "device.json", place)
    chance = random.Random(1)
    trials = []
    for _ in range(rows):
        values = [chance.choice([8, 16, 32, 64, 128]) for _ in NAMES]
        time_ms = 1 + sum(abs(value - 32) / 64 for value in values) * chance.uniform(0.9, 1.1)
        trials.append((chance.random() < 0.1, time_ms, [*values, chance.choice("abc")]))
    trials.sort()
    columns = ["rank", "state", *NAMES, "FORM", "n", "time_ms", "ci_low_ms", "ci_high_ms", "message"]
    with open(place / "n5.csv", "w", encoding="utf-8") as out:
        print(*columns, sep=",", file=out)
        for at, (failed, time_ms, values) in enumerate(trials):
            figures = ["", "", "", f"error {at}"] if failed else [time_ms, time_ms * 0.99, time_ms * 1.01, ""]
            print("" if failed else at + 1, "compile" if failed else "ok", *values, 5, *figures, sep=",", file=out)


def measure(tuner, rows):
    with tempfile.TemporaryDirectory(prefix="tuner-large-") as name:
        folder = pathlib.Path(name)
        write_ranking(folder / "results", rows)
        page = folder / "report.html"
        subprocess.run([tuner, "report", folder / "results", "-o", page], check=True, capture_output=True)
        opens, filters = [], []
        for _ in range(REPEATS):
            with Browser(find_chromium()) as browser:
                opens.append(browser.open(page))
                began = time.monotonic()
                browser.evaluate("document.querySelector('[data-param=FORM][data-value=b]').click()")
                browser.frames()
                filters.append(time.monotonic() - began)
        middle = REPEATS // 2
        print(f"{rows} configurations: {page.stat().st_size / 1e6:.1f} MB, opens in {sorted(opens)[middle]:.2f} s, "
              f"filters in {sorted(filters)[middle]:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuner", required=True, type=pathlib.Path)
    parser.add_argument("rows", nargs="*", type=int, default=[10000, 100000])
    given = parser.parse_args()
    for rows in given.rows or [10000, 100000]:
        measure(given.tuner.resolve(), rows)


if __name__ == "__main__":
    main()
