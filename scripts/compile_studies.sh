#!/usr/bin/env bash
# Compiles every variant of the shipped studies for several architectures, without a GPU:
#   scripts/compile_studies.sh [-o FOLDER] [-n LIMIT] [STUDY...]
#
# ARCHS (default sm_75,sm_80,sm_90,sm_100,sm_120) names the architectures; -n takes a random sample
# of so many variants of each. Leaves FOLDER/<study>-<arch>.csv (registers, shared memory, spills,
# occupancy of each variant) and prints a line for each. Exit status 1 when a variant did not compile.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/compiled
limit=0
while getopts o:n: option; do
  case $option in
    o) out=$OPTARG ;;
    n) limit=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
studies=("$@")
[ ${#studies[@]} -gt 0 ] || studies=(transpose reduction matmul)
IFS=, read -ra archs <<<"${ARCHS:-sm_75,sm_80,sm_90,sm_100,sm_120}"
tuner=${TUNER:-build/release/bin/tuner}

mkdir -p "$out"
failed=0
for study in "${studies[@]}"; do
  for arch in "${archs[@]}"; do
    table=$out/$study-$arch.csv
    begin=$(date +%s)
    "$tuner" check "search_spaces/$study.yaml" --compile --arch "$arch" --limit "$limit" \
      >"$table.part" 2>"$table.log" || {
      tail -n 5 "$table.log" >&2
      failed=1
    }
    mv "$table.part" "$table"
    echo "$study $(tail -n 1 "$table.log") in $(($(date +%s) - begin)) s -> $table"
    # The summary tells of variants that failed; none may.
    grep -q ', 0 did not' "$table.log" || failed=1
  done
done
exit $failed
