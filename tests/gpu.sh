#!/bin/sh
# Runs the GPU tests, measures the GPU and compares with peers, on a machine with an NVIDIA GPU and its
# driver. Takes less than ten minutes.
#
#   tests/gpu.sh --build         only builds, into build/gpu; needs nvcc and the project's packages
#   tests/gpu.sh [FOLDER]        tests, calibrates and compares; FOLDER gets the table and what was
#                                printed (default: traces/calibration gets the table)
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
    -DCMAKE_CUDA_ARCHITECTURES="${ARCHITECTURES:-80;90;100}"
  cmake --build build/gpu-objects --target gpu_tests gardenhose-calibrate -j "${JOBS:-2}"
  mkdir -p "$programs"
  cp build/gpu-objects/tests/gpu/gpu_tests build/gpu-objects/gardenhose-calibrate "$programs/"
  "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -std=c++20 -O3 -arch=sm_90 \
    -o "$programs/cub_top_k" tests/peers/cub_top_k.cu
  git describe --always --dirty --abbrev=12 > "$programs/commit"
}

# library STEM: where the system's loader does not find it, Python's packages may have it.
library() {
  ldconfig -p 2>/dev/null | grep -q "$1.so" && return
  python3 -c 'import glob, os, sys
for folder in sys.path + ["/usr/local"]:
    for pattern in ("nvidia/*/lib/%s.so.*", "cuda*/lib64/%s.so.*"):
        for path in glob.glob(os.path.join(folder, pattern % sys.argv[1])):
            print(path)' "$1" 2>/dev/null | head -n 1
}

# timed NAME COMMAND...: its output goes to the terminal and to FOLDER/NAME.log.
timed() {
  name=$1
  shift
  start=$(date +%s)
  status=0
  { "$@" 2>&1 || echo "$?" > "$logs/status"; } | tee "$logs/$name.log"
  if [ -e "$logs/status" ]; then
    status=$(cat "$logs/status")
    rm "$logs/status"
  fi
  echo "tests/gpu.sh: $name: exit $status, $(($(date +%s) - start)) s" | tee -a "$logs/summary"
  return "$status"
}

# Without the largest inputs: a kernel takes many times as long.
# shellcheck disable=SC2317  # timed calls it
check_memory() {
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  if [ ! -x "$sanitizer" ]; then
    echo "tests/gpu.sh: no compute-sanitizer here"
    return 0
  fi
  timeout 120 "$sanitizer" --tool memcheck --error-exitcode 1 \
    "$programs/gpu_tests" --gtest_brief=1 --gtest_filter='-*32Bits*'
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
logs=${1:-build/gpu/logs}
mkdir -p "$folder" "$logs"
rm -f "$logs/summary"
gpu=$(echo "$names" | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
table=$folder/$gpu.json
failed=0

timed tests "$programs/gpu_tests" --gtest_brief=1 || failed=1
timed memcheck check_memory || failed=1
blas=$(library libcublas)
blas_lt=$(library libcublasLt)
timed calibrate "$programs/gardenhose-calibrate" --output "$table" --minutes "${MINUTES:-4}" \
  --commit "$(cat "$programs/commit")" ${blas:+--cublas "$blas"} \
  ${blas_lt:+--cublas-lt "$blas_lt"} || failed=1
if [ -e "$table" ]; then
  timed floor "$programs/gardenhose-calibrate" --summary "$table" || failed=1
  if [ -x tests/peers/run.sh ]; then
    timed peers tests/peers/run.sh "$table" "$logs" ${OTHERS:+--others "$OTHERS"} ||
      echo "tests/gpu.sh: the peers were not compared" | tee -a "$logs/summary"
  fi
fi
cat "$logs/summary"
exit "$failed"
