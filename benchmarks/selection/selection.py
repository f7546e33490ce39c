#!/usr/bin/env python3
"""What choosing a configuration costs an application, in nanoseconds of the host.

    selection.py HEADER... [--largest 8192] [--cxx c++]

HEADER is an exported header. A program that includes it is compiled with -O2 and asks select() for 4096
sizes drawn evenly by logarithm, each a new one, again and again: the median of 31 rounds, over one
round's calls.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile

PROGRAM = r"""
#include "@HEADER@"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

int main() {
  using namespace @NAMESPACE@;
  const auto device = device_of(@CAPABILITY@);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> by_log(0, std::log(@LARGEST@.0));
  std::vector<dims> sizes(4096);
  for (dims& size : sizes) {
    long long extent[sizeof(dims) / sizeof(long long)];
    for (long long& one : extent) one = std::llround(std::exp(by_log(random)));
    static_assert(sizeof extent == sizeof(dims));
    __builtin_memcpy(&size, extent, sizeof extent);
  }
  std::vector<double> rounds;
  unsigned long long sum = 0;
  for (int round = 0; round < 31; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (const dims& size : sizes) sum += static_cast<unsigned long long>(select(device, size).config_id);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    rounds.push_back(spent.count() / static_cast<double>(sizes.size()));
  }
  std::nth_element(rounds.begin(), rounds.begin() + 15, rounds.end());
  std::printf("%.0f %llu\n", rounds[15], sum);
}
"""


def first(pattern, text, otherwise=""):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else otherwise


def measure(header, args):
    text = header.read_text()
    program = PROGRAM
    for name, value in {
            "HEADER": header.resolve(),
            "NAMESPACE": first(r"^namespace (\w+)", text),
            "CAPABILITY": first(r'"compute_capability": ?(\d+)', text, "90"),
            "LARGEST": args.largest,
    }.items():
        program = program.replace(f"@{name}@", str(value))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "select.cpp"
        source.write_text(program)
        subprocess.run([args.cxx, "-std=c++17", "-O2", source, "-o", source.with_suffix("")], check=True)
        return subprocess.run([source.with_suffix("")], check=True, capture_output=True,
                              text=True).stdout.split()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("headers", nargs="+", type=pathlib.Path, metavar="HEADER")
    parser.add_argument("--largest", type=int, default=8192, help="extent of a size")
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()
    for header in args.headers:
        rule = first(r"^// other sizes: ([\w ]+)", header.read_text(), "nearest size")
        print(f"{header.name:<28}{rule:<36}{measure(header, args):>8} ns", flush=True)


if __name__ == "__main__":
    main()
