#!/usr/bin/env bash
# clang-tidy over tuner/, with the commands of a build: scripts/lint.sh [BUILD] (build/release). A file
# is looked at again only when it, a header that it includes, or the configuration changed:
# BUILD/tidy holds the sums of what was clean.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build=${1:-build/release}
tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
[ -n "$tidy" ] || die "clang-tidy is not installed"
[ -f $build/compile_commands.json ] || die "build first: scripts/build.sh"
stamps=$build/tidy
mkdir -p "$stamps"

# "SOURCE DEPENDENCY..." for every source of tuner/ that was compiled, files of this tree only.
dependencies() {
  ninja -C $build -t deps | awk -v root="$root/" '
    /^[^ ]/ { if (line) print line; line = "" }
    /^ /    {
      path = $1
      sub("^\\.\\./\\.\\./", "", path)
      if (index(path, root) == 1) path = substr(path, length(root) + 1)
      if (path !~ /^\//) line = line (line ? " " : "") path
    }
    END     { if (line) print line }' | grep -E '^tuner/[^ ]*\.cpp' | sort -u
}

common=$({ "$tidy" --version; cat .clang-tidy cmake/TunerSettings.cmake; } | sha256sum)

# Prints the sources whose sum is new, each with that sum.
stale() {
  local source sum
  while read -r source rest; do
    [ -f "$source" ] || continue  # generated: not ours to mend
    # shellcheck disable=SC2086
    sum=$({ echo "$common"; cat "$source" $rest; } | sha256sum | cut -d' ' -f1)
    [ -f "$stamps/$sum" ] || echo "$sum $source"
  done
}

check() {
  local sum=$1 source=$2
  if "$tidy" -p $build --quiet "$source" 2>/dev/null; then
    touch "$stamps/$sum"
  else
    echo "clang-tidy: $source is not clean"
    return 1
  fi
}
export -f check
export tidy build stamps

mapfile -t work < <(dependencies | stale)
echo "$(dependencies | wc -l) files, ${#work[@]} of them changed since they were clean"
[ ${#work[@]} -eq 0 ] ||
  printf '%s\n' "${work[@]}" | xargs -P "$cores" -L 1 bash -c 'check "$0" "$1"'
