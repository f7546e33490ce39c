#!/usr/bin/env bash
# What compiling costs on this machine, in less than a minute on 16 cores: compile_costs.sh TUNER [--ranking]
#
# How the rate of compilations grows with the processes and what becomes of user and system time
# (nvrtc_memory.py), and NVRTC's options (nvrtc_options.py; the kernels side by side, each on a core).
# With --ranking, and a GPU, also whether quickly compiled variants rank as others (fast_code_ranking.py).
set -euo pipefail
tuner=${1:?usage: compile_costs.sh TUNER [--ranking]}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lscpu | grep -E "^(Model name|CPU\(s\)|Thread\(s\) per core|L3 cache|Hypervisor vendor)"
"$here/nvrtc_memory.py" "$tuner" --variants 6 --ways "as it is,kept"
for kernel in mm matmul softmax convolution2d matmul_bf16; do
  "$here/nvrtc_options.py" "$tuner" --variants 4 --rounds 1 --kernels "$kernel" >"$work/$kernel" 2>&1 &
done
wait
cat "$work"/*
if [[ ${2:-} == --ranking ]]; then "$here/fast_code_ranking.py" "$tuner"; fi
