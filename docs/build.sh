#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation into build/docs/site; a warning or a link or anchor that leads nowhere is
# an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

docs/tools.sh
docs/check_links.py
# Says nothing about a version that docs/requirements.txt does not take.
NO_MKDOCS_2_WARNING=1 build/docs/venv/bin/python -m mkdocs build --strict
