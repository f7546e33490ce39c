#!/usr/bin/env bash
# Builds a small application from exported headers and launchers and runs it on this machine's GPU:
#   tests/exported/run.sh PREFIX [--build-only]
#
# PREFIX is an installed tree or a build tree with bin/tuner. The exports are made from the recorded
# rankings in results/, or from those in $RESULTS (a folder that `tuner run` wrote). Needs nvcc and
# cmake; files go to $OUT, or build/app. ARCHS (default: this machine's GPU) are CMake's
# architectures, such as "80;90". Exit status 0 when every size of every kernel came out right.
set -euo pipefail
prefix=$(cd "${1:?usage: tests/exported/run.sh PREFIX [--build-only]}" && pwd)
build_only=${2:-}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${OUT:-build/app}
results=${RESULTS:-results}
mkdir -p "$out/exports"

for kernel in matmul matmul_bf16 transpose reduction softmax convolution2d; do
  study=$prefix/share/tuner/search_spaces/$kernel.yaml
  [ -d "$results/$kernel" ] && [ -f "$study" ] || continue
  "$prefix/bin/tuner" export "$study" --from "$results/$kernel" -o "$out/exports/${kernel}_tuned.h"
  "$prefix/bin/tuner" export "$study" --from "$results/$kernel" --format launcher \
    -o "$out/exports/${kernel}_launcher"
done

cmake -S tests/exported -B "$out/build" -DEXPORTS="$(cd "$out/exports" && pwd)" \
  -DCMAKE_CUDA_ARCHITECTURES="${ARCHS:-native}" >"$out/cmake.log"
cmake --build "$out/build" --parallel >"$out/build.log" || {
  tail -n 40 "$out/build.log"
  exit 1
}
[ "$build_only" != --build-only ] || exit 0
failed=0
for program in "$out"/build/app_*; do
  "$program" >"$out/$(basename "$program").log" || {
    failed=1
    grep -E 'WRONG|DIFFER' "$out/$(basename "$program").log" || true
  }
  tail -n 1 "$out/$(basename "$program").log"
done
exit $failed
