#!/usr/bin/env bash
# Formats the C++ of tuner/, tests/ and benchmarks/ as .clang-format says:
#   scripts/format.sh [--check] [FILE...]
#
# --check changes nothing, prints the files that are not formatted, and exits with 1 if there are any.
# Versions of clang-format disagree: it is number 14. Left alone are kernel_sources, since a change of a
# kernel's bytes makes what was measured with it stale, and the data of tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

check=false
if [ "${1:-}" = --check ]; then
  check=true
  shift
fi
command -v clang-format-14 >/dev/null || die "clang-format-14 is not installed"

files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
    {tuner,tests,benchmarks,examples}/{'*.h','*.cpp','*.c','*.cu','*.cuh'} ':!tests/data' ':!tests/fuzz/corpus')
fi

# bad FILE...: prints those that are not formatted.
bad() {
  local file
  for file in "$@"; do
    [ -f "$file" ] || continue # deleted, and not committed yet
    clang-format-14 "$file" | cmp -s - "$file" || echo "$file"
  done
}
export -f bad

mapfile -t found < <(printf '%s\n' "${files[@]}" | xargs -r -P "$cores" -n 40 bash -c 'bad "$@"' bad)
if [ ${#found[@]} -eq 0 ]; then
  echo "${#files[@]} files, all formatted"
elif $check; then
  printf 'not formatted: %s\n' "${found[@]}"
  echo "${#found[@]} of ${#files[@]} files; scripts/format.sh formats them"
  exit 1
else
  clang-format-14 -i "${found[@]}"
  printf 'formatted: %s\n' "${found[@]}"
fi
