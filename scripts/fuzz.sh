#!/usr/bin/env bash
# Fuzzes what reads foreign bytes: scripts/fuzz.sh [SECONDS] [TARGET...]
#
# SECONDS for each target (default 60); targets: study t1 expression space protocol recording
# (default all), one on each core, built as part of the preset `dev`. Starts from tests/fuzz/corpus;
# what libFuzzer learns on the way stays in build/fuzz/corpus, inputs that it complains about in
# build/fuzz/findings. Exit status 0 when there are none.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(study t1 expression space protocol recording)

scripts/build.sh dev "${targets[@]/#/fuzz_}"

mkdir -p build/fuzz/findings

# fuzz TARGET SECONDS: prints a line when done, with the log where it failed.
fuzz() {
  local target=$1 seconds=$2 status=clean executions
  local learned=build/fuzz/corpus/$target log=build/fuzz/$target.log
  mkdir -p "$learned"
  # The time limit of an input is for endless loops, and generous because machines are shared.
  build/dev/bin/fuzz_"$target" "$learned" "tests/fuzz/corpus/$target" \
    -max_total_time="$seconds" -max_len=8192 -timeout=30 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$target-" >"$log" 2>&1 || {
    status=FAILED
    tail -n 40 "$log"
  }
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-12s %12s executions  %s\n' "$target" "${executions:-?}" $status
  [ $status = clean ]
}
export -f fuzz

say "Fuzzing, $seconds s each"
printf '%s\n' "${targets[@]}" | xargs -P "$cores" -I '{}' bash -c "fuzz '{}' $seconds"
