#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plots/*.py draw what the programs write: the same picture twice, with a mark for each row, and no
# picture of what is not there.
# Usage: plots_test.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

drawn=  # one picture is known to be drawn the same twice; plots/picture.py writes all of them

draws() {  # draws SCRIPT INPUT LEAST_MARKS [FLAG...]; marks are <use> elements, or what $mark says
  local marks
  "$1" "${@:4}" <"$2" >"$folder/one.svg"
  if [ -z "$drawn" ]; then
    "$1" "${@:4}" <"$2" >"$folder/two.svg"
    cmp "$folder/one.svg" "$folder/two.svg"
    drawn=yes
  fi
  marks=$(grep -c "${mark:-<use }" "$folder/one.svg")
  [ "$marks" -ge "$3" ] || { echo "$1: $marks marks, at least $3 expected" >&2; exit 1; }
}

refuses() {  # refuses SCRIPT INPUT MESSAGE [FLAG...]
  if "$1" "${@:4}" <"$2" >"$folder/none.svg" 2>"$folder/message"; then
    echo "$1 made a picture of nothing" >&2
    exit 1
  fi
  grep -q -- "$3" "$folder/message"
  [ "$(wc -l <"$folder/message")" -eq 1 ]
}

# Without matplotlib, or any other package, each script says so in one line.
without_packages() { /usr/bin/python3 -S "$script"; }
for script in plots/*.py; do
  [ -x "$script" ] || continue  # what they import
  refuses without_packages /dev/null '^plots need matplotlib: apt-get'
done

# 20 throughputs, each predicted in three ways, and three more marks in the legend.
"$1/gardenhose" validate sdp4bit --format csv 2>/dev/null >"$folder/rows.csv"
rows=$(grep -c '^sdp4bit_throughput.*,tflops_per_gpu,' "$folder/rows.csv")
[ "$rows" -eq 20 ]
draws plots/validation.py "$folder/rows.csv" $((3 * rows + 3)) --beside blind,null_refit
refuses plots/validation.py "$folder/rows.csv" 'no prediction guess' --beside guess
refuses plots/validation.py /dev/null 'validate --format csv'

# 35 rows, each published and predicted in three ways, and six more marks in the legend.
"$1/gardenhose" validate fsdp --format csv 2>/dev/null >"$folder/fsdp.csv"
rows=$(grep -c '^fsdp_' "$folder/fsdp.csv")
[ "$rows" -eq 35 ]
draws plots/fsdp.py "$folder/fsdp.csv" $((4 * rows + 6))
cat "$folder/fsdp.csv" >>"$folder/rows.csv"
draws plots/validation.py "$folder/rows.csv" $((20 + rows + 1))
refuses plots/validation.py "$folder/rows.csv" 'not every row of FSDP' --beside null_refit
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
# Maps of several models, one after the other, are one picture.
cat "$folder/map.csv" "$folder/map.csv" | plots/scheme_map.py >"$folder/two.svg"
refuses plots/scheme_map.py /dev/null 'map --format csv'

# The same of a sweep's store.
cat >"$folder/grid.toml" <<'END'
[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
scheme = ["sharded", "sdp4bit"]
nodes = [2, 4]
network.nic_bandwidth = ["10 Gbps", "100 Gbps"]
END
"$1/gardenhose" sweep "$folder/grid.toml" >"$folder/sweep.txt" 2>&1
"$1/gardenhose" map "$folder/grid.sqlite" --x network.nic_bandwidth --y nodes --format csv \
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

# Two schemes on three clusters: a mark for each point, and one in the legend for each line.
cat >"$folder/study.toml" <<'END'
[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
baseline = "twin"
[grid]
scheme = ["sharded", "sdp4bit"]
network.nic_bandwidth = ["100 Gbps", "50 Gbps"]
nodes = [1, 2, 4]
END
"$1/gardenhose" sweep "$folder/study.toml" >/dev/null 2>&1
"$1/gardenhose" export "$folder/study.sqlite" >"$folder/study.csv"
draws plots/speedup.py "$folder/study.csv" 8 --x gpus --where network.nic_bandwidth="50 Gbps"
draws plots/speedup.py "$folder/study.csv" 14 --x network.nic_bandwidth --panels nodes
grep -q '>nodes 4<' "$folder/one.svg"
[ "$(grep -n '>50 Gbps<\|<!-- 50 Gbps' "$folder/one.svg" | head -1 | cut -d: -f1)" -lt \
  "$(grep -n '>100 Gbps<\|<!-- 100 Gbps' "$folder/one.svg" | head -1 | cut -d: -f1)" ]
refuses plots/speedup.py "$folder/study.csv" 'e.g. --where network_nic_bandwidth=100 Gbps, or --panels$' --x nodes
refuses plots/speedup.py "$folder/study.csv" 'no column nods; known: .*nodes' --x nods
refuses plots/speedup.py "$folder/study.csv" 'no point has nodes=3; known here: 1, 2, 4' --x tp \
  --where nodes=3
refuses plots/speedup.py "$folder/study.csv" '--y: not every point' --x nodes --y baseline
refuses plots/speedup.py /dev/null 'export STORE --format csv' --x nodes

# A bar for each scheme, with its parts.
draws plots/breakdown.py "$folder/study.csv" 1 --where nodes=2 \
  --where network.nic_bandwidth="50 Gbps"
bars=$(grep -c 'clip-path' "$folder/one.svg")
"$1/gardenhose" run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sharded,sdp4bit \
  --set network.nic_bandwidth="50 Gbps" --format json >"$folder/run.json" 2>/dev/null
draws plots/breakdown.py "$folder/run.json" 1
grep -q 'time of a step' "$folder/one.svg"
[ "$(grep -c 'clip-path' "$folder/one.svg")" -eq "$bars" ]
"$1/gardenhose" run --topology two_sites_10g --model gpt_125m --scheme diloco,sparseloco \
  --format json >"$folder/round.json" 2>/dev/null
draws plots/breakdown.py "$folder/round.json" 1
grep -q 'time of a round' "$folder/one.svg"
# With what its own flags can do about it.
refuses plots/breakdown.py "$folder/study.csv" \
  'several points fall on the same place; .* e.g. --where network_nic_bandwidth=100 Gbps, --where nodes=1$'
refuses plots/breakdown.py "$folder/run.json" 'output of run' --where nodes=2
refuses plots/breakdown.py /dev/null 'run ... --format json'

# A mark for each size of each collective, and one for each in the legend.
for one in all_gather all_reduce; do
  "$1/gardenhose" collective "$one" --topology sdp4bit_a100 --nodes 2 --format csv
done 2>/dev/null >"$folder/collective.csv"
sizes=$(grep -c '^all_' "$folder/collective.csv")
draws plots/bus_bandwidth.py "$folder/collective.csv" $((sizes + 2))
refuses plots/bus_bandwidth.py "$folder/study.csv" 'collective ... --format csv'

# A cell for each of 16 x 16 pairs, and from a GPU to itself none.
"$1/gardenhose" collective --pairs "1 MiB" --topology dgx_h100_x16 --nodes 2 --format csv \
  2>/dev/null >"$folder/pairs.csv"
mark='clip-path=.*fill: #' draws plots/pair_bandwidth.py "$folder/pairs.csv" $((16 * 15))
head -20 "$folder/pairs.csv" >"$folder/some.csv"
refuses plots/pair_bandwidth.py "$folder/some.csv" 'pipe in the whole output'
refuses plots/pair_bandwidth.py "$folder/study.csv" 'collective --pairs'

# A bar for each kind of what happens to each of two sites and to their rounds.
"$1/gardenhose" run --topology two_sites_10g --model gpt_125m --scheme diloco --range off \
  --set sites.east.stays=20h --set sites.east.returns_after=4h --set membership.detection=6s \
  --month "$folder/month.csv" >/dev/null 2>&1
for one in rounds east west; do cut -d, -f3 "$folder/month.csv" | grep -qx "$one"; done
mark='BrokenBarHCollection' draws plots/month.py "$folder/month.csv" 7
mark='BrokenBarHCollection' draws plots/month.py "$folder/month.csv" 3 --days 0:30
refuses plots/month.py "$folder/month.csv" 'nothing happens' --days 400:500
refuses plots/month.py "$folder/month.csv" 'is not of the form' --days 5
refuses plots/month.py "$folder/run.json" 'run ... --month'

# A mark in each of two panels for each codec that has an error: all but fp32.
table=traces/calibration/codec_error.json
codecs=$(/usr/bin/python3 -c 'import json, sys; print(len(json.load(sys.stdin)["codecs"]))' <"$table")
draws plots/codec_error.py "$table" $((2 * (codecs - 1)))
cmp "$folder/one.svg" docs/figures/codec_error.svg || {
  echo "docs/figures/codec_error.svg is not of $table: docs/figures/regenerate.sh draws it" >&2
  exit 1
}
sed 's/"normal"/"usual"/' "$table" >"$folder/unusual.json"
refuses plots/codec_error.py "$folder/unusual.json" 'known: usual'
