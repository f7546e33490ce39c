#!/usr/bin/env bash
# What scripts/test.sh leaves out because it takes long: scripts/check.sh [PART...] (default: all parts)
#
#   smoke      units and the command line's most dangerous suites under clang's address and
#              undefined-behaviour sanitizers
#   sanitized  all tests under the sanitizers, kills at every point among them
#   plain      everything compiled without joined sources and precompiled headers, and each header alone,
#              for forgotten includes
#   fuzz       fuzzers, FUZZ_SECONDS each (default 60)
#   tidy       clang-tidy over all of tuner/
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

smoke() {
  say "Building with sanitizers"
  scripts/build.sh dev
  run_tests dev --label-regex 'unit|smoke'
}

sanitized() {
  say "Building with sanitizers"
  scripts/build.sh dev
  run_tests dev --label-exclude gpu
}

plain() {
  say "Building without joined sources"
  scripts/build.sh plain || failed+=("plain build")
  run_tests plain --tests-regex architecture
}

fuzz() {
  say "Fuzzers"
  scripts/fuzz.sh "${FUZZ_SECONDS:-60}" || failed+=("fuzzers")
}

tidy() {
  say "clang-tidy"
  scripts/build.sh dev
  scripts/lint.sh build/dev || failed+=("clang-tidy")
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(plain tidy fuzz sanitized)
for part in "${parts[@]}"; do
  case $part in
    smoke | sanitized | plain | fuzz | tidy) $part ;;
    *) die "there is no part '$part' (parts: smoke sanitized plain fuzz tidy)" ;;
  esac
done
sum_up dev
