#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What apps/packages.sh does on every kind of machine, with stand-ins for the programs it calls: each
# case sees only those, and a log of what was called.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
bash=$(command -v bash)
failures=0

stand_in() {  # stand_in PROGRAM BODY
  printf '#!%s\n%s\n' "$bash" "$2" >"$sandbox/bin/$1"
  chmod +x "$sandbox/bin/$1"
}

# machine USER_ID PACKAGE...: a machine with these packages, on which apt-get and sudo work.
machine() {
  local id=$1
  shift
  rm -rf "${sandbox:?}/bin"
  mkdir "$sandbox/bin"
  : >"$sandbox/calls"
  printf '%s\n' "$@" >"$sandbox/installed"
  stand_in id "echo $id"
  stand_in env "while [[ \$1 == *=* ]]; do export \"\$1\"; shift; done; exec \"\$@\""
  stand_in sudo "echo sudo >>$sandbox/calls; exec \"\$@\""
  stand_in apt-get "echo \"apt-get \$* (\$DEBIAN_FRONTEND)\" >>$sandbox/calls"
  # Like the real one: fails when it does not know a package, and lists packages that were removed.
  stand_in dpkg-query "shift 2; status=0
    for name; do
      found=; while read -r known state; do
        if [ \"\$known\" = \"\$name\" ]; then echo \"\$name \${state:-installed}\"; found=1; fi
      done <$sandbox/installed
      if [ -z \"\$found\" ]; then echo \"no packages found matching \$name\" >&2; status=1; fi
    done; exit \$status"
}

# expect NAME STATUS CALLS: `ensure_packages g++ cmake` ends with the status after these calls.
expect() {
  local name=$1 status=0 calls
  PATH=$sandbox/bin "$bash" -euo pipefail -c '. apps/packages.sh; ensure_packages g++ cmake' \
    >"$sandbox/output" 2>&1 || status=$?
  calls=$(<"$sandbox/calls")
  if [ "$status" != "$2" ] || [ "$calls" != "$3" ]; then
    printf '%s: status %s, calls:\n%s\noutput:\n%s\n' "$name" "$status" "$calls" \
      "$(<"$sandbox/output")" >&2
    failures=$((failures + 1))
  fi
}

expect_output() {  # expect_output TEXT...
  local text
  for text in "$@"; do
    if ! grep -qF -- "$text" "$sandbox/output"; then
      printf 'no "%s" in:\n%s\n' "$text" "$(<"$sandbox/output")" >&2
      failures=$((failures + 1))
    fi
  done
}

update="apt-get -q update (noninteractive)"
install="apt-get -q install -y --no-install-recommends"

machine 0 g++ cmake
expect "nothing is missing" 0 ""
[ ! -s "$sandbox/output" ] || expect_output "(nothing)"

machine 0 g++
expect "root" 0 "$update"$'\n'"$install cmake (noninteractive)"
expect_output "Installing cmake"

machine 0 "g++ config-files" cmake
expect "a package that was removed" 0 "$update"$'\n'"$install g++ (noninteractive)"

machine 1000 cmake
expect "not root" 0 "sudo"$'\n'"$update"$'\n'"sudo"$'\n'"$install g++ (noninteractive)"

machine 1000
rm "$sandbox/bin/sudo"
expect "neither root nor sudo" 3 ""
expect_output "neither root nor sudo" "  g++" "  cmake"

machine 1000
stand_in sudo "echo sudo >>$sandbox/calls; exit 1"
expect "sudo refuses" 3 "sudo"
expect_output "  g++" "  cmake"

machine 0 g++
stand_in apt-get "[ \"\$2\" = update ]"
expect "apt-get cannot install" 3 ""
expect_output "apt-get install failed" "  cmake"

machine 0
rm "$sandbox/bin/apt-get" "$sandbox/bin/dpkg-query"
expect "another system" 3 ""
expect_output "no apt-get" "  g++" "  cmake"

[ "$failures" -eq 0 ]
