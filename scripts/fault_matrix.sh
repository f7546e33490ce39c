#!/usr/bin/env bash
# Tunes tests/data/faults, a kernel with a variant for every way of failing, and checks that each
# variant got its state: scripts/fault_matrix.sh TUNER [BACKEND] [SECONDS]
#
# TUNER is the program, BACKEND cpu (default) or cuda, SECONDS the --timeout (5). Prints what each
# variant cost; a fault may cost a second beyond its deadline, once the first worker is there. Exit
# status 0 when all is as it must be.
set -euo pipefail

tuner=$(realpath "${1:?usage: scripts/fault_matrix.sh TUNER [BACKEND] [SECONDS]}")
backend=${2:-cpu}
timeout=${3:-5}
study=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/data/faults/faults.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

status=0
"$tuner" run "$study" --backend "$backend" --timeout "$timeout" --fresh --progress json \
  --results "$folder" 2>"$folder/progress" >"$folder/table" || status=$?
[ $status -eq 0 ] || {
  cat "$folder/progress"
  echo "the run ended with status $status"
  exit 1
}

# One line of JSON for each trial, in the order in which they ended.
awk -v timeout="$timeout" '
  function text_after(key) {
    if (!match($0, "\"" key "\":\"?[^\",}]*")) return ""
    value = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    sub(/^"/, "", value)
    return value
  }
  /"event":"trial"/ {
    fault = text_after("FAULT"); state = text_after("state"); now = text_after("elapsed_s")
    wanted = "correctness"
    if (fault ~ /^(compile|compile_hang|shared)$/) wanted = "compile"
    if (fault == "threads") wanted = "constraints"
    if (fault ~ /^(illegal|misaligned|trap)$/) wanted = "runtime"
    if (fault == "hang") wanted = "timeout"
    if (fault == "ok") wanted = "ok"
    # Healthy variants may look slower than the best one; compilers count shared memory or drivers do.
    right = state == wanted || (fault == "ok" && state == "dropped") ||
            (fault == "shared" && state ~ /^(constraints|launch)$/)
    limit = fault ~ /hang/ ? timeout + 1 : 1
    late = trials > 0 && now - before > limit
    printf "%-14s %-12s %7.2f s %s%s\n", fault, state, now - before,
           right ? "" : "WRONG, must be " wanted, late ? "LATE" : ""
    bad += !right
    slow += late
    before = now
    ++trials
  }
  END {
    printf "%d variants, %d with a wrong state, %d late\n", trials, bad, slow
    exit bad > 0 || trials != 26
  }' "$folder/progress"
