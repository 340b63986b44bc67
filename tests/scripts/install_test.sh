#!/usr/bin/env bash
# Installs a build into a folder, moves that folder, and runs the program in it from elsewhere: it
# must find the installed data beside itself. Usage: install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: install_test.sh BUILD_FOLDER}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
cmake --install "$build" --prefix "$sandbox/first" >/dev/null
mv "$sandbox/first" "$sandbox/moved"
data=$sandbox/moved/share/gardenhose
diff -r "$source/topologies" "$data/topologies"
diff -r "$source/traces" "$data/traces"

program=$sandbox/moved/bin/gardenhose
# Data alone is all that a build without the program installs.
[ -e "$build/gardenhose" ] || exit 0

# A file that only the installed data has.
cp "$data/topologies/sdp4bit_a100.toml" "$data/topologies/only_here.toml"
cd /
"$program" --version | grep -F "$(sed -n 's/^CMAKE_PROJECT_VERSION:[^=]*=//p' "$build/CMakeCache.txt")"
"$program" list | grep only_here
"$program" run --topology only_here --model gpt_125m --scheme sdp4bit --baseline twin

# The GPU's machine may have a driver and a C library, and nothing else.
if [ -x "$build/gardenhose-calibrate" ] && ldd "$build/gardenhose-calibrate" | grep -E 'boost|stdc|simgrid'; then
  echo "gardenhose-calibrate needs these libraries where it runs" >&2
  exit 1
fi
