#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel of a build, installs it with pip in an environment of its own, runs the command and the
# module from elsewhere, which must find program and data in the wheel, and removes it.
# Usage: python_install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: python_install_test.sh BUILD_FOLDER}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
bin=$sandbox/venv/bin
fail() { echo "python_install_test.sh: $*" >&2 && exit 1; }
unset PYTHONPATH GARDENHOSE

# As pip does it, with Debian's setuptools, so that nothing is fetched.
cd "$source"
GARDENHOSE_BUILD_FOLDER=$build /usr/bin/python3 -c '
import sys
from setuptools import build_meta
build_meta.build_wheel(sys.argv[1])' "$sandbox" >"$sandbox/log" 2>&1 || { cat "$sandbox/log" && false; }
/usr/bin/python3 -m venv "$sandbox/venv"

cd /
started=$(date +%s%N)
"$bin/pip" install --quiet --no-index --disable-pip-version-check "$sandbox"/gardenhose-*-py3-none-*.whl
"$bin/gardenhose" run --topology sdp4bit_a100 --model gpt_125m --scheme sdp4bit --baseline twin
echo "First prediction $((($(date +%s%N) - started) / 1000000)) ms after installation began"

"$bin/python" - "$sandbox" <<'END'
import importlib.metadata
import pathlib
import subprocess
import sys

import gardenhose

program = pathlib.Path(gardenhose.program())
assert pathlib.Path(sys.argv[1]) in program.parents, program
said = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert said.split()[1] == importlib.metadata.version("gardenhose"), said
# A file that only the installed data has.
topologies = program.parents[1] / "share/gardenhose/topologies"
(topologies / "only_here.toml").write_text((topologies / "sdp4bit_a100.toml").read_text())
report = gardenhose.run(topology="only_here", model="gpt_125m", nodes=1)
assert report["step_time_s"] > 0, report
(topologies / "only_here.toml").unlink()
try:
    gardenhose.frame(report)
except ImportError as error:
    assert "pandas" in str(error), error
else:
    raise AssertionError("a frame without pandas")
END

# The codecs, with the library of the wheel.
"$bin/python" - "$sandbox" <<'END'
import sys

import gardenhose_codecs
from gardenhose_codecs import _libraries

assert gardenhose_codecs.encoded_bytes("bf16", 8) == 16
assert _libraries.cpu()._library._name.startswith(sys.argv[1]), _libraries.cpu()._library._name
END

package=$(dirname "$(dirname "$("$bin/python" -c 'import gardenhose; print(gardenhose.program())')")")
[ "$(du -sk "$package" | cut -f1)" -lt 60000 ] || fail "larger than 60 MB"
[ -e "$package/py.typed" ] || fail "not typed"
completions=$sandbox/venv/share/bash-completion/completions/gardenhose
[ -s "$completions" ] || fail "no completions"
[ -s "$sandbox/venv/share/man/man1/gardenhose-run.1" ] || fail "no man pages"
readelf -S "$package/bin/gardenhose" | grep -q '\.symtab' && fail "not stripped"
status=0
"$bin/gardenhose" run --nods 1 2>"$sandbox/said" || status=$?
[ "$status $(head -c 6 "$sandbox/said")" = "2 --nods" ] || fail "another exit code, or no message"

# As on a machine without the library.
sed -i 's/libsimgrid\.so\.3/libsimgrid.so.0/' "$package/bin/gardenhose" "$package/libraries.txt"
status=0
"$bin/gardenhose" --version 2>"$sandbox/said" || status=$?
said=$(<"$sandbox/said")
[[ $status = 127 && $said = *"without libsimgrid.so.0"*"; apt-get install libsimgrid"* ]] ||
  fail "says of a missing library: $said"

"$bin/pip" uninstall --quiet --yes gardenhose
[[ ! -e $bin/gardenhose && ! -e $package && ! -e $completions ]] || fail "files are left behind"
