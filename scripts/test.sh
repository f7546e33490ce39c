#!/usr/bin/env bash
# The whole test suite, under the address and undefined-behaviour sanitizers (preset `dev`: units,
# architecture, and the command line from end to end), the golden outputs as the released program
# writes them, its exports of all shipped studies, which compilers must take without a warning, the
# fuzzers for FUZZ_SECONDS each (default 60), clang-tidy over tuner/, and the format of the sources where
# clang-format-14 is there. Exit status 0 only when all of it is clean. The test runner's own summary is
# printed last.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

failed=()

# run_tests PRESET [ctest options]: output goes to the terminal and to the preset's log.
run_tests() {
  local preset=$1
  shift
  say "Tests, $preset"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$cores" "$@" |
    tee "build/$preset/ctest.log" || failed+=("tests of $preset")
}

summary_of() { sed -n '/% tests passed/,$p' "build/$1/ctest.log"; }

say "Building with sanitizers"
scripts/build.sh dev
run_tests dev --label-exclude gpu

say "Golden outputs"
scripts/build.sh release program
python3 tests/golden/golden.py --tuner build/release/bin/tuner || failed+=("golden outputs")

say "Exports"
scripts/check_exports.sh build/release || failed+=("exports")

say "Fuzzers"
scripts/fuzz.sh "${FUZZ_SECONDS:-60}" || failed+=("fuzzers")

say "Format"
if command -v clang-format-14 >/dev/null; then
  scripts/format.sh --check || failed+=("format")
else
  echo "left out: clang-format-14 is not installed"
fi

say "clang-tidy"
scripts/lint.sh build/dev || failed+=("clang-tidy")

say "Summary"
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
else
  echo "fuzzers and clang-tidy: clean"
fi
summary_of dev
[ ${#failed[@]} -eq 0 ]
