#!/usr/bin/env bash
# Checks a built tuner on a machine with a GPU: scripts/gpu_check.sh PREFIX
#
# PREFIX is an installed tree (cmake --install build/portable --prefix PREFIX) or a build tree
# (build/release). Nothing is installed or downloaded, and nothing built but the example plugins, in a
# folder that is deleted. Runs the GPU tests in PREFIX/bin/tests, the fault matrix
# (scripts/fault_matrix.sh), kernels that cheat (scripts/cheats.sh), plugins where PREFIX is installed, a
# short tuning of every study, and a sample of variants under compute-sanitizer where there is one; logs
# and results go to $OUT, or results/gpu_check.
# STUDIES="matmul softmax" takes these studies only, SANITIZER_JOBS=8 runs more sanitizers at once (4)
# and SANITIZER_BUDGET=40 gives each more variants (12); one that takes longer than SANITIZER_SECONDS
# (900) is ended and fails. TUNE_JOBS=2 tunes two studies at once on a device. On a machine of several
# GPUs studies and sanitizers use all but the first one, meanwhile. Exit status 0 when every row passed.
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
    grep -A 8 ': Failure' "$out/$name.log" | head -n 40
    tail -n 20 "$out/$name.log"
  }
  rows+=("$(printf '%-34s %-12s %4d s' "$name" "$status" $(($(date +%s) - begin)))")
}

# beside JOBS NAME COMMAND...: such a row while others run, at most JOBS of them; it is kept in a file.
# A machine of several devices keeps the first one for the rows that measure.
: "${CUDA_VISIBLE_DEVICES:=$(seq -s, 0 $(($(nvidia-smi -L 2>/dev/null | wc -l) - 1)))}"
IFS=, read -ra others <<<"$CUDA_VISIBLE_DEVICES"
[ ${#others[@]} -gt 0 ] || others=(0)
devices=${#others[@]}
[ "$devices" -lt 2 ] || others=("${others[@]:1}")
started=0
beside() {
  local jobs=$1 device=${others[$((started++ % ${#others[@]}))]:-}
  shift
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  (
    rows=()
    [ "$devices" -lt 2 ] || export CUDA_VISIBLE_DEVICES=$device
    check "$@"
    printf '%s\n' "${rows[@]}" >"$out/$1.row"
  ) &
}

# take NAME...: the rows of these.
take() {
  local name row
  for name in "$@"; do
    row=$(cat "$out/$name.row" 2>/dev/null) || row="$name FAILED: it did not end"
    [[ $row == *passed* ]] || failures=$((failures + 1))
    rows+=("$row")
  done
}

skip() { rows+=("$(printf '%-34s %s' "$1" "left out: $2")"); }

# Small and awkward: no tile divides it, and the sanitizer makes every access slow.
small_sizes_of() {
  case $1 in
    # Elements one by one, vectors, and enough tiles to share out their steps.
    matmul) echo M=150,N=134,K=70 M=150,N=260,K=200 M=900,N=644,K=72 ;;
    # Rows that are no whole 16 bytes; more tiles than blocks run at once; few tiles, for whom K is split.
    matmul_emulated) echo M=300,N=137,K=520 M=2300,N=1544,K=520 ;;
    # Rows of whole 16 bytes; more tiles than blocks run at once, which then take several; few tiles
    # and a long K, which is split.
    matmul_* | linear_*) echo M=300,N=136,K=72 M=2300,N=1544,K=72 M=150,N=136,K=2056 ;;
    transpose*) echo M=203,N=137 M=204,N=140 ;;  # rows that vectors do not fit, and do
    reduction*) echo N=100003 ;;
    softmax) echo M=37,N=1001 ;;
    scan*) echo N=100003 N=5 ;;                   # some tiles, and less than one
    norm* | layer_norm) echo M=37,N=1000 ;;
    # Fewer rows than there are sums for, tiles that end outside, and a K that blocks share unevenly.
    thin*) echo M=3,N=203,K=528 M=40,N=2100,K=1104 ;;
    # Groups of no rows and of more than a tile, for tiles of few and of many rows; a few large groups.
    grouped*) echo G=9,ROWS=203,N=136,K=136,SKEW=3 G=3,ROWS=1000,N=328,K=264,SKEW=2 ;;
    # One copy of all bins, and bins that blocks share; a length that vectors do not fit.
    histogram_u8*) echo N=100003,BINS=256 ;;
    histogram*) echo N=100003,BINS=1000 N=100004,BINS=16000 ;;
    convolution2d) echo H=67,W=131 H=34,W=132 ;;  # rows that vectors do not fit, and do
  esac
}

# A short random sample, of which no variant may fail for another reason than a device limit.
tune() {
  local study=$1 folder=$2
  shift 2
  "$tuner" run "$study" --backend cuda --strategy random --seed 7 --progress plain --jobs 8 \
    --results "$folder" "$@" || return
  awk -F, 'FNR > 1 && $2 !~ /^(ok|dropped|constraints)$/ { print FILENAME ": " $0; bad = 1 }
           END { exit bad }' "$folder/$(basename "$study" .yaml)"/*/*.csv
}

