#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which GPUs kernels are compiled for: those of the machine, else all that nvcc knows of ours; and with
# which options.
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

# expect_options VERSION LIST REST OPTIONS: of nvcc of this version.
cat >"$sandbox/families.cmake" <<'END'
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/codecs/cuda/architectures.cmake)
family_options("${LIST}" rest options)
message("${rest}|${options}")
END
expect_options() {
  local found
  found=$(cmake -DSOURCE="$PWD" -DCMAKE_CUDA_COMPILER_VERSION="$1" -DLIST="$2" -P "$sandbox/families.cmake" 2>&1)
  [ "$found" = "$3|$4" ] || { echo "found $found, not $3|$4" >&2; exit 1; }
}
expect_options 13.0 "90;100;120" 90 "-gencode=arch=compute_100f,code=sm_100f;\
-gencode=arch=compute_120f,code=sm_120f;-gencode=arch=compute_120,code=compute_120"
expect_options 13.0 100 OFF \
  "-gencode=arch=compute_100f,code=sm_100f;-gencode=arch=compute_100,code=compute_100"
expect_options 12.8 "90;100" "90;100" ""
expect_options 13.0 80-virtual 80-virtual ""
