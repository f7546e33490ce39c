#!/usr/bin/env bash
# clang-tidy over tuner/, with the commands of a build: scripts/lint.sh [BUILD [--changed]] (build/release).
# A file is looked at again only when it, a header that it includes, or the configuration changed:
# BUILD/tidy holds the sums of what was clean (lint_changed.py). Files are looked at in batches
# (lint_batches.py). With --changed only sources that differ from the upstream branch, or, where HEAD is on
# it, from 30 commits ago.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build=${1:-build/release}
tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
[ -n "$tidy" ] || die "clang-tidy is not installed"
[ -f $build/compile_commands.json ] || die "build first: scripts/build.sh"
stamps=$build/tidy
mkdir -p "$stamps"

common=$({ "$tidy" --version; cat .clang-tidy cmake/TunerSettings.cmake; } | sha256sum)

# one SOURCE
one() { "$tidy" -p "$stamps/batches" --config-file=.clang-tidy --quiet "$1" 2>/dev/null; }

is_clean() {
  local source
  for source in "$@"; do
    touch "$stamps/$(grep " $source\$" "$stamps/work" | cut -d' ' -f1)"
  done
}

# check BATCH SOURCE...: the batch, and if anything is said about it, its sources one by one.
check() {
  local batch=$1 source failed=0
  shift
  if [ $# -gt 1 ] && one "$batch" >"$batch.log"; then
    is_clean "$@"
    return
  fi
  for source in "$@"; do
    if one "$source"; then
      is_clean "$source"
    else
      echo "clang-tidy: $source is not clean"
      failed=1
    fi
  done
  [ $failed -eq 1 ] || [ $# -eq 1 ] || echo "$batch.log: cost time, its sources are clean one by one"
  return $failed
}
export -f one is_clean check
export tidy stamps

ninja -C "$build" -t deps | python3 scripts/lint_changed.py "$common" "$stamps" >"$stamps/work"
if [ "${2:-}" = --changed ]; then
  base=$(git merge-base HEAD '@{upstream}' 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-list --max-count=31 HEAD | tail -n 1)
  fi
  # A file that moved, that includes what moved, or whose remarks changed is as clean as it was.
  git diff -z --numstat --find-renames=40% --ignore-matching-lines='^(#include| *//)' "$base" -- tuner |
    python3 scripts/lint_changed.py --names | sed 's/\.h$/.cpp/' | sort -u >"$stamps/changed"
  awk 'NR == FNR { changed[$1]; next } $2 in changed' "$stamps/changed" "$stamps/work" >"$stamps/both"
  mv "$stamps/both" "$stamps/work"
  echo "$(wc -l <"$stamps/work") of them differ from $(git rev-parse --short "$base")"
fi
rm -rf "$stamps/batches"
cut -d' ' -f2 "$stamps/work" | python3 scripts/lint_batches.py "$build" "$stamps/batches" |
  xargs -r -P "$cores" -L 1 bash -c 'check "$@"' check
