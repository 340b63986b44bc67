#!/usr/bin/env bash
# plots/*.py draw what the programs write: the same picture twice, with a mark for each row.
# Usage: plots_test.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/gardenhose" validate sdp4bit --format csv 2>/dev/null >"$folder/rows.csv"
for picture in one two; do
  plots/validation.py <"$folder/rows.csv" >"$folder/$picture.svg"
done
cmp "$folder/one.svg" "$folder/two.svg"

# 20 throughputs, each predicted in three ways, and three more marks in the legend.
marks=$(grep -c '<use ' "$folder/one.svg")
rows=$(grep -c '^sdp4bit_throughput.*,tflops_per_gpu,' "$folder/rows.csv")
[ "$rows" -eq 20 ]
[ "$marks" -ge $((3 * rows + 3)) ] || { echo "$marks marks for $rows rows" >&2; exit 1; }

if plots/validation.py </dev/null >"$folder/none.svg" 2>"$folder/message"; then
  echo "no rows make no picture" >&2
  exit 1
fi
grep -q 'validate --format csv' "$folder/message"

# A mark in each of two panels for each codec that has an error: all but fp32.
table=traces/calibration/codec_error.json
for picture in one two; do
  plots/codec_error.py <"$table" >"$folder/$picture.svg"
done
cmp "$folder/one.svg" "$folder/two.svg"
marks=$(grep -c '<use ' "$folder/one.svg")
rows=$(grep -c '^sdp4bit_throughput.*,tflops_per_gpu,' "$folder/rows.csv")
[ "$rows" -eq 20 ]
[ "$marks" -ge $((3 * rows + 3)) ] || { echo "$marks marks for $rows rows" >&2; exit 1; }

if plots/validation.py </dev/null >"$folder/none.svg" 2>"$folder/message"; then
  echo "no rows make no picture" >&2
  exit 1
fi
grep -q 'validate --format csv' "$folder/message"

# A mark in each of two panels for each codec that has an error: all but fp32.
table=traces/calibration/codec_error.json
for picture in one two; do
  plots/codec_error.py <"$table" >"$folder/$picture.svg"
done
cmp "$folder/one.svg" "$folder/two.svg"
cmp "$folder/one.svg" plots/codec_error.svg || {
  echo "plots/codec_error.svg is not of $table: draw it again" >&2
  exit 1
}
marks=$(grep -c '<use ' "$folder/one.svg")
codecs=$(/usr/bin/python3 -c 'import json, sys; print(len(json.load(sys.stdin)["codecs"]))' <"$table")
[ "$marks" -ge $((2 * (codecs - 1))) ] || { echo "$marks marks for $codecs codecs" >&2; exit 1; }
if sed 's/"normal"/"usual"/' "$table" | plots/codec_error.py >"$folder/none.svg" 2>"$folder/message"
then
  echo "a missing distribution makes no picture" >&2
  exit 1
fi
grep -q 'known: usual' "$folder/message"
