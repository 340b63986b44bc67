#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which GPUs kernels are compiled for: those of the machine, else all that nvcc knows of ours.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
cat >"$sandbox/ask.cmake" <<'END'
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/codecs/cuda/architectures.cmake)
found_architectures(found)
message("${found}")
END
# program NAME COMMAND...: a stand-in.
program() {
  printf '#!/bin/sh\n%s\n' "${*:2}" >"$sandbox/$1"
  chmod +x "$sandbox/$1"
}
# expect LIST: what is chosen.
expect() {
  local found
  found=$(PATH=$sandbox:$PATH cmake -DSOURCE="$PWD" -DCMAKE_CUDA_COMPILER="$sandbox/nvcc" \
    -P "$sandbox/ask.cmake" 2>&1)
  [ "$found" = "$1" ] || { echo "found $found, not $1" >&2; exit 1; }
}

program nvcc 'printf "sm_%s\\n" 75 80 86 89 90 100'
program nvidia-smi 'echo 9.0; echo 9.0; echo 8.6'
expect "90;86"
program nvidia-smi 'exit 9'
expect "80;89;90;100"
# A GPU that nvcc is too old for.
program nvidia-smi 'echo 12.0'
expect "80;89;90;100"
