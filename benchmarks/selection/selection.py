#!/usr/bin/env python3
"""What choosing a configuration costs an application, in nanoseconds of the host.

    selection.py HEADER... [--largest 8192] [--cxx c++]

HEADER is an exported header. A program that includes it is compiled with -O2 and asks select() for the
sizes that were tuned, for 4096 others drawn evenly by logarithm from 1 to --largest, and for 4096 of the
header's domain where it has one, 4096 calls a round: the median of 31 rounds, over one round's calls.
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
#include <utility>
#include <vector>

long long used = 0;  // so that nothing is left out

int main() {
  using namespace @NAMESPACE@;
  const auto device = device_of(@CAPABILITY@);
  std::mt19937_64 random(1);
  constexpr std::size_t dimensions = sizeof(dims) / sizeof(long long);
  const auto drawn_from = [&](std::vector<std::pair<double, double>> ranges) {
    if (ranges.empty()) ranges.assign(dimensions, {1, @LARGEST@});
    std::vector<dims> sizes(4096);
    for (dims& size : sizes) {
      long long extent[dimensions];
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::uniform_real_distribution<double> by_log(std::log(ranges[d].first), std::log(ranges[d].second));
        extent[d] = std::llround(std::exp(by_log(random)));
      }
      __builtin_memcpy(&size, extent, sizeof extent);
    }
    return sizes;
  };
  const std::vector<std::pair<double, double>> domain{@DOMAIN@};
  const auto ns = [&](auto size_of) {
    std::vector<double> rounds;
    for (int round = 0; round < 31; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < 4096; ++i) used += select(device, size_of(i)).config_id;
      const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
      rounds.push_back(spent.count() / 4096);
    }
    std::nth_element(rounds.begin(), rounds.begin() + 15, rounds.end());
    return rounds[15];
  };
  const double tuned = ns([](std::size_t i) { return entries[i % entry_count].size; });
  const auto of = [&](const std::vector<dims>& sizes) {
    return ns([&](std::size_t i) { return sizes[i]; });
  };
  std::printf("%8.0f %8.0f", tuned, of(drawn_from({})));
  if (!domain.empty()) std::printf(" %9.0f", of(drawn_from(domain)));
  std::printf("\n");
}
"""


def first(pattern, text, otherwise=""):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else otherwise


def measure(header, args):
    text = header.read_text()
    ranges = re.findall(r"(\d+) to (\d+)", first(r"^// domain (.*)", text))
    program = PROGRAM
    for name, value in {
            "HEADER": header.resolve(),
            "NAMESPACE": first(r"^namespace (\w+)", text),
            "CAPABILITY": first(r'"compute_capability": ?(\d+)', text, "90"),
            "LARGEST": args.largest,
            "DOMAIN": ", ".join(f"{{{low}, {high}}}" for low, high in ranges),
    }.items():
        program = program.replace(f"@{name}@", str(value))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "select.cpp"
        source.write_text(program)
        subprocess.run([args.cxx, "-std=c++17", "-O2", source, "-o", source.with_suffix("")], check=True)
        return subprocess.run([source.with_suffix("")], check=True, capture_output=True,
                              text=True).stdout.rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("headers", nargs="+", type=pathlib.Path, metavar="HEADER")
    parser.add_argument("--largest", type=int, default=8192, help="extent of a size")
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()
    print(f"{'header':<28}{'other sizes by':<36}{'tuned ns':>8} {'drawn ns':>8} {'domain ns':>9}")
    for header in args.headers:
        rule = first(r"^// other sizes: ([\w ]+)", header.read_text(), "nearest size")
        print(f"{header.name:<28}{rule:<36}{measure(header, args)}", flush=True)


if __name__ == "__main__":
    main()
