#!/usr/bin/env bash
# Runs the example tuned_products: tuned_products.sh PREFIX [PROGRAM] (PREFIX/bin/examples/tuned_products)
#
# PREFIX is where tuner is installed. First the sizes are tuned offline, with `tuner run`; then the
# program tunes them while it works, from nothing, and compares. Variables say what is different:
#   BACKEND=cuda  SIZES="M=1024,N=1024,K=1024;..."  EVALUATIONS=200  IDLE_MS=5  SECONDS_MOST=150  JOBS=8
set -euo pipefail

prefix=$(realpath "$1")
program=$(realpath "${2:-$prefix/bin/examples/tuned_products}")
backend=${BACKEND:-cpu}
evaluations=${EVALUATIONS:-12}
sizes=${SIZES:-M=64,N=64,K=64;M=96,N=32,K=64}
if [ "$backend" = cuda ]; then
  evaluations=${EVALUATIONS:-200}
  sizes=${SIZES:-M=1024,N=1024,K=1024;M=2048,N=2048,K=2048;M=4096,N=1024,K=2048}
fi
jobs=${JOBS:-$(nproc)}
study=${STUDY:-$prefix/share/tuner/search_spaces/matmul.yaml}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
IFS=';' read -ra each <<<"$sizes"
words=()
for size in "${each[@]}"; do words+=(--size "$size"); done

start=$(date +%s.%N)
"$prefix/bin/tuner" run "$study" --backend "$backend" "${words[@]}" --budget "$evaluations" --jobs "$jobs" \
  --results "$folder/offline" --progress none >"$folder/offline.txt" || {
  cat "$folder/offline.txt"
  exit 1
}
awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN {printf "offline: %.1f s\n", b - a}'

# A cache of its own: nothing is compiled already.
XDG_CACHE_HOME="$folder/cache" "$program" "$study" --backend "$backend" --sizes "$sizes" \
  --evaluations "$evaluations" --idle-ms "${IDLE_MS:-5}" --seconds "${SECONDS_MOST:-150}" --jobs "$jobs" \
  --prefix "$prefix" --results "$folder/online" --offline "$folder/offline"
