#!/usr/bin/env bash
# How often `tuner gate` is wrong: benchmarks/trust/gate.sh TUNER [BACKEND] [EQUAL] [SLOWER]
#
# Compares kernels that take the same time and differ by a constant EQUAL times (100), and kernels of
# which one does 2 % more work SLOWER times (20), ten sizes in each run of the program. Prints what it
# said, and the seconds of all. GATE_SECONDS bounds each comparison (10; on `cpu` 60, the program's default).
# On `cpu` a launch takes about half a millisecond: most launches then end before another process gets the core.
set -euo pipefail

tuner=$(realpath "${1:?usage: benchmarks/trust/gate.sh TUNER [BACKEND] [EQUAL] [SLOWER]}")
backend=${2:-cuda} equal=${3:-100} slower=${4:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir base head

seconds=${GATE_SECONDS:-$([ "$backend" = cpu ] && echo 60 || echo 10)}
thousand=$([ "$backend" = cpu ] && echo 10 || echo 1000)
sizes=$(for n in {40..76..4}; do echo -n "{N: $((n * thousand))}, "; done)
cat >g.yaml <<YAML
schema: 1
kernel: {name: chain, source: g.cu, entry: chain}
problem_sizes: [${sizes%, }]
parameters: {BLOCK: [128]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
verify: none
YAML
# write_kernel FILE STEPS CONSTANT
write_kernel() {
  cat >"$1" <<CUDA
extern "C" __global__ void chain(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#pragma unroll 1
  for (int step = 0; step < $2; ++step) {
#pragma unroll
    for (int k = 0; k < 20; ++k) value = value * 0.999f + 0.001f;
  }
  y[i] = n == -1 ? $3.0f : value;
}
CUDA
}
steps=$([ "$backend" = cpu ] && echo 50 || echo 1000)
write_kernel g.cu "$steps" 1

# compare WHAT COUNT STEPS EXPECTED
compare() {
  local done=0 begin=$SECONDS
  : >said
  while [ "$done" -lt "$2" ]; do
    write_kernel base/g.cu "$steps" $((2 * done + 2))
    write_kernel head/g.cu "$3" $((2 * done + 3))
    "$tuner" gate base head --study g.yaml --backend "$backend" --seconds "$seconds" --json >out 2>err || [ -s out ] || cat err >&2
    python3 -c 'import json; print(*(s["verdict"] for s in json.load(open("out"))["sizes"]), sep="\n")' >>said || break
    done=$(wc -l <said)
  done
  printf '%-22s' "$1:"
  for verdict in passed slower undecided failed; do printf ' %s %d' "$verdict" "$(head -n "$2" said | grep -c "^$verdict$" || true)"; done
  printf ', %d s\n' $((SECONDS - begin))
}
compare "$equal of equal kernels" "$equal" "$steps"
compare "$slower slower by 2 %" "$slower" $((steps * 102 / 100))
