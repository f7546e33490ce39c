#!/usr/bin/env bash
# Checks a built tuner on a machine with a GPU: scripts/gpu_check.sh PREFIX
#
# PREFIX is an installed tree (cmake --install build/portable --prefix PREFIX) or a build tree
# (build/release). Nothing is built, installed or downloaded. Runs the GPU tests in PREFIX/bin/tests,
# the fault matrix (scripts/fault_matrix.sh), a short tuning of every study, and a sample of variants
# under compute-sanitizer where there is one; logs and results go to $OUT, or results/gpu_check.
# STUDIES="matmul softmax" takes these studies only. Exit status 0 when every row passed.
set -uo pipefail

prefix=$(cd "${1:?usage: scripts/gpu_check.sh PREFIX}" && pwd) || exit 2
tuner=$prefix/bin/tuner
out=${OUT:-results/gpu_check}
mkdir -p "$out"
[ -x "$tuner" ] || {
  echo "there is no program $tuner" >&2
  exit 2
}

rows=()
failures=0

# check NAME COMMAND...: one row of the table; the output goes to a log of that name.
check() {
  local name=$1 begin status=passed
  shift
  begin=$(date +%s)
  echo "==> $name"
  "$@" >"$out/$name.log" 2>&1 || {
    status="FAILED ($?)"
    failures=$((failures + 1))
    tail -n 20 "$out/$name.log"
  }
  rows+=("$(printf '%-34s %-12s %4d s' "$name" "$status" $(($(date +%s) - begin)))")
}

skip() { rows+=("$(printf '%-34s %s' "$1" "left out: $2")"); }

# Small and awkward: no tile divides it, and the sanitizer makes every access slow.
small_size_of() {
  case $1 in
    matmul) echo M=150,N=134,K=70 ;;
    matmul_*) echo M=300,N=136,K=72 ;;  # rows of whole 16 bytes
    transpose*) echo M=203,N=137 ;;
    reduction*) echo N=100003 ;;
    softmax) echo M=37,N=1001 ;;
    convolution2d) echo H=67,W=131 ;;
  esac
}

# A short random sample, of which no variant may fail for another reason than a device limit.
tune() {
  local study=$1 folder=$2
  shift 2
  "$tuner" run "$study" --backend cuda --strategy random --seed 7 --progress plain \
    --results "$folder" "$@" || return
  awk -F, 'FNR > 1 && $2 !~ /^(ok|dropped|constraints)$/ { print FILENAME ": " $0; bad = 1 }
           END { exit bad }' "$folder/$(basename "$study" .yaml)"/*/*.csv
}

under_sanitizer() {
  local tool=$1
  shift
  # The backend asks for a kernel's parameters until the driver says there are no more: that is no
  # error of the variant.
  "$sanitizer" --tool "$tool" --target-processes all --report-api-errors no --error-exitcode 9 \
    "$@" || return
}

check backends bash -c "'$tuner' list backends | tee /dev/stderr | grep -Eq '^cuda +works'"

found=0
for program in "$prefix"/bin/tests/*; do
  [ -x "$program" ] || continue
  found=1
  check "$(basename "$program")" "$program"
done
[ $found -eq 1 ] || skip "GPU test programs" "none in $prefix/bin/tests"

check fault-matrix "$(dirname "${BASH_SOURCE[0]}")/fault_matrix.sh" "$tuner" cuda
cat "$out/fault-matrix.log"

sanitizer=$(command -v compute-sanitizer ||
  ls "${CUDA_HOME:-/usr/local/cuda}"/bin/compute-sanitizer 2>/dev/null || true)
for study in "$prefix"/share/tuner/search_spaces/*.yaml; do
  name=$(basename "$study" .yaml)
  [[ " ${STUDIES:-$name} " == *" $name "* ]] || continue
  check "tune-$name" tune "$study" "$out/tune" --budget 40,60s
  size=$(small_size_of "$name")
  if [ -z "$sanitizer" ]; then
    skip "sanitizer-$name" "no compute-sanitizer"
    continue
  fi
  for tool in memcheck racecheck; do
    check "$tool-$name" under_sanitizer "$tool" "$tuner" run "$study" --backend cuda --fresh \
      --strategy random --seed 11 --budget 12 --timeout 300 --progress plain \
      ${size:+--size "$size"} --results "$out/$tool"
  done
done

echo
printf '%s\n' "${rows[@]}" | tee "$out/summary.txt"
echo
echo "$failures failed"
[ $failures -eq 0 ]
