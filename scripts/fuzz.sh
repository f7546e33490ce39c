#!/usr/bin/env bash
# Fuzzes what reads foreign bytes: scripts/fuzz.sh [SECONDS] [TARGET...]
#
# SECONDS for each target (default 60); targets: study t1 expression space protocol recording (default
# all). Needs clang with its run-time libraries (Debian: clang, libclang-rt-14-dev). Starts from
# tests/fuzz/corpus; what libFuzzer learns on the way stays in build/fuzz/corpus, inputs that it
# complains about in build/fuzz/findings. Exit status 0 when there are none.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(study t1 expression space protocol recording)

set_up "${build_packages[@]}" clang libclang-rt-14-dev
say "Building"
cmake --preset fuzz -DTUNER_TESTS=ON >/dev/null
cmake --build build/fuzz --parallel "$cores" --target "${targets[@]/#/fuzz_}"

findings=build/fuzz/findings
mkdir -p $findings
rows=()
failed=0
for target in "${targets[@]}"; do
  say "$target, $seconds s"
  learned=build/fuzz/corpus/$target
  log=build/fuzz/$target.log
  mkdir -p "$learned"
  status=clean
  build/fuzz/bin/fuzz_"$target" "$learned" "tests/fuzz/corpus/$target" \
    -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$findings/$target-" >"$log" 2>&1 || {
    status=FAILED
    failed=1
    tail -n 40 "$log"
  }
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rows+=("$(printf '%-12s %12s executions  %s' "$target" "${executions:-?}" $status)")
done

say "Summary"
printf '%s\n' "${rows[@]}"
[ $failed -eq 0 ]
