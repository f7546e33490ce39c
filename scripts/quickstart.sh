#!/usr/bin/env bash
# From a clean clone to a tuned kernel: installs packages (when root or sudo may), builds the
# program, tunes search_spaces/matmul.yaml on the best backend of this machine, prints the ranking,
# and leaves the ranked CSV and a C++ header with the winner. Can be run again: nothing that was
# measured is measured twice.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

study=search_spaces/matmul.yaml
results=${TUNER_RESULTS:-results}
tuner=build/release/bin/tuner

scripts/build.sh release program

say "Backends"
backends=$("$tuner" list backends)
echo "$backends"
if grep -Eq '^cuda +works' <<<"$backends"; then
  backend=cuda
  sizes=(M=1024,N=1024,K=1024 M=2048,N=2048,K=2048)
  budget=150,90s
else
  # Every variant is compiled for the host and its answer checked; the times are the host's.
  backend=cpu
  sizes=(M=96,N=80,K=64)
  budget=60,120s
fi

say "Tuning $study on $backend: ${sizes[*]}, at most $budget (evaluations, seconds) each"
size_options=()
for size in "${sizes[@]}"; do size_options+=(--size "$size"); done
"$tuner" run "$study" --backend "$backend" "${size_options[@]}" --budget "$budget" \
  --results "$results"

# `run` wrote a ranked CSV for each size; the newest is this run's.
label=${sizes[0]//,/_}
label=${label//=/}
csv=$(ls -t "$results"/matmul/*/"$label".csv | head -n 1)
verified=$(awk -F, 'NR > 1 && ($2 == "ok" || $2 == "dropped")' "$csv" | wc -l)
header=$results/matmul/matmul.h
"$tuner" export "$study" --results "$results" --format header -o "$header"

say "Compiling the header with g++ -std=c++17"
echo '#include "matmul.h"' | g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I "${header%/*}" -x c++ -

say "Done"
echo "$verified variants gave the right answer"
echo "ranked CSV: $csv"
echo "header:     $header"
