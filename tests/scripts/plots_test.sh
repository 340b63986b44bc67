#!/usr/bin/env bash
# plots/*.py draw what the programs write: the same picture twice, with a mark for each row, and no
# picture of what is not there.
# Usage: plots_test.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

draws() {  # draws SCRIPT INPUT LEAST_MARKS
  local picture marks
  for picture in one two; do
    "$1" <"$2" >"$folder/$picture.svg"
  done
  cmp "$folder/one.svg" "$folder/two.svg"
  marks=$(grep -c '<use ' "$folder/one.svg")
  [ "$marks" -ge "$3" ] || { echo "$1: $marks marks, at least $3 expected" >&2; exit 1; }
}

refuses() {  # refuses SCRIPT INPUT MESSAGE
  if "$1" <"$2" >"$folder/none.svg" 2>"$folder/message"; then
    echo "$1 made a picture of nothing" >&2
    exit 1
  fi
  grep -q "$3" "$folder/message"
}

# 20 throughputs, each predicted in three ways, and three more marks in the legend.
"$1/gardenhose" validate sdp4bit --format csv 2>/dev/null >"$folder/rows.csv"
rows=$(grep -c '^sdp4bit_throughput.*,tflops_per_gpu,' "$folder/rows.csv")
[ "$rows" -eq 20 ]
draws plots/validation.py "$folder/rows.csv" $((3 * rows + 3))
refuses plots/validation.py /dev/null 'validate --format csv'

# 35 rows, each published and predicted in three ways, and six more marks in the legend.
"$1/gardenhose" validate fsdp --format csv 2>/dev/null >"$folder/fsdp.csv"
rows=$(grep -c '^fsdp_' "$folder/fsdp.csv")
[ "$rows" -eq 35 ]
draws plots/fsdp.py "$folder/fsdp.csv" $((4 * rows + 6))
refuses plots/fsdp.py /dev/null 'validate fsdp --format csv'

# A mark for each utilisation that some bandwidth reaches.
"$1/gardenhose" solve bandwidth --topology two_sites_10g --model gpt_125m --scheme diloco,sparseloco \
  --utilisation 0.5,0.9 --format csv 2>/dev/null >"$folder/bandwidths.csv"
draws plots/utilisation.py "$folder/bandwidths.csv" 4
refuses plots/utilisation.py /dev/null 'solve bandwidth --format csv'

# A rectangle for each point of the map, besides those of the figure and its axes.
"$1/gardenhose" map --topology sdp4bit_a100 --nodes 2 --model gpt_125m --scheme sdp4bit \
  --bandwidths 10Gbps,100Gbps --format csv 2>/dev/null >"$folder/map.csv"
draws plots/scheme_map.py "$folder/map.csv" 1
grep -q 'gpt_125m' "$folder/one.svg"
refuses plots/scheme_map.py /dev/null 'map --format csv'

# The same of a sweep's store.
cat >"$folder/study.toml" <<'END'
[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
scheme = ["sharded", "sdp4bit"]
nodes = [2, 4]
network.nic_bandwidth = ["10 Gbps", "100 Gbps"]
END
"$1/gardenhose" sweep "$folder/study.toml" >"$folder/sweep.txt" 2>&1
"$1/gardenhose" map "$folder/study.sqlite" --x network.nic_bandwidth --y nodes --format csv \
  >"$folder/map.csv"
draws plots/scheme_map.py "$folder/map.csv" 1
grep -q 'network.nic_bandwidth' "$folder/one.svg"

# A mark for each scheme.
"$1/gardenhose" run --topology sdp4bit_a100 --nodes 2 --model gpt_125m --scheme all \
  --baseline sharded --format json 2>/dev/null >"$folder/all.json"
schemes=$(grep -c '"scheme":' "$folder/all.json")
[ "$schemes" -ge 25 ]
draws plots/pareto.py "$folder/all.json" "$schemes"
grep -q 'sends values' "$folder/one.svg"
refuses plots/pareto.py /dev/null 'scheme all'

# A mark in each of two panels for each codec that has an error: all but fp32.
table=traces/calibration/codec_error.json
codecs=$(/usr/bin/python3 -c 'import json, sys; print(len(json.load(sys.stdin)["codecs"]))' <"$table")
draws plots/codec_error.py "$table" $((2 * (codecs - 1)))
cmp "$folder/one.svg" plots/codec_error.svg || {
  echo "plots/codec_error.svg is not of $table: draw it again" >&2
  exit 1
}
sed 's/"normal"/"usual"/' "$table" >"$folder/unusual.json"
refuses plots/codec_error.py "$folder/unusual.json" 'known: usual'
