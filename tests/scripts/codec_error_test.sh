#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gardenhose-codec-error: what it refuses, it refuses before it measures, which takes minutes. Usage:
# codec_error_test.sh BUILD_FOLDER
set -euo pipefail
program=$(realpath "${1:?usage: codec_error_test.sh BUILD_FOLDER}")/gardenhose-codec-error

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
cd "$sandbox"

refuses() {  # MESSAGE ARGUMENTS...
  local message=$1 code=0
  shift
  timeout 600 "$program" "$@" >output 2>messages || code=$?
  if [ "$code" != 2 ] || [ -s output ] || ! grep -qF -e "$message" messages; then
    echo "codec_error_test.sh: '$*' ended with $code and said:" >&2
    cat output messages >&2
    exit 1
  fi
}

mkdir folder
refuses "missing/errors.json: cannot be written: No such file" missing/errors.json
refuses "folder: cannot be written: Is a directory" folder
refuses "none: is not a folder that can be read" --tensors none errors.json
refuses "usage: gardenhose-codec-error" --tensors
refuses "usage: gardenhose-codec-error" one.json two.json
refuses "usage: gardenhose-codec-error" --seeds 3
refuses "--codec: 'int3' is not one of: fp32, bf16" --codec int3
refuses "errors.json: no such file" --codec bf16 errors.json
printf '{"provenance": {"seeds": 6}}' >other.json
refuses "other.json: /provenance: other sample sizes or recorded tensors" --codec bf16 other.json
printf 'no tensor' >folder/a.npy
refuses "a.npy: byte 0: is not a .npy file" --tensors folder errors.json
if [ -e errors.json ]; then echo "codec_error_test.sh: a refusal wrote a file" >&2; exit 1; fi

"$program" --help >help
for part in usage: FILE --tensors examples: "exit codes:"; do grep -qF -e "$part" help; done
