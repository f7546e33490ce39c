#!/usr/bin/env bash
# What the checks of two programs cost: benchmarks/trust/checks.sh OLD NEW [BACKEND [STUDY OPTION...]]
#
# Both run STUDY, or else search 45 variants over a million floats, exhaustively, in turns: TURNS times,
# five if it is not set. A first run of each fills its cache of artifacts, which is its own: two versions
# make room for theirs in a common one. Prints wall and processor seconds, a line each run, and the
# medians of their ratios.
set -euo pipefail

programs=("$(realpath "${1:?usage: benchmarks/trust/checks.sh OLD NEW [BACKEND [STUDY OPTION...]]}")" "$(realpath "${2:?NEW is missing}")")
backend=${3:-cpu}
study=(s.yaml)
[ $# -lt 4 ] || study=("$(realpath "$4")" "${@:5}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >s.yaml <<'YAML'
schema: 1
kernel: {name: line, source: s.cu, entry: line}
problem_sizes: [{N: 1000000}]
parameters: {BLOCK: [32, 64, 128, 256, 512], VEC: [1, 2, 4], UNROLL: [1, 2, 4]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK * VEC)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: plain, block: [128], grid: ["ceil_div(N, 128)"]}
search: {strategy: exhaustive}
YAML
cat >s.cu <<'CUDA'
extern "C" __global__ void plain(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}
extern "C" __global__ void line(const float* x, float* y, int n) {
  const int at = (blockIdx.x * TUNE_BLOCK + threadIdx.x) * TUNE_VEC;
#pragma unroll TUNE_UNROLL
  for (int k = 0; k < TUNE_VEC; ++k) {
    if (at + k < n) y[at + k] = 2 * x[at + k] + 1;
  }
}
CUDA

run() {
  XDG_CACHE_HOME="$PWD/cache/$1" "$1" run "${study[@]}" --backend "$backend" --results "$2" --progress none \
    >"$2.log" 2>&1 ||
    { cat "$2.log" >&2; exit 1; }
}

for program in "${programs[@]}"; do run "$program" "warm$RANDOM"; done
TIMEFORMAT='%R %U %S'
for ((turn = 0; turn < ${TURNS:-5}; ++turn)); do
  for i in $((turn % 2)) $((1 - turn % 2)); do
    { time run "${programs[$i]}" "turn$turn-$i"; } 2>&1 | awk -v i="$i" '{print i, $1, $2 + $3}'
  done
done | awk '
  {
    print ($1 ? "new " : "old ") $2 " s, processors " $3 " s"
    wall[$1] = $2
    processors[$1] = $3
    if (NR % 2) next
    ++turns
    walls[turns] = wall[1] / wall[0]
    loads[turns] = processors[1] / processors[0]
  }
  function median(all,  i, j, kept) {
    for (i = 2; i <= turns; ++i) {
      kept = all[i]
      for (j = i - 1; j > 0 && all[j] > kept; --j) all[j + 1] = all[j]
      all[j + 1] = kept
    }
    return turns % 2 ? all[(turns + 1) / 2] : (all[turns / 2] + all[turns / 2 + 1]) / 2
  }
  END { printf "median: %+.1f %%, processors %+.1f %%\n", 100 * median(walls) - 100, 100 * median(loads) - 100 }'
