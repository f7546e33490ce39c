#!/usr/bin/env bash
# Tunes tests/data/faults, a kernel with a variant for every way of failing, and checks that each
# variant got its state, and what it cost: scripts/fault_matrix.sh TUNER [BACKEND] [SECONDS]
#
# TUNER is the program, BACKEND cpu (default) or cuda, SECONDS the --timeout (5). After a run of the
# whole study, two more tell what one fault costs: with everything compiled, the time from one result
# to the next is what the device spent on the second one, a new worker included; with nothing else
# to do, it is what a compile worker spent. Overhead is that time less the deadline, of what was killed
# at one; it may be a second. Exit status 0 when all is as it must be.
set -euo pipefail

tuner=$(realpath "${1:?usage: scripts/fault_matrix.sh TUNER [BACKEND] [SECONDS]}")
backend=${2:-cpu}
timeout=${3:-5}
study=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/data/faults/faults.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache  # what others have compiled does not count

# tune NAME OPTIONS...: leaves a line of JSON for each trial, in the order in which they ended.
tune() {
  local log=$folder/$1 status=0
  shift
  "$tuner" run "$study" --backend "$backend" --timeout "$timeout" --strategy exhaustive \
    --progress json --results "$folder/results" "$@" 2>"$log" >"$log.table" || status=$?
  [ $status -eq 0 ] && return
  cat "$log"
  echo "the run ended with status $status"
  exit 1
}

compiling="FAULT == 'compile' or FAULT == 'compile_hang' or FAULT == 'shared'"
tune states
tune device --fresh --jobs 1 --where "not ($compiling)"
tune compiler --jobs 1 --where "FAULT == 'ok' or $compiling"

awk -v timeout="$timeout" '
  function text_after(key) {
    if (!match($0, "\"" key "\":\"?[^\",}]*")) return ""
    value = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    sub(/^"/, "", value)
    return value
  }
  function check_state() {
    wanted = "correctness"
    if (fault ~ /^(compile|compile_hang|shared)$/) wanted = "compile"
    if (fault == "threads") wanted = "constraints"
    if (fault ~ /^(illegal|misaligned|trap)$/) wanted = "runtime"
    if (fault == "hang") wanted = "timeout"
    if (fault == "ok") wanted = "ok"
    # Healthy variants may look slower than the best one; compilers count shared memory or drivers do.
    right = state == wanted || (fault == "ok" && state == "dropped") ||
            (fault == "shared" && state ~ /^(constraints|launch)$/)
    if (!right) printf "WRONG: %s got %s, must be %s\n", fault, state, wanted
    bad += !right
    ++trials
  }
  FNR == 1 { ++run; before = -1 }
  !/"event":"trial"/ { next }
  {
    fault = text_after("FAULT"); state = text_after("state"); now = text_after("elapsed_s")
    if (run == 1) { check_state(); next }
    if (text_after("from_store") == "true") { before = now; next }
    if (!(fault in spent)) order[++count] = fault
    states[fault] = state
    spent[fault] += 0
    if (state == "constraints") next  # never on the device
    # The first one on the device waited for it.
    if (before >= 0 && now - before > spent[fault]) spent[fault] = now - before
    before = now
  }
  END {
    printf "%-14s %-12s %9s %9s %9s\n", "variant", "state", "spent", "deadline", "overhead"
    for (i = 1; i <= count; ++i) {
      fault = order[i]
      deadline = fault == "compile_hang" ? timeout : fault == "hang" ? (timeout < 3 ? timeout : 3) : 0
      overhead = spent[fault] - deadline
      late += overhead > 1
      printf("%-14s %-12s %7.2f s %9s %7.2f s%s\n", fault, states[fault], spent[fault],
             deadline ? deadline " s" : "-", overhead, overhead > 1 ? "  LATE" : "")
    }
    printf "%d variants, %d with a wrong state; the longer of two for each fault: %d of %d late\n",
           trials, bad, late, count
    exit bad > 0 || trials != 26 || late > 0 || count != 13
  }' "$folder/states" "$folder/device" "$folder/compiler"
