#!/usr/bin/env bash
# Installs the Python module of a build with pip, into an environment of its own, and runs it from
# elsewhere: it must find its program and the shipped data in itself.
# Usage: python_install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: python_install_test.sh BUILD_FOLDER}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
# Debian's setuptools, so that nothing is fetched.
/usr/bin/python3 -m venv --system-site-packages "$sandbox/venv"
cd "$source"
GARDENHOSE_BUILD_FOLDER=$build "$sandbox/venv/bin/pip" install --quiet --no-build-isolation \
  --disable-pip-version-check .
cd /
unset PYTHONPATH
"$sandbox/venv/bin/python" - "$sandbox" <<'END'
import pathlib
import sys

import gardenhose

sandbox = pathlib.Path(sys.argv[1])
program = pathlib.Path(gardenhose.program())
assert sandbox in program.parents, program
# A file that only the installed data has.
topologies = program.parents[1] / "share/gardenhose/topologies"
(topologies / "only_here.toml").write_text((topologies / "sdp4bit_a100.toml").read_text())
report = gardenhose.run({"topology": "only_here", "model": "gpt_125m", "nodes": 1})
assert report["step_time_s"] > 0, report
END
