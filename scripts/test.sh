#!/usr/bin/env bash
# The test suite, with the program as it is released: units, architecture, the command line from end to
# end, the pages of docs, golden outputs, exports of all shipped studies, which compilers must take
# without a warning, the format of the sources where clang-format-14 is there, and clang-tidy over what
# the last commits changed. Exit status 0 only when all of it is clean. The test runner's own summary is
# printed last. What takes long (sanitizers, fuzzers, kills at every point, all of clang-tidy) is in
# scripts/check.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

say "Building"
scripts/build.sh release
run_tests release --label-exclude 'gpu|long'

say "Exports"
scripts/check_exports.sh build/release || failed+=("exports")

say "Format"
if command -v clang-format-14 >/dev/null; then
  scripts/format.sh --check || failed+=("format")
else
  echo "left out: clang-format-14 is not installed"
fi

say "clang-tidy, what changed"
scripts/lint.sh build/release --changed || failed+=("clang-tidy")

sum_up release
