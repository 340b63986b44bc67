#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completions of bash, and of zsh and fish where they are installed, complete `gardenhose run --sch`
# to --scheme; and man, where it is installed, takes the pages without a warning.
# Usage: shells_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: shells_test.sh BUILD_FOLDER}")
shell=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../apps/shell" && pwd)
export PATH=$build:$PATH

fail() { echo "shells_test.sh: $*" >&2 && exit 1; }
# shell_completes SHELL SAID WANTED
shell_completes() { [ "$2" = "$3" ] || fail "$1 completes to '$2', not '$3'"; }
installed() { command -v "$1" >/dev/null || { echo "$1 is not installed: not tested" && false; }; }

# shellcheck disable=SC2016  # the shells expand these themselves
in_bash='. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _gardenhose 2>/dev/null; echo "${COMPREPLY[*]}"'
bash -n "$shell/gardenhose.bash"
bash_completes() {
  shell_completes bash "$(bash --norc -c "$in_bash" bash "$shell/gardenhose.bash" "$1")" "$2"
}
bash_completes "gardenhose run --sch" --scheme
bash_completes "gardenhose run --scheme sdp4bit_u" sdp4bit_unfused
bash_completes "gardenhose run --scheme=sdp4bit_u" sdp4bit_unfused
bash_completes "gardenhose run --format " "table json csv"

if installed zsh; then
  zsh -n "$shell/_gardenhose"
  # What zsh's own functions would be given.
  # shellcheck disable=SC2016
  in_zsh='_describe() { echo ${(P)2} }; _files() { echo files }; words=("${@[2,-1]}"); CURRENT=$#words; . "$1"'
  said=$(zsh -f -c "$in_zsh" zsh "$shell/_gardenhose" gardenhose run --sch)
  shell_completes zsh "${said%%:*}" --scheme
  said=$(zsh -f -c "$in_zsh" zsh "$shell/_gardenhose" gardenhose run --perfetto "")
  shell_completes zsh "$said" files
fi
if installed fish; then
  fish --no-execute "$shell/gardenhose.fish"
  said=$(fish --no-config -c "source '$shell/gardenhose.fish'; complete -C 'gardenhose run --sch'")
  shell_completes fish "${said%%$'\t'*}" --scheme
fi

for page in "$build"/man/*.1; do
  grep -q '^\.SH NAME' "$page" || fail "$page is no page"
  if command -v man >/dev/null; then
    warnings=$(MANWIDTH=100 man --warnings --local-file "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "$page: $warnings"
  fi
done
[ -e "$build/man/gardenhose-run.1" ] || fail "no page of run"
