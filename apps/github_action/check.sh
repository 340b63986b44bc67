#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs `gardenhose check $WHAT` with the flags of $FLAGS, one a line; appends the summary to
# $GITHUB_STEP_SUMMARY and, where $NUMBER is that of a pull request, writes it to a comment there, the same
# one each time. Exits as the check does.
set -euo pipefail

flags=()
while IFS= read -r flag; do
  if [ -n "$flag" ]; then flags+=("$flag"); fi
done <<<"${FLAGS:-}"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
gardenhose check "$WHAT" "${flags[@]}" --markdown "$folder/summary.md" 2>"$folder/errors" || status=$?
cat "$folder/errors" >&2
# There is none of a check that could not be made.
if [ ! -s "$folder/summary.md" ]; then
  # shellcheck disable=SC2016  # Markdown
  printf '`gardenhose check` ended with exit code %s:\n\n```\n%s\n```\n' \
    "$status" "$(<"$folder/errors")" >"$folder/summary.md"
fi
cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
if [ -z "${NUMBER:-}" ]; then exit "$status"; fi

mark="<!-- gardenhose check $WHAT -->"
{ echo "$mark"; cat "$folder/summary.md"; } >"$folder/comment.md"
comments=repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
earlier=$(MARK=$mark gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id')
if [ -n "$earlier" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${earlier%%$'\n'*}" \
    --field body=@"$folder/comment.md" >/dev/null
else
  gh api --method POST "$comments" --field body=@"$folder/comment.md" >/dev/null
fi
exit "$status"
