#!/usr/bin/env bash
# Exports a header and a launcher of every shipped study and compiles them, all warnings being errors:
#   scripts/check_exports.sh [BUILD]        (default build/release: a build tree or an installation)
#
# Headers: g++ and clang++ with C++17 and C++20; NVRTC and nvcc where there is a CUDA toolkit.
# Launchers: nvcc. The configurations are those that are shipped in results/; for a study that has none there,
# a few valid ones, which is all that compiling needs. No GPU. Files go to $OUT or build/exports.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
prefix=${1:-build/release}
tuner=$prefix/bin/tuner
out=${OUT:-build/exports}
mkdir -p "$out"
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
failed=0
# What runs on this machine have left in results/ is not shipped.
shipped=$(mktemp -d)
trap 'rm -rf "$shipped"' EXIT
python3 scripts/tracked.py "$shipped" results

# A ranking of valid configurations, none of which was measured, for the H200.
stand_in() {
  local study=$1 folder=$2
  mkdir -p "$folder"
  cp "$shipped/results/matmul/nvidia-h200/device.json" "$folder/"
  "$tuner" check "$study" --sample 4 2>/dev/null | python3 scripts/stand_in.py "$study" \
    >"$folder/stand-in.csv"
}

# try NAME COMMAND...
try() {
  local name=$1
  shift
  "$@" >"$out/log" 2>&1 || {
    echo "FAILED: $name: $*"
    head -n 20 "$out/log"
    failed=1
  }
}

if [ -n "$nvcc" ]; then
  cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  g++ -std=c++17 -O1 -I"$cuda/include" tests/exported/nvrtc_check.cpp -L"$cuda/lib64" -lnvrtc \
    -Wl,-rpath,"$cuda/lib64" -o "$out/nvrtc_check"
fi
for study in search_spaces/*.yaml; do
  kernel=$(basename "$study" .yaml)
  from=$shipped/results/$kernel
  if [ ! -d "$from" ]; then
    from=$out/$kernel
    stand_in "$study" "$from"
  fi
  begin=$(date +%s)
  header=$out/${kernel}_tuned.h
  try "$kernel" "$tuner" export "$study" --from "$from" -o "$header"
  try "$kernel" "$tuner" export "$study" --from "$from" --format launcher -o "$out/${kernel}_launcher"
  for compiler in g++ "$(command -v clang++ || command -v clang++-14 || true)"; do
    [ -n "$compiler" ] || continue
    for standard in 17 20; do
      try "$kernel" "$compiler" -std=c++$standard "${warnings[@]}" -fsyntax-only -x c++ "$header"
    done
  done
  if [ -n "$nvcc" ]; then
    try "$kernel" "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra \
      -x cu -c "$header" -o "$out/header.o"
    try "$kernel" "$out/nvrtc_check" "$header"
    # The architecture is in the comment that says how to compile it.
    code=$(sed -n 's/^\/\/   nvcc .*-gencode \([^ ]*\) .*/\1/p' "$out/${kernel}_launcher.cu")
    try "$kernel" "$nvcc" -std=c++17 -gencode "$code" -Werror all-warnings \
      -Xcompiler -Wall,-Wextra -c "$out/${kernel}_launcher.cu" -o "$out/launcher.o"
  fi
  echo "$kernel: $(($(date +%s) - begin)) s"
done
[ -n "$nvcc" ] || echo "no nvcc: the launchers and NVRTC were left out"
exit $failed