# A copy of the study with few samples and hot caches: what empties them writes more than all
# variants together, and the sanitizer looks at each of its accesses too.
quick_copy() {
  local quick="cache: hot, min_samples: 3, max_samples: 3, drop_above: 0, finalists: 0"
  mkdir -p "$out/quick"
  printf 'schema: 1\nextends: %s\nmeasure: {%s}\n' "$(realpath "$1")" "$quick" >"$out/quick/$(basename "$1")"
}

# What a worker process does wrong is in the report, not in the program's exit status. The backend
# asks for a kernel's parameters until the driver says there are no more: that is no error. Each compile
# worker runs under the sanitizer, too, so there are few of them.
sanitize() {
  local tool=$1 name=$2 sizes=()
  for size in $(small_sizes_of "$name"); do sizes+=(--size "$size"); done
  timeout "${SANITIZER_SECONDS:-900}" \
    "$sanitizer" --tool "$tool" --target-processes all --report-api-errors no --error-exitcode 9 \
    "$tuner" run "$out/quick/$name.yaml" --backend cuda --fresh --strategy random --seed 11 \
    --timeout 300 --budget "${SANITIZER_BUDGET:-12}" --jobs 2 --progress plain "${sizes[@]}" \
    --results "$out/$tool/$name" 2>&1 | tee "$out/$tool-$name.report" || return
  ! grep -E 'SUMMARY: [1-9]' "$out/$tool-$name.report"
}

studies=()
names=()
for study in "$prefix"/share/tuner/search_spaces/*.yaml; do
  name=$(basename "$study" .yaml)
  [[ " ${STUDIES:-$name} " == *" $name "* ]] && studies+=("$study") && names+=("$name")
done

tune_studies() {
  local study name
  for study in "${studies[@]}"; do
    name=$(basename "$study" .yaml)
    beside "${TUNE_JOBS:-${#others[@]}}" "tune-$name" tune "$study" "$out/tune/$name" --budget 16,60s
  done
  wait
}

# The sanitizer keeps a core busy rather than the device: several at once.
sanitizer=$(command -v compute-sanitizer ||
  ls "${CUDA_HOME:-/usr/local/cuda}"/bin/compute-sanitizer 2>/dev/null || true)
sanitize_studies() {
  local study name tool
  [ -n "$sanitizer" ] || return 0
  for study in "${studies[@]}"; do
    quick_copy "$study"
    name=$(basename "$study" .yaml)
    for tool in memcheck racecheck; do
      beside "${SANITIZER_JOBS:-4}" "$tool-$name" sanitize "$tool" "$name"
    done
  done
  wait
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

# Not before: how late a fault is noticed depends on the processor.
if [ "$devices" -gt 1 ]; then
  tune_studies &
  sanitize_studies &
fi

check cheats "$(dirname "${BASH_SOURCE[0]}")/cheats.sh" "$tuner" cuda
cat "$out/cheats.log"
check headers-and-constants python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/headers_and_constants.py" "$tuner"
cat "$out/headers-and-constants.log"
check blocking-launches python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/blocking_launches.py" "$tuner"
check captured-launches python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/captured.py" "$tuner"
check drafts python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/drafts.py" "$tuner"
check two-devices python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/two_devices.py" "$tuner"
check applied-kernels python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/applied.py" "$tuner"
cat "$out/applied-kernels.log"
check host-kernels python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/host_kernels.py" "$tuner"
cat "$out/host-kernels.log"

# Built against an installation, which a build tree is not.
if [ -d "$prefix/lib/cmake/tuner" ] && command -v cmake >/dev/null; then
  check plugins python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/sdk/plugins_test.py" --prefix "$prefix" \
    --examples "$(dirname "${BASH_SOURCE[0]}")/../examples/plugins" --backend cuda \
    Installed.test_the_problem_and_the_observer_are_used_in_a_run \
    Installed.test_a_wrong_kernel_is_refused_in_the_problems_words
else
  skip plugins "no installation with an SDK, or no cmake"
fi

check graph-ranking python3 "$(dirname "${BASH_SOURCE[0]}")/../tests/gpu/graph_ranking.py" "$tuner"
cat "$out/graph-ranking.log"


if [ "$devices" -gt 1 ]; then
  wait
else
  tune_studies
  sanitize_studies
fi
take "${names[@]/#/tune-}"
if [ -n "$sanitizer" ]; then
  take "${names[@]/#/memcheck-}" "${names[@]/#/racecheck-}"
else
  skip "sanitizer" "no compute-sanitizer"
fi

echo
printf '%s\n' "${rows[@]}" | tee "$out/summary.txt"
echo
echo "$failures failed"
[ $failures -eq 0 ]
