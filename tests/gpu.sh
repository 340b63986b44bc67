#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the GPU tests, checks the Python bindings and the communication hook, measures the GPU and compares
# with peers, on a machine with an NVIDIA GPU and its driver. Takes at most ten minutes: what takes
# longer than its share is stopped, and fails.
#
#   tests/gpu.sh --build         only builds, into build/gpu; needs nvcc and the project's packages
#                                ARCHITECTURES: those to build for (default: 80, 89, 90, 100 and 120,
#                                where nvcc has them), e.g. "90;103"
#   tests/gpu.sh --archive FILE  the same, and packs all that a machine with a GPU needs into FILE, a
#                                .tar.gz: unpack it there and run gardenhose-gpu/tests/gpu.sh FOLDER
#   tests/gpu.sh [FOLDER]        tests, calibrates and compares; FOLDER gets the table and what was
#                                printed (default: traces/calibration gets the table)
#                                OTHERS: the folder of tests/peers/build_others.sh's libraries
#
# Exits with 1 where something failed; the last line says what was not done, and why.
# The programs in build/gpu are linked statically: a machine that has none of the project's packages,
# no network and no SimGrid runs them when build/gpu is copied there. They are built if missing, and
# not if they are of other sources: the last line says so then.
set -eu
cd "$(dirname "$0")/.."
programs=build/gpu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

# Of what the programs are made of, however it came here.
checksum() {
  find CMakeLists.txt codecs apps/calibrate sim/base tests/codecs tests/gpu \
    tests/peers/cub_top_k.cu -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-64
}

# Of all GPUs that nvcc knows of those that we know, so that the programs can be carried to any.
known_architectures() {
  compiled=$("$nvcc" --list-gpu-code)
  sed -n 's/^set(known_architectures \(.*\))$/\1/p' codecs/cuda/architectures.cmake | tr ' ' '\n' |
    while read -r one; do
      if echo "$compiled" | grep -qx "sm_$one"; then echo "$one"; fi
    done | paste -sd ';'
}

build() {
  architectures=${ARCHITECTURES:-$(known_architectures)}
  cmake -S . -B build/gpu-objects -G Ninja -DCMAKE_BUILD_TYPE=Release -DGARDENHOSE_CUDA=ON \
    -DCMAKE_SHARED_LINKER_FLAGS="-static-libstdc++ -static-libgcc" \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures"
  cmake --build build/gpu-objects --target gpu_tests gardenhose-calibrate gardenhose_codecs \
    gardenhose_codecs_cuda -j "${JOBS:-2}"
  mkdir -p "$programs"
  cp build/gpu-objects/tests/gpu/gpu_tests build/gpu-objects/gardenhose-calibrate \
    build/gpu-objects/codecs/c/*.so "$programs/"
  # A list: one flag for each architecture.
  # shellcheck disable=SC2046
  "$nvcc" -std=c++20 -O3 \
    $(echo "$architectures" | tr ';' '\n' | sed 's/.*/-gencode arch=compute_&,code=sm_&/') \
    -o "$programs/cub_top_k" tests/peers/cub_top_k.cu
  # shellcheck disable=SC2046
  "$nvcc" -std=c++20 -O3 -Xcompiler -fPIC -shared \
    $(echo "$architectures" | tr ';' '\n' | sed 's/.*/-gencode arch=compute_&,code=sm_&/') \
    -o "$programs/libchannels.so" tests/gpu/channels.cu
  git describe --always --dirty --abbrev=12 > "$programs/commit"
  checksum > "$programs/sources"
}

# What was built is packed with the scripts that run it. --transform: all in one folder.
archive() {
  tar -czf "$1" --exclude=__pycache__ --transform 's,^,gardenhose-gpu/,' "$programs" tests/gpu.sh tests/gpu/*.py tests/peers \
    codecs/python docs/examples/comm-hook LICENSE
  echo "tests/gpu.sh: $1: $(du -h "$1" | cut -f1)" >&2
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

# missing WHAT: for the last line.
missing() {
  not_done=${not_done:+$not_done; }$1
}

if [ "${1:-}" = --build ]; then
  build
  exit 0
fi
if [ "${1:-}" = --archive ]; then
  [ $# = 2 ] || { echo "usage: tests/gpu.sh --archive FILE" >&2; exit 2; }
  build
  archive "$2"
  exit 0
fi
folder=${1:-traces/calibration}
if ! names=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null); then
  echo "tests/gpu.sh: no NVIDIA GPU here (nvidia-smi finds none)" >&2
  exit 3
fi
not_done=
if [ ! -x "$programs/gpu_tests" ] || [ ! -x "$programs/gardenhose-calibrate" ]; then
  build
elif [ -e CMakeLists.txt ] && [ "$(cat "$programs/sources" 2>/dev/null)" != "$(checksum)" ]; then
  missing "the programs of these sources: build/gpu has others, see tests/gpu.sh --build"
fi
logs=${1:-build/gpu/logs}
mkdir -p "$folder" "$logs"
rm -f "$logs/summary"
gpu=$(echo "$names" | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
table=$folder/$gpu.json
failed=0

timed tests timeout 90 "$programs/gpu_tests" --gtest_brief=1 || failed=1
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$sanitizer" ]; then
  # Without the largest inputs: a kernel takes many times as long.
  timed memcheck timeout 100 "$sanitizer" --tool memcheck --error-exitcode 1 \
    "$programs/gpu_tests" --gtest_brief=1 --gtest_filter='-*32Bits*' || failed=1
else
  missing "memory checks, for there is no compute-sanitizer"
fi
if "${PYTHON:-python3}" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
  timed bindings timeout 40 "${PYTHON:-python3}" tests/gpu/bindings_check.py "$programs" || failed=1
  timed hook timeout 40 "${PYTHON:-python3}" tests/gpu/comm_hook_check.py "$programs" || failed=1
  timed overlap timeout 70 "${PYTHON:-python3}" tests/gpu/overlap.py "$programs" \
    --output "$logs/overlap.csv" || failed=1
else
  missing "checks of the Python bindings and the communication hook, for there is no PyTorch that finds the GPU"
fi
blas=$(library libcublas)
blas_lt=$(library libcublasLt)
timed calibrate timeout 170 "$programs/gardenhose-calibrate" --output "$table" \
  --minutes "${MINUTES:-2.3}" \
  --commit "$(cat "$programs/commit")" ${blas:+--cublas "$blas"} \
  ${blas_lt:+--cublas-lt "$blas_lt"} || failed=1
if [ -e "$table" ]; then
  timed floor "$programs/gardenhose-calibrate" --summary "$table" || failed=1
  if "${PYTHON:-python3}" -c 'import torch' 2>/dev/null; then
    # Its budget is for rows that it has not begun; torch.compile may hold the last one up.
    timed peers timeout 90 tests/peers/run.sh "$table" "$logs" --sizes 64 --budget 60 \
      ${OTHERS:+--others "$OTHERS"} || failed=1
  else
    missing "comparison with peers, for there is no PyTorch"
  fi
else
  missing "comparison with peers, for there is no table"
fi
if grep -q "no cuBLAS found" "$logs/calibrate.log"; then
  missing "matrix products and PowerSGD, for there is no cuBLAS"
fi
echo "tests/gpu.sh: not done: ${not_done:-nothing}" >> "$logs/summary"
cat "$logs/summary"
exit "$failed"
