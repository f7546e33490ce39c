#!/usr/bin/env bash
# A kernel of a PyTorch extension, from the program and back into it: run.sh TUNER
#
# Captures both sizes of extension/rms_norm.cu, replays them, drafts a study from them, tunes it, and
# puts what was found into the unchanged program. Needs a GPU, PyTorch and ninja; works in a folder
# that is deleted.
set -euo pipefail

tuner=$(realpath "${1:?usage: run.sh TUNER}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$(dirname "${BASH_SOURCE[0]}")"/{rms_norm.cu,program.py} "$folder"
cd "$folder"
python3 program.py # builds the extension
"$tuner" capture --kernel rms_norm --sizes 2 -- python3 program.py
for capture in captured/*; do "$tuner" replay "$capture"; done
"$tuner" init rms_norm.cu --captured captured
"$tuner" run rms_norm.yaml --progress none
"$tuner" apply rms_norm.yaml --pairs 2 -- python3 program.py
