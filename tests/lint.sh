#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the format and the licence lines of all sources, the tests for early returns, and the scripts
# with shellcheck; with clang-tidy what changed since origin/main (where that is HEAD: since the commit
# before), or all.
# Needs a configured build/release. Usage: tests/lint.sh [--all]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commands=build/release/compile_commands.json
for tool in clang-format-14 clang-tidy-14 shellcheck git; do
  command -v "$tool" >/dev/null || { echo "lint.sh: Debian's $tool is missing" >&2; exit 2; }
done
[ -e $commands ] || { echo "lint.sh: $commands is missing; run cmake --preset release" >&2; exit 2; }

clang_commands=$(mktemp -d)
trap 'rm -rf "$clang_commands"' EXIT

existing() {  # of the names on standard input
  local file
  while IFS= read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi
  done
}

all_files() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u | existing; }

changed_files() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null) || base=$(git rev-parse HEAD)
  if [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1) || base=HEAD
  fi
  echo "Changed since $(git log -1 --format='%h %s' "$base")" >&2
  {
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
  } | sort -u | existing
}

# The compiled files among the given ones and, for each header, one compiled file that includes it.
units_of() {
  local file
  for file in "$@"; do
    case $file in
      *.cpp) grep -Fx "$file" <<<"$compiled" || true ;;
      *.hpp) xargs grep -lF "#include \"$file\"" <<<"$compiled" | sed -n 1p || true ;;
    esac
  done | sort -u
}

status=0
mapfile -t sources < <(all_files '*.cpp' '*.hpp' '*.cu' '*.cuh')
echo "clang-format: ${#sources[@]} files"
clang-format-14 --dry-run -Werror "${sources[@]}" || status=1

mapfile -t scripts < <(all_files '*.sh' '*.bash' .ci/run)
echo "shellcheck: ${#scripts[@]} files"
shellcheck --external-sources "${scripts[@]}" || status=1

mapfile -t licensed < <(all_files '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.py' '*.sh' '*.js' '*CMakeLists.txt')
echo "licence: ${#licensed[@]} files"
if grep -L 'SPDX-License-Identifier: Apache-2.0' "${licensed[@]}" | grep .; then
  echo "lint.sh: the files above lack the line SPDX-License-Identifier: Apache-2.0" >&2
  status=1
fi

mapfile -t tests < <(all_files 'tests/*_test.cpp')
echo "tests that return early: ${#tests[@]} files"
# shellcheck disable=SC2016  # awk's variables
early='/^(TYPED_)?TEST/ { in_test = 1 } /^}/ { in_test = 0 }
       in_test && /^ ? ? ? ?(if .*)?return;/ { print FILENAME ":" FNR ": " $0 }'
if awk "$early" "${tests[@]}" | grep .; then
  echo "lint.sh: the tests above return early and pass; leave out the cases that do not apply" \
    "(INSTANTIATE_TEST_SUITE_P), or say why with GTEST_SKIP()" >&2
  status=1
fi

compiled=$(sed -n "s|^ *\"file\": \"$PWD/\(.*\.cpp\)\",\{0,1\}$|\1|p" $commands | existing)
if [ "${1:-}" = --all ]; then
  mapfile -t units <<<"$compiled"
else
  mapfile -t changed < <(changed_files)
  mapfile -t units < <(units_of "${changed[@]}")
fi
echo "clang-tidy: ${#units[@]} files"
if [ ${#units[@]} -gt 0 ]; then
  # The commands are g++'s; clang does not know all of its warnings, nor its precompiled headers.
  sed -E 's/ -Winvalid-pch -include [^ ]+//' $commands >"$clang_commands/compile_commands.json"
  printf '%s\n' "${units[@]}" | xargs -n 1 -P "$(nproc)" clang-tidy-14 -p "$clang_commands" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument \
    2> >(grep -v 'warnings generated' >&2) || status=1
fi
exit $status
