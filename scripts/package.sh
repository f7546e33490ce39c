#!/usr/bin/env bash
# Builds the packages: scripts/package.sh [FOLDER] (build/packages)
#
# FOLDER gets tuner_VERSION_ARCH.deb, for this distribution (`apt install ./tuner_*.deb`), and
# tuner-VERSION-Linux.tar.gz, which needs nothing but libc: unpack it anywhere; and a Python wheel that holds
# the same program (`pip install tuner-VERSION-*.whl`).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$(realpath -m "${1:-build/packages}")
install_packages dpkg-dev python3

scripts/build.sh release program
scripts/build.sh portable program

say "Packages"
mkdir -p "$folder"
cpack --config build/release/CPackConfig.cmake -G DEB -B "$folder" >/dev/null
cpack --config build/portable/CPackConfig.cmake -G TGZ -B "$folder" >/dev/null
rm -rf "$folder/_CPack_Packages"
cmake --install build/portable --prefix "$folder/program" >/dev/null
scripts/wheel.py --program "$folder/program" --library build/release/lib/libtuner.so --to "$folder"
rm -rf "$folder/program"
ls -l "$folder"
