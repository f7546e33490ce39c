#!/usr/bin/env python3
"""How often chance would convict an honest kernel of knowing its inputs: benchmarks/trust/unseen.py [KERNELS]

The rule is that of tuner/measure/repeated_launches.cpp, on a clock where half of all launches are
disturbed and take up to 50 times as long: each by itself, or some one after the other.
"""
import random
import sys

GAIN, SETS, TURNS, SAMPLES = 6, 6, 4, 8


def clock(stays):
    is_busy = False
    while True:
        if random.random() > stays:
            is_busy = not is_busy
        yield 1 + 50 * random.random() if is_busy else 1 + 0.1 * random.random()


def turns(times):
    """How often in a row it looks as if the kernel knew its inputs."""
    samples = [next(times) for _ in range(SAMPLES)]
    for turn in range(TURNS):
        enough = GAIN * sorted(samples)[SAMPLES // 4]
        unseen = []
        while len(unseen) < SETS and min(unseen, default=enough + 1) > enough:
            unseen.append(next(times))
        if min(unseen) <= enough:
            return turn
        samples = [next(times) for _ in range(SAMPLES)]
        if min(unseen) <= GAIN * sorted(samples)[SAMPLES // 4]:
            return turn
    return TURNS


kernels = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
random.seed(1)
for in_a_row in (2, 10, 20, 50):
    times = clock(1 - 1 / in_a_row)
    found = [turns(times) for _ in range(kernels)]
    print(f"{in_a_row:3} disturbed in a row: " +
          ", ".join(f"{sum(f >= turn for f in found)} of {kernels} after {turn}" for turn in range(1, TURNS + 1)))
