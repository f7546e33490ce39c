#!/usr/bin/env bash
# Configurations a second over the 450 variants of mm.yaml: benchmarks/throughput/throughput.sh PREFIX
#
# Every variant is compiled, verified and measured (at least 7 timed launches). Cold: an empty
# artifact cache and no driver cache; ceiling: the same compile workers with nothing else to do;
# warm: all artifacts in the cache. Prints seconds of wall time.
set -euo pipefail
prefix=$(cd "${1:?usage: throughput.sh PREFIX}" && pwd)
study=$(cd "$(dirname "$0")" && pwd)/mm.yaml
tuner=$prefix/bin/tuner
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_CACHE_DISABLE=1

# seconds COMMAND...: wall time of a command whose output nobody wants.
seconds() {
  local begin end
  begin=$(date +%s.%N)
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  end=$(date +%s.%N)
  awk "BEGIN { printf \"%.2f\", $end - $begin }"
}
run() { "$tuner" run "$study" --backend cuda --strategy exhaustive --progress none "$@"; }

for round in 1 2 3; do
  export XDG_CACHE_HOME=$work/cache$round
  cold=$(seconds run --results "$work/cold$round")
  best=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "time_ms") c = i } NR == 2 { print $c }' \
    "$work/cold$round"/mm/*/*.csv)
  warm=$(seconds run --results "$work/warm$round")
  export XDG_CACHE_HOME=$work/ceiling$round
  ceiling=$(seconds "$tuner" check "$study" --compile --arch sm_90)
  awk "BEGIN { printf \"cold %.2f s (%.1f configurations/s), compile only %.2f s (%.0f %% of the ceiling), \
warm %.2f s, best %s ms\n\", $cold, 450 / $cold, $ceiling, 100 * $ceiling / $cold, $warm, \"$best\" }"
done
