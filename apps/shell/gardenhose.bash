# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of bash, which asks the program (apps/completions.hpp).
_gardenhose() {
  local line=${COMP_LINE:0:COMP_POINT} words
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null | cut -f 1)
  # Of a word with = or :, bash replaces what stands behind it.
  local word=${words[-1]}
  local kept=${word%"${word##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _gardenhose gardenhose
