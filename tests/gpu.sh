#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the GPU tests, checks the Python bindings and the communication hook, measures the GPU and compares
# with peers, on a machine with an NVIDIA GPU and its driver. Takes at most ten minutes: what takes
# longer than its share is stopped, and fails.
#
#   tests/gpu.sh --build         only builds, into build/gpu; needs nvcc and the project's packages
#                                ARCHITECTURES: those to build for (default: 80, 89, 90, 100 and 120,
#                                where nvcc has them), e.g. "90;103"
#                                JOBS: compilers at a time (default: 2)
#   tests/gpu.sh --archive FILE  the same, and packs all that a machine with a GPU needs into FILE, a
#                                .tar.gz: unpack it there and run gardenhose-gpu/tests/gpu.sh FOLDER
#   tests/gpu.sh [FOLDER]        tests, calibrates and compares; FOLDER gets the table and what was
#                                printed (default: traces/calibration gets the table)
#                                OTHERS: the folder of tests/peers/build_others.sh's libraries
#                                PYTHON: one that has PyTorch (default: python3)
#                                MINUTES: for the calibration (default: 2.3)
#   tests/gpu.sh --tune [FOLDER] only lets the GPU choose the numbers of codecs/cuda/tuning.hpp, from
#                                variants that --build --tune or --archive FILE --tune compiled, too; FOLDER
#                                gets tuning_GPU.csv (default: build/gpu/logs). CONSTANTS: only these
#
# Exits with 1 where something failed; the last line says what was not done, and why.
# The programs in build/gpu need nothing but a driver and the C library of where they were built, or a
# newer one: a machine that has none of the project's packages, no network and no SimGrid runs them when
# build/gpu is copied there. They are built if missing, and not if they are of other sources: the last
# line says so then.
set -eu
here=$PWD
cd "$(dirname "$0")/.."

# absolute PATH: of where the script was called.
absolute() {
  case $1 in
    /*) echo "$1" ;;
    *) echo "$here/$1" ;;
  esac
}

usage() {
  echo "usage: tests/gpu.sh [FOLDER] | --build [--tune] | --archive FILE [--tune] | --tune [FOLDER];" \
    "the head of the script says more" >&2
  exit 2
}
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

# build [--tune]
build() {
  architectures=${ARCHITECTURES:-$(known_architectures)}
  mkdir -p build/gpu-objects
  own=$PWD/build/gpu-objects/arc4random.o
  cc -O2 -fPIC -c -o "$own" tests/gpu/arc4random.c
  cmake -S . -B build/gpu-objects -G Ninja -DCMAKE_BUILD_TYPE=Release -DGARDENHOSE_CUDA=ON \
    -DCMAKE_SHARED_LINKER_FLAGS="-static-libstdc++ -static-libgcc $own" \
    -DCMAKE_EXE_LINKER_FLAGS="$own" \
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
    -Xcompiler -static-libstdc++,-static-libgcc -o "$programs/cub_top_k" tests/peers/cub_top_k.cu "$own"
  # shellcheck disable=SC2046
  "$nvcc" -std=c++20 -O3 -Xcompiler -fPIC,-static-libstdc++,-static-libgcc -shared \
    $(echo "$architectures" | tr ';' '\n' | sed 's/.*/-gencode arch=compute_&,code=sm_&/') \
    -o "$programs/libchannels.so" tests/gpu/channels.cu
  rm -rf "$programs/tune"
  if [ "${1:-}" = --tune ]; then
    # Lists, of one word each.
    # shellcheck disable=SC2046,SC2086
    python3 tests/gpu/tune.py --build "$programs/tune" --cmake build/gpu-objects --nvcc "$nvcc" \
      --jobs "${JOBS:-2}" --architectures $(echo "$architectures" | tr ';' ' ') \
      ${CONSTANTS:+--constants $CONSTANTS}
  fi
  git describe --always --dirty --abbrev=12 > "$programs/commit" || echo unknown > "$programs/commit"
  checksum > "$programs/sources"
}

# What was built is packed with the scripts that run it. --transform: all in one folder.
archive() {
  tar -czf "$1" --exclude=__pycache__ --exclude="$programs/logs" --transform 's,^,gardenhose-gpu/,' \
    "$programs" tests/gpu.sh tests/gpu/*.py traces/compiled/sources.py tests/peers traces/published/sdp4bit_quantizer_speed.csv \
    codecs/python docs/examples/comm-hook LICENSE
  echo "tests/gpu.sh: $1: $(du -h "$1" | cut -f1)" >&2
}

# library STEM: where the system's loader does not find it, Python's packages may have it.
library() {
  ldconfig -p 2>/dev/null | grep -q "$1.so" && return
  "${PYTHON:-python3}" -c 'import glob, os, sys
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

tune=
case ${1:-} in
  --build)
    [ "$*" = --build ] || [ "$*" = "--build --tune" ] || usage
    build "${2:-}"
    exit 0
    ;;
  --archive)
    [ $# = 2 ] || [ "$#${3:-}" = 3--tune ] || usage
    build "${3:-}"
    archive "$(absolute "$2")"
    exit 0
    ;;
  --tune)
    tune=1
    shift
    ;;
  -*) usage ;;
esac
[ $# -le 1 ] || usage
folder=${1:+$(absolute "$1")}
logs=${folder:-build/gpu/logs}
if [ -n "$tune" ]; then folder=${folder:-$logs}; fi
folder=${folder:-traces/calibration}
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
mkdir -p "$folder" "$logs"
if ! "$programs/gpu_tests" --gtest_list_tests > "$logs/start.log" 2>&1; then
  echo "tests/gpu.sh: the programs do not start here: $(head -n 1 "$logs/start.log")" >&2
  echo "tests/gpu.sh: build them here (tests/gpu.sh --build), or where the C library is no newer" >&2
  exit 3
fi
rm -f "$logs/summary"
gpu=$(echo "$names" | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
if [ -n "$tune" ]; then
  if [ ! -e "$programs/tune/variants.json" ]; then
    echo "tests/gpu.sh: no variants of kernels; compile them: tests/gpu.sh --build --tune" >&2
    exit 3
  fi
  # shellcheck disable=SC2086
  timed tune "${PYTHON:-python3}" tests/gpu/tune.py "$programs/tune" --output "$folder/tuning_$gpu.csv" \
    ${CONSTANTS:+--constants $CONSTANTS}
  exit
fi
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
new_table=$logs/$gpu.json.new
timed calibrate timeout 170 "$programs/gardenhose-calibrate" --output "$new_table" \
  --minutes "${MINUTES:-2.3}" \
  --commit "$(cat "$programs/commit")" ${blas:+--cublas "$blas"} \
  ${blas_lt:+--cublas-lt "$blas_lt"} || failed=1
# An older table of this GPU stays where none was written.
if [ -e "$new_table" ]; then
  mv "$new_table" "$table"
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
