#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can be checked without a GPU: installs what is missing, builds, and runs the tests
# of the release build (among them lint, layering, fuzzing and installation) and, under the address
# and undefined-behaviour sanitizers, those of sim, all rounds between sites, and a share of the others
# (tests/CMakeLists.txt). The release build is apps/quickstart.sh's with tests beside the program.
# Every part runs, whatever failed before it; the last lines are ctest's summary. Two parts run at a
# time, because a build's and a test run's last pieces leave cores idle.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
. apps/packages.sh

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
# A toolkit that is installed but not on PATH is used too.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  PATH+=:/usr/local/cuda/bin
fi
mkdir -p build
: >build/parts

part() {  # part NAME COMMAND...
  local name=$1 started=$SECONDS outcome=ok
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=FAILED
  printf '%-14s %4d s  %s\n' "$name" $((SECONDS - started)) "$outcome" >>build/parts
}

# The same with what the other parts leave of the cores; what it prints goes to build/beside.log.
part_beside() {
  (renice -n 10 "$BASHPID" && part "$@") >build/beside.log 2>&1 &
  beside=$!
}
have_beside() { wait "$beside"; cat build/beside.log; }

# With -k 0 one file that does not compile costs only the tests that need it.
build_release() {
  # One architecture's assembly is enough to see that the kernels compile. The simulator's unit
  # tests run under sanitizers alone, and the GPU's on the emulated one.
  # That assembly is thrown away, so it need not be good. The program's own flags are quickstart's.
  cmake --preset release \
    -DCMAKE_CUDA_ARCHITECTURES=80-virtual -DCMAKE_CUDA_FLAGS="-Xcicc -O0" \
    -DCMAKE_CUDA_FLAGS_RELEASE="-O0 -DNDEBUG" \
    -DGARDENHOSE_SIM_TESTS=OFF -DGARDENHOSE_GPU_TESTS=OFF -DGARDENHOSE_UNITY=ON &&
    cmake --build --preset release --parallel "$jobs" -- -k 0
}

# What builds the program, one command a line. CMake pads run paths with colons to the length of others.
commands_of() {  # commands_of FOLDER
  ninja -C "$1" -t commands gardenhose |
    sed "s|$PWD/$1|FOLDER|g; s| -Werror||g; s|:\+ | |g; /Entering directory/d" | sort
}

# The README's first command. What it builds is what was built: it has the same commands, apart from
# warnings, which are errors here.
quickstart() {
  cmake --preset quickstart -B build/quickstart &&
    diff <(commands_of build/quickstart) <(commands_of build/release) &&
    apps/quickstart.sh
}

# Without lines, which take a ninth of the time to compile: a report names functions, and what the
# preset alone builds has lines.
build_asan() {
  cmake --preset asan -DGARDENHOSE_UNITY=ON \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -mllvm -fast-isel" &&
    cmake --build --preset asan --parallel "$jobs" --target fuzzers sanitized -- -k 0
}

test_asan() {
  ctest --preset asan --parallel "$jobs" -L sanitized
}

# Installed while the rest was built.
have_tools() { wait "$tools" || { cat build/tools.log && false; }; }

# Many tests wait for processes of theirs: one test more than cores keeps all busy. The summary goes
# to a file, to be the last thing printed.
test_release() {
  ctest --preset release --parallel $((jobs + 1)) | tee build/ctest.log |
    sed -u '/% tests passed/,$d'
}

ensure_packages "${build_packages[@]}" "${test_packages[@]}"
{ ensure_packages "${tool_packages[@]}" && docs/tools.sh; } >build/tools.log 2>&1 &
tools=$!
part_beside "build asan" build_asan
part build build_release
part quickstart quickstart
part "compile alone" tests/compile_alone.py
have_beside
part_beside "tests asan" test_asan
part tools have_tools
part tests test_release
have_beside

printf '\n'
cat build/parts
sed -n '/% tests passed/,$p' build/ctest.log
! grep -q FAILED build/parts
