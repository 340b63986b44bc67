# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What has to be installed on Debian 12, and how: sourced by quickstart.sh and by tests/run.sh.

# shellcheck disable=SC2034  # used by the scripts that source this file
build_packages=(g++ cmake ninja-build pkg-config libsimgrid-dev libeigen3-dev libhwy-dev
  libcminpack-dev libboost-program-options-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev
  rapidjson-dev libjemalloc-dev libsqlite3-dev libssl-dev libpugixml-dev libyaml-cpp-dev
  zlib1g-dev)
# shellcheck disable=SC2034
test_packages=(libgtest-dev libbenchmark-dev libboost-context-dev clang-14 libclang-rt-14-dev git
  python3 libxml2-utils)
# What tests start, and no build needs.
# shellcheck disable=SC2034
tool_packages=(clang-format-14 clang-tidy-14 shellcheck python3-matplotlib python3-pandas
  python3-torch python3-yaml python3-clang-14 python3-venv python3-setuptools python3-wheel mypy
  python3-nbclient python3-ipykernel iproute2 dpkg-dev slurmctld slurmd slurm-client munge chromium
  chromium-driver python3-selenium)

# Prints those of the given packages that are not installed, one a line.
missing_packages() {
  local package status installed=" "
  while read -r package status; do
    if [ "$status" = installed ]; then installed+="$package "; fi
  done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    if [[ $installed != *" $package "* ]]; then echo "$package"; fi
  done
}

# Installs what is missing of the given packages. Where that cannot be done it says what is missing
# and ends the script with status 3.
ensure_packages() {
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then return; fi

  if ! command -v apt-get >/dev/null; then
    give_up "there is no apt-get here" "${missing[@]}"
  fi
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || give_up "there is neither root nor sudo" "${missing[@]}"
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  "${as_root[@]}" update || give_up "apt-get update failed" "${missing[@]}"
  "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" ||
    give_up "apt-get install failed" "${missing[@]}"
}

give_up() {  # give_up REASON PACKAGE...
  local reason=$1
  shift
  printf 'Packages are missing, and %s. Install these from Debian 12, or their equivalents:\n' \
    "$reason" >&2
  printf '  %s\n' "$@" >&2
  exit 3
}
