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
#   opencl     every variant of the OpenCL studies on the first OpenCL device, small and right
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

opencl() {
  say "Every variant of the OpenCL studies"
  scripts/build.sh release program
  local folder pair
  folder=$(mktemp -d)
  for pair in transpose:M=67,N=45 matmul:M=37,N=45,K=19; do
    build/release/bin/tuner run "search_spaces/opencl/${pair%%:*}.yaml" --strategy exhaustive --budget 100000 \
      --size "${pair#*:}" --results "$folder" --progress plain || failed+=("${pair%%:*} in OpenCL")
  done
  # What is right, or asks for more than the device has, is neither of these.
  if cat "$folder"/*_opencl/*/*.csv | grep -E '^,(compile|correctness|runtime|timeout),'; then
    failed+=("variants of the OpenCL studies")
  fi
  rm -rf "$folder"
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(plain tidy fuzz sanitized opencl)
for part in "${parts[@]}"; do
  case $part in
    smoke | sanitized | plain | fuzz | tidy | opencl) $part ;;
    *) die "there is no part '$part' (parts: smoke sanitized plain fuzz tidy opencl)" ;;
  esac
done
sum_up dev
