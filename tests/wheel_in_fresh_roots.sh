#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel with its libraries inside and installs it in a fresh root of Debian 12 and one of Debian 13,
# which have Python and nothing that the build needs: the command and both modules must work there. Needs
# root, debootstrap, auditwheel, patchelf, wheel and the network. Not part of tests/run.sh.
# Usage: wheel_in_fresh_roots.sh BUILD_FOLDER FOLDER_OF_ROOTS
#   PYTHON: the interpreter that has auditwheel (default: python3)
set -euo pipefail
build=$(realpath "${1:?usage: wheel_in_fresh_roots.sh BUILD_FOLDER FOLDER_OF_ROOTS}")
roots=$(realpath "${2:?usage: wheel_in_fresh_roots.sh BUILD_FOLDER FOLDER_OF_ROOTS}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() { echo "wheel_in_fresh_roots.sh: $*" >&2 && exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" "$source/apps/python/portable_wheel.py" --build "$build" --out "$folder"
wheel=$(ls "$folder"/gardenhose-*.whl)
name=$(basename "$wheel")
echo "$name: $(stat --format %s "$wheel") bytes"
[[ $name =~ manylinux_2_([0-9]+)_ && ${BASH_REMATCH[1]} -le 36 ]] || fail "a tag for newer systems"
[ "$(stat --format %s "$wheel")" -lt 30000000 ] || fail "larger than 30 MB"

for suite in bookworm trixie; do
  root=$roots/$suite
  if [ ! -e "$root/usr/bin/python3" ]; then
    debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root"
  fi
  rm -rf "$root/opt/gardenhose"
  mkdir "$root/opt/gardenhose"
  cp "$wheel" "$root/opt/gardenhose/"
  echo "== Debian $(<"$root/etc/debian_version")"
  [ -z "$(chroot "$root" sh -c 'command -v gcc cc' || true)" ] || fail "a compiler is there"
  # With /proc, in which programs find what lies beside them.
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /bin/sh -e <<'END'
cd /opt/gardenhose
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
python3 -m venv venv
started=$(date +%s%N)
venv/bin/pip install --quiet --no-index --no-deps gardenhose-*.whl
venv/bin/gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit --baseline twin
echo "First prediction $((($(date +%s%N) - started) / 1000000)) ms after installation began"
venv/bin/python - <<'PYTHON'
import gardenhose
import gardenhose_codecs

report = gardenhose.run(topology="sdp4bit_a100", model="gpt_125m", nodes=2)
assert report["step_time_s"] > 0, report
print("gardenhose.run: step of", report["step_time_s"], "s")
print("gardenhose_codecs:", len(gardenhose_codecs.codecs()), "codecs; bf16 of 8 values:",
      gardenhose_codecs.encoded_bytes("bf16", 8), "bytes")
PYTHON
ls venv/share/man/man1/gardenhose.1 venv/share/bash-completion/completions/gardenhose
END
done
