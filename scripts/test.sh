#!/usr/bin/env bash
# The whole test suite: builds and tests `release`, tests units and the command line again under
# the address and undefined-behaviour sanitizers (`dev`), and runs clang-tidy over tuner/. Exit
# status 0 only when all of it is clean. The test runner's own summary is printed last.
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

scripts/build.sh release
run_tests release --label-exclude gpu

scripts/build.sh dev
run_tests dev --label-regex 'unit|cli|architecture'

say "clang-tidy"
scripts/lint.sh || failed+=("clang-tidy")

say "Summary"
echo "dev (sanitizers):"
summary_of dev
echo
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
else
  echo "clang-tidy: clean"
fi
echo "release:"
summary_of release
[ ${#failed[@]} -eq 0 ]
