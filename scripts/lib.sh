# Shared by the scripts: set-up of a Debian or Ubuntu machine. Source it, do not run it.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

build_packages=(cmake ninja-build g++ ccache libyaml-cpp-dev libboost-dev
  libboost-program-options-dev libboost-context-dev nlohmann-json3-dev libfmt-dev libsqlite3-dev
  zlib1g-dev libeigen3-dev)
test_packages=(libgtest-dev libopenmpi-dev openmpi-bin sqlite3 clang clang-format-14 clang-tidy-14 libclang-rt-14-dev python3
  python3-jsonschema python3-numpy python3-yaml pocl-opencl-icd opencl-headers)

say() { printf '\n==> %s\n' "$*"; }
die() {
  printf '%s\n' "$*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      echo "$package"
  done
}

# Installs what is not there yet; touches nothing, and needs no network, when all of it is.
install_packages() {
  command -v dpkg-query >/dev/null || {
    echo "not a Debian or Ubuntu machine: these packages must be there: $*"
    return
  }
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then
    echo "all $# packages are there"
    return
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing, and only root can install them: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
}

# Tells the build where the toolkit is. Its headers are enough.
find_cuda() {
  local folder nvcc
  nvcc=$(command -v nvcc || true)
  for folder in "${CUDA_HOME:-}" /usr/local/cuda "${nvcc:+$(dirname "$(dirname "$nvcc")")}"; do
    if [ -n "$folder" ] && [ -f "$folder/include/nvrtc.h" ] && [ -f "$folder/include/cuda.h" ]; then
      export CUDA_HOME=$folder
      echo "CUDA toolkit: $folder"
      return
    fi
  done
  echo "no CUDA toolkit (set CUDA_HOME if it is in an unusual place): the cuda plugin is left out"
}

# Object files are found again in another checkout. Those that use precompiled headers (preset dev) are
# found again in the same folder only, since CMake names these headers by their whole path; ccache keeps
# them when told not to ask whether a header uses the time of day or depends on definitions: none does.
use_ccache() {
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
}

set_up() {
  say "Packages"
  install_packages "$@"
  find_cuda
  use_ccache
}

cores=$(nproc)

# What scripts that test have found wrong.
failed=()

# run_tests PRESET [ctest options]: output goes to the terminal and to the preset's log.
run_tests() {
  local preset=$1
  shift
  say "Tests, $preset"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$cores" "$@" |
    tee "build/$preset/ctest.log" || failed+=("tests of $preset")
}

# sum_up PRESET: what failed, and last the test runner's own summary. Status 1 when anything did.
sum_up() {
  say "Summary"
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
  else
    echo "all clean"
  fi
  [ ! -f "build/$1/ctest.log" ] || sed -n '/% tests passed/,$p' "build/$1/ctest.log"
  [ ${#failed[@]} -eq 0 ]
}
