#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the versions of docs/requirements.txt in build/docs/venv, unless they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=build/docs/venv
wanted=docs/requirements.txt
if cmp -s $wanted $venv/installed.txt; then exit; fi
rm -rf $venv
mkdir -p build/docs
/usr/bin/python3 -m venv $venv
$venv/bin/python -m pip --quiet --disable-pip-version-check install --no-deps -r $wanted
cp $wanted $venv/installed.txt
