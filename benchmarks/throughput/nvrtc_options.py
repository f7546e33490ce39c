#!/usr/bin/env python3
"""What NVRTC's options, and leaving out the reference kernel, do to the time of one compilation.

usage: nvrtc_options.py TUNER [--variants 8] [--rounds 2] [--kernels mm,matmul,...]

Compiles variants of shipped kernels for sm_90 on one thread, each with every way in turn, the driver's
cache off. No GPU. Plain is the whole source without options. Prints for each kernel what one plain
compilation costs (processor time of all its threads, and of that in the system), and then of every way
the median over variants and rounds of its processor time over that of plain in the same round; how many
variants have the same machine code. What other code is worth only a GPU can tell: a study may name
options in kernel.options.
"""
import argparse
import os
import statistics

import nvrtc

# A way: its options, and what else is different.
WAYS = {
    "plain": [],
    "without the reference": ["SOURCE"],
    "-minimal": ["-minimal"],
    "libnvrtc.alt.so": ["ALT"],
    "-pch": ["-pch", "-pch-messages=false"],
    "-split-compile=2": ["-split-compile=2"],
    "-Ofc=min": ["-Ofc=min"],
    "-Ofc=mid": ["-Ofc=mid"],
    "-Ofc=max": ["-Ofc=max"],
    "PTX only": ["PTX"],
    "front end only": ["-fdevice-syntax-only"],
}


class Compilers:
    """NVRTC and its alternative library, where the toolkit has it."""

    def __init__(self):
        self.usual = nvrtc.Nvrtc()
        alternative = nvrtc.LIBRARY.with_name("libnvrtc.alt.so")
        self.alternative = nvrtc.Nvrtc(alternative) if alternative.exists() else None

    def ways(self):
        return [way for way in WAYS if way != "libnvrtc.alt.so" or self.alternative]

    def compile(self, way, kernel, text, variant):
        words = WAYS[way]
        compiler = self.alternative if "ALT" in words else self.usual
        arch = nvrtc.architecture(variant).replace("sm_", "compute_") if "PTX" in words else None
        source = nvrtc.without_reference(text) if "SOURCE" in words else text
        extra = [word for word in words if word.startswith("-")]
        cost, image = compiler.compile(kernel, source, variant, extra, arch)
        return cost, nvrtc.code_of(image, kernel.entry) if image else b""


def measure(compilers, kernel, variants, rounds):
    """Costs by way, a list for each; how many variants have plain's code."""
    text = nvrtc.text_of(kernel)
    costs = {way: [] for way in compilers.ways()}
    same = dict.fromkeys(costs, 0)
    for way in costs:  # what is only slow once
        compilers.compile(way, kernel, text, variants[0])
    for round_ in range(rounds):
        for variant in variants:
            usual = None
            for way in costs:
                cost, code = compilers.compile(way, kernel, text, variant)
                usual = code if usual is None else usual
                costs[way].append(cost)
                same[way] += round_ == 0 and code == usual
    return costs, same


def tell(name, costs, same, count):
    plain = costs["plain"]
    middle = lambda values: 1e3 * statistics.median(values)
    used = [cost.processor for cost in plain]
    print(f"{name}: one plain compilation takes {middle(used):.0f} ms of processor time ({1e3 * min(used):.0f} to "
          f"{1e3 * max(used):.0f}), {100 * sum(cost.system for cost in plain) / sum(used):.1f} % of that in the system, "
          f"and {middle([cost.wall for cost in plain]):.0f} ms of wall time")
    for way, all_costs in costs.items():
        ratios = [one.processor / usual.processor for one, usual in zip(all_costs, plain)]
        print(f"  {way:22} {statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f}), "
              f"same code: {same[way]} of {count}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("--variants", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kernels", default=",".join(nvrtc.KERNELS))
    args = parser.parse_args()
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    compilers = Compilers()
    for name in args.kernels.split(","):
        kernel = nvrtc.KERNELS[name]
        variants = nvrtc.variants(args.tuner, kernel, args.variants)
        costs, same = measure(compilers, kernel, variants, args.rounds)
        tell(name, costs, same, len(variants))


if __name__ == "__main__":
    main()
