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
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
study=$here/../tests/data/faults/faults.yaml
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

python3 "$here/fault_matrix.py" "$timeout" "$folder/states" "$folder/device" "$folder/compiler"
