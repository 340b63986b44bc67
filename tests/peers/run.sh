#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares a calibration table with its peers on this GPU. It needs Python with PyTorch; whatever
# else is missing is listed as skipped. Usage: run.sh TABLE.json OUTPUT_FOLDER [flags of peers.py]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 2 ] || { echo "usage: $0 TABLE.json OUTPUT_FOLDER [flags]" >&2; exit 2; }
exec "${PYTHON:-python3}" "$here/peers.py" "$@"
