#!/bin/sh
# Runs the GPU tests and measures the GPU, on a machine with an NVIDIA GPU and its driver.
#
#   tests/gpu.sh --build         only builds, into build/gpu; needs nvcc and the project's packages
#   tests/gpu.sh [FOLDER]        tests, then calibrates into FOLDER (default: traces/calibration)
#                                and compares with the peers of tests/peers, into FOLDER/peers;
#                                OTHERS: the folder of tests/peers/build_others.sh's libraries
#
# The programs in build/gpu are linked statically: a machine that has none of the project's packages,
# no network and no SimGrid runs them when build/gpu is copied there. They are built if missing.
set -eu
cd "$(dirname "$0")/.."
programs=build/gpu

build() {
  cmake -S . -B build/gpu-objects -G Ninja -DCMAKE_BUILD_TYPE=Release -DGARDENHOSE_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" \
    -DCMAKE_CUDA_ARCHITECTURES="80;90;100"
  cmake --build build/gpu-objects --target gpu_tests gardenhose-calibrate -j "${JOBS:-2}"
  mkdir -p "$programs"
  cp build/gpu-objects/tests/gpu/gpu_tests build/gpu-objects/gardenhose-calibrate "$programs/"
  "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -std=c++20 -O3 -arch=sm_90 \
    -o "$programs/cub_top_k" tests/peers/cub_top_k.cu
  git describe --always --dirty --abbrev=12 > "$programs/commit"
}

# Where the system's loader does not find cuBLAS, Python's packages may have it.
cublas() {
  ldconfig -p 2>/dev/null | grep -q libcublas.so && return
  python3 -c 'import glob, os, sys
for folder in sys.path + ["/usr/local"]:
    for pattern in ("nvidia/*/lib/libcublas.so.*", "cuda*/lib64/libcublas.so.*"):
        for path in glob.glob(os.path.join(folder, pattern)):
            print(path)' 2>/dev/null | head -n 1
}

if [ "${1:-}" = --build ]; then
  build
  exit 0
fi
folder=${1:-traces/calibration}
if ! names=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null); then
  echo "tests/gpu.sh: no NVIDIA GPU here (nvidia-smi finds none)" >&2
  exit 3
fi
if [ ! -x "$programs/gpu_tests" ] || [ ! -x "$programs/gardenhose-calibrate" ]; then
  build
fi

"$programs/gpu_tests" --gtest_brief=1

gpu=$(echo "$names" | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
mkdir -p "$folder"
library=$(cublas)
"$programs/gardenhose-calibrate" --output "$folder/$gpu.json" \
  --commit "$(cat "$programs/commit")" ${library:+--cublas "$library"}
tests/peers/run.sh "$folder/$gpu.json" "$folder/peers" ${OTHERS:+--others "$OTHERS"}
