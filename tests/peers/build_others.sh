#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the quantisation kernels of SDP4Bit and DeepSpeed and those of fast-hadamard-transform,
# unchanged, into shared libraries that tests/peers/peers.py and tests/gpu/rates.py call through
# others/*.cu. Their sources stay in SCRATCH, which must lie outside this repository; nothing of them is
# committed.
# Usage: build_others.sh SCRATCH
# environment: SDP4BIT, DEEPSPEED, FAST_HADAMARD (Git URL or folder), CUDA_ARCH
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -eq 1 ] || { echo "usage: $0 SCRATCH" >&2; exit 2; }
scratch=$(realpath -m "$1")
case $scratch/ in
  "$root"/*) echo "$0: $scratch is inside the repository" >&2; exit 2 ;;
esac
mkdir -p "$scratch"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

clone() {  # URL FOLDER PATHS...: those paths of the newest commit
  local url=$1 folder=$scratch/$2
  shift 2
  [ -d "$folder" ] && return
  git clone --quiet --depth 1 --filter=blob:none --no-checkout "$url" "$folder"
  git -C "$folder" checkout --quiet HEAD -- "$@"
}

# SDP4Bit's header names at::Tensor in declarations that the kernels do not need; fast-hadamard-transform
# wants PyTorch's names of the types and its checks of errors.
stub_torch() {
  mkdir -p "$scratch/stub/ATen/cuda" "$scratch/stub/c10/util" "$scratch/stub/c10/cuda"
  printf '#pragma once\n#include <algorithm>\n#include <cstdint>\n#include <cuda_bf16.h>\nnamespace at {\nusing BFloat16 = __nv_bfloat16;\n}\n' \
    >"$scratch/stub/c10/util/BFloat16.h"
  printf '#pragma once\n#include <cuda_fp16.h>\nnamespace at {\nusing Half = __half;\n}\n' \
    >"$scratch/stub/c10/util/Half.h"
  printf '#pragma once\n#define C10_CUDA_CHECK(call) (void)(call)\n#define C10_CUDA_KERNEL_LAUNCH_CHECK()\n' \
    >"$scratch/stub/c10/cuda/CUDAException.h"
  printf '#pragma once\nnamespace at {\nclass Tensor;\n}\n' >"$scratch/stub/ATen/ATen.h"
  printf '#pragma once\n' >"$scratch/stub/ATen/cuda/CUDAContext.h"
}

library() {  # NAME SOURCES_FOLDER INCLUDE_FOLDER FILES...
  local name=$1 sources=$2 includes=$3 files=()
  shift 3
  for file in "$@"; do files+=("$sources/$file.cu"); done
  "$nvcc" -std=c++17 -O3 -arch="${CUDA_ARCH:-sm_90}" -Xcompiler -fPIC -shared -DBF16_AVAILABLE \
    --expt-relaxed-constexpr -diag-suppress 177,20012,20013,20014 --threads 0 \
    --compress-mode=size -cudart static -I"$scratch/stub" -I"$includes" \
    -o "$scratch/lib$name.so" "$here/others/$name.cu" "${files[@]}"
  echo "$scratch/lib$name.so"
}

stub_torch
failed=0
jet=$scratch/SDP4Bit/tools/jet_quant_cuda
{ clone "${SDP4BIT:-https://github.com/hpdps-group/SDP4Bit}" SDP4Bit tools/jet_quant_cuda &&
  library sdp4bit "$jet/quantization" "$jet/includes" stochastic_quantize stochastic_quantize_ht \
    swizzled_quantize swizzled_quantize_ht quant_reduce quant_reduce_ht dequant_reduce_quant \
    dequantize; } || { echo "SDP4Bit's kernels do not build" >&2; failed=1; }
csrc=$scratch/DeepSpeed/csrc
{ clone "${DEEPSPEED:-https://github.com/deepspeedai/DeepSpeed}" DeepSpeed csrc/quantization \
    csrc/includes &&
  library deepspeed "$csrc/quantization" "$csrc/includes" quantize dequantize quant_reduce; } ||
  { echo "DeepSpeed's kernels do not build" >&2; failed=1; }
csrc=$scratch/fast-hadamard-transform/csrc
{ clone "${FAST_HADAMARD:-https://github.com/Dao-AILab/fast-hadamard-transform}" \
    fast-hadamard-transform csrc &&
  library fast_hadamard "$csrc" "$csrc" fast_hadamard_transform_cuda; } ||
  { echo "fast-hadamard-transform's kernels do not build" >&2; failed=1; }
exit $failed
