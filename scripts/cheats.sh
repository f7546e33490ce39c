#!/usr/bin/env bash
# Tunes tests/data/wrong, kernels whose first answer is right, and checks that every one of them is
# found out: scripts/cheats.sh TUNER [BACKEND]
#
# TUNER is the program, BACKEND cpu (default) or cuda. Exit status 0 when the honest variants are `ok`
# and all others are `correctness`.
set -euo pipefail

tuner=$(realpath "${1:?usage: scripts/cheats.sh TUNER [BACKEND]}")
backend=${2:-cpu}
studies=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/data/wrong
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for study in wrong fresh; do
  "$tuner" run "$studies/$study.yaml" --backend "$backend" --results "$folder" --progress none \
    >"$folder/table" || {
    cat "$folder/table"
    exit 1
  }
done
# Columns by name; messages stand behind both, so that their commas do not matter.
awk -F, -v backend="$backend" '
  FNR == 1 {
    delete column
    for (i = 1; i <= NF; ++i) column[$i] = i
    next
  }
  {
    cheat = $column["CHEAT"]
    state = $column["state"]
    wanted = cheat == "honest" ? "ok" : "correctness"
    # The threads of a warp run together on a GPU: the barrier need not be missed.
    unseen = backend == "cuda" && cheat == "no_barrier" && state ~ /^(ok|dropped)$/
    wrong = state != wanted && !unseen
    printf "%-20s %-12s%s\n", cheat, state, unseen ? "  not seen here" : wrong ? "  WRONG: must be " wanted : ""
    bad += wrong
    ++variants
  }
  END {
    printf "%d variants, %d with a wrong state\n", variants, bad
    exit bad > 0 || variants != (backend == "cuda" ? 31 : 30)
  }' "$folder"/wrong/*/n4000.csv "$folder"/wrong_fresh/*/n4000.csv
