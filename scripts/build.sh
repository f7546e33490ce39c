#!/usr/bin/env bash
# Builds the program: scripts/build.sh [PRESET] [TARGET...]
#
# PRESET is release (default), dev (sanitizers) or portable (runs on another machine). Without a
# TARGET all is built, tests included; the target `program` is the program and its plugins. What
# results can be run from where it is, as build/PRESET/bin/tuner.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

preset=${1:-release}
[ $# -gt 0 ] && shift
packages=("${build_packages[@]}")
tests=OFF
if [ "${1:-}" != program ]; then
  packages+=("${test_packages[@]}")
  tests=ON
fi
set_up "${packages[@]}"

say "Building preset $preset"
cmake --preset "$preset" -DTUNER_TESTS=$tests >"/tmp/tuner-configure-$$.log" || {
  cat "/tmp/tuner-configure-$$.log"
  exit 1
}
rm -f "/tmp/tuner-configure-$$.log"
cmake --build "build/$preset" --parallel "$cores" --target "${@:-all}"
echo "built: build/$preset/bin/tuner"
