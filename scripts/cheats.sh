#!/usr/bin/env bash
# Tunes tests/data/wrong, kernels that want a rank that they have not earned, and checks that none of
# them gets it: scripts/cheats.sh TUNER [BACKEND]
#
# TUNER is the program, BACKEND cpu (default) or cuda. Exit status 0 when honest variants are `ok`, all
# others `correctness` (or `runtime`), and what is `ok` without having worked is not faster.
set -euo pipefail

tuner=$(realpath "${1:?usage: scripts/cheats.sh TUNER [BACKEND]}")
backend=${2:-cpu}
studies=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/data/wrong
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp "$studies"/* "$folder"
# The same on copies of the buffers, and with a warm cache.
for cache in rotate hot; do
  # What keeps answers by its inputs shows with cold caches, or with inputs: fresh. A sample of a short
  # kernel is many launches then: who skips eight of them in all gains nothing, and need not be seen.
  sed -e "/remembers_\|keeps_own_answer/d" -e "/skips_/s/WANT: wrong/WANT: slow/" -e "s/^measure: {/&cache: $cache, /" -e "s/{name: corpus,/{name: corpus_$cache,/" \
    "$studies/corpus.yaml" >"$folder/corpus_$cache.yaml"
done
for study in wrong fresh corpus attempts corpus_rotate corpus_hot; do
  "$tuner" run "$folder/$study.yaml" --backend "$backend" --results "$folder" --progress none \
    >"$folder/table" || {
    cat "$folder/table"
    exit 1
  }
done
# Columns by name; messages stand behind all of them, so that their commas do not matter. On a GPU the
# times of so short launches say nothing.
awk -F, -v backend="$backend" '
  function judge(name, state, wrong, text) {
    printf "%-28s %-12s%s\n", name, state, wrong ? "  WRONG: must be " text : ""
    bad += wrong
    ++variants
  }
  FNR == 1 {
    delete column
    for (i = 1; i <= NF; ++i) column[$i] = i
    next
  }
  "CHEAT" in column {
    cheat = $column["CHEAT"]
    state = $column["state"]
    wanted = cheat == "honest" ? "ok" : "correctness"
    # The threads of a warp run together on a GPU: the barrier need not be missed.
    unseen = backend == "cuda" && cheat == "no_barrier" && state ~ /^(ok|dropped)$/
    judge(cheat, state, state != wanted && !unseen, wanted)
    next
  }
  {
    key = FILENAME " " $column["NAME"]
    states[key] = $column["state"]
    wants[key] = $column["WANT"]
    times[key] = $column["time_ms"]
    names[key] = $column["NAME"]
    if ($column["WANT"] == "right" && $column["state"] == "ok") {
      shortest = $column["min_ms"]
      if (!(FILENAME in honest) || shortest < honest[FILENAME]) honest[FILENAME] = shortest
    }
  }
  END {
    for (key in names) {
      split(key, part, " ")
      if (wants[key] == "right") {
        judge(names[key], states[key], states[key] != "ok", "ok")
      } else if (wants[key] == "wrong") {
        unseen = backend == "cuda" && names[key] == "no_barrier"
        judge(names[key], states[key], states[key] !~ /^(correctness|runtime)$/ && !unseen, "found out")
      } else {
        # Those that skip launches do a quarter of the honest work in the others.
        gains = backend == "cpu" && states[key] == "ok" && times[key] < honest[part[1]] / 6
        judge(names[key], states[key], gains, "no faster than honest ones")
      }
    }
    printf "%d variants, %d with a wrong state\n", variants, bad
    exit bad > 0 || variants < 290
  }' "$folder"/*/*/n4000.csv "$folder"/*/*/n1100.csv
