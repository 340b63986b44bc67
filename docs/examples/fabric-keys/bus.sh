#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bus.sh COLLECTIVE FLAGS...: bus bandwidth of 1 GiB in GB/s
collective=$1
shift
gardenhose collective "$collective" --topology roce.toml --begin "1 GiB" --end "1 GiB" "$@" \
  | tail -1 | awk -v name="$collective" '{ printf "%-10s %8.1f GB/s\n", name, $4 }'
