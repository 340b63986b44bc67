#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to the first prediction: installs what is missing, builds the simulator
# (no tests, no CUDA), reruns SDP4Bit's published table and predicts one run. Safe to repeat.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. apps/packages.sh

say() { printf '\n== %s\n' "$*"; }

say "Packages: ${build_packages[*]}"
ensure_packages "${build_packages[@]}"

say "Building build/release/gardenhose"
started=$SECONDS
# A build folder that exists keeps its own settings: it may be a developer's, with tests and kernels.
if [ ! -e build/release/build.ninja ]; then
  # Warnings are no errors: they are for developers to mend.
  cmake --preset quickstart
fi
cmake --build --preset release --target gardenhose \
  --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
echo "Built in $((SECONDS - started)) s"

show() {
  say "$*"
  "$@"
}
show build/release/gardenhose validate sdp4bit
show build/release/gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit \
  --baseline twin

say "The commands in the documentation say gardenhose. To run them in this shell:"
echo "export PATH=$PWD/build/release:\$PATH"
say "To install it for every user, as a Debian package (needs dpkg-dev):"
echo "cmake --build build/release --target package && sudo apt-get install ./build/release/*.deb"
