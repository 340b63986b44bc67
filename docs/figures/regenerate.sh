#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the documentation from the program's output, with plots/*.py and, for
# pages, Chromium. Without names, it draws all of them. tests/pictures checks them.
# Usage: docs/figures/regenerate.sh [--build FOLDER] [NAME...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=build/release
if [ "${1:-}" = --build ]; then
  build=$2
  shift 2
fi
PATH=$PWD/$build:/usr/bin:$PATH
all=(codec_error sdp4bit validation fsdp pareto utilisation scheme_map month scaling price memory
  waterfall overlap report report_phone serve serve_phone)
# One step, uncompressed and compressed.
step=(--topology dgx_h100_x16 --model gpt_2.7b --overlap all --gradient-precision bf16 --attention fused
  --set "network.nic_bandwidth=100 Gbps")

codec_error() { plots/codec_error.py <traces/calibration/codec_error.json; }
sdp4bit() {
  gardenhose validate sdp4bit --format csv | plots/validation.py --beside blind,null_refit
}
validation() {
  local study
  for study in sdp4bit fsdp zeropp streaming-diloco; do
    gardenhose validate "$study" --format csv
  done | plots/validation.py
}
fsdp() { gardenhose validate fsdp --format csv | plots/fsdp.py; }
pareto() {
  gardenhose run "${step[@]}" --scheme all --baseline sharded --format json | plots/pareto.py
}
utilisation() {
  gardenhose solve bandwidth --topology two_sites_10g --model llama_2_7b --tp 8 \
    --scheme wan_sync,wan_sync_int4,demo,diloco,diloco_int8,streaming_diloco,sparseloco \
    --set scheme.inner_steps=100 --utilisation 0.2,0.5,0.7,0.8,0.9,0.95,0.99 --format csv |
    plots/utilisation.py
}
scheme_map() {
  local model
  for model in gpt_2.7b llama_3_8b llama_2_13b mpt_30b; do
    gardenhose map --topology dgx_h100_x128 --model "$model" --attention fused --loss fused \
      --sequence-parallel on --format csv
  done | plots/scheme_map.py
}
month() {
  gardenhose run --topology twenty_peers_b200 --model llama_2_7b --zero 3 --range off \
    --scheme sparseloco_store --set scheme.inner_steps=1000 --set sites.peer.stays=24h \
    --set sites.peer.returns_after=4h --set membership.detection=6s \
    --month "$scratch/month.csv" >/dev/null
  plots/month.py --days 0:2 <"$scratch/month.csv"
}

scaling() {
  cat >"$scratch/scaling.toml" <<'SPEC'
[run]
topology = "dgx_h100_x16"
model = "gpt_2.7b"
overlap = "all"
gradient-precision = "bf16"
attention = "fused"
range = "on"
network.nic_bandwidth = "100 Gbps"
[grid]
scheme = ["sharded", "sdp4bit", "zeropp"]
nodes = [1, 2, 4, 8, 16]
SPEC
  gardenhose sweep "$scratch/scaling.toml" >"$scratch/points"
  gardenhose export "$scratch/scaling.sqlite" | plots/speedup.py --x nodes --y tokens_per_s
}
price() {
  gardenhose plan --topology dgx_h100_x16 --model gpt_6.7b --attention fused --tokens 1e11 \
    --scheme sharded,sdp4bit --nic-bandwidths "50 Gbps" --all --format csv | plots/plans.py
}
memory() {
  gardenhose run "${step[@]}" --scheme sharded,sdp4bit,zeropp,int8_all_reduce,top_k --format json |
    plots/memory.py --capacity "80 GB"
}
waterfall() {
  gardenhose run "${step[@]}" --scheme sdp4bit --baseline twin --format json | plots/waterfall.py
}
overlap() {
  local scheme
  for scheme in sharded sdp4bit; do
    gardenhose run "${step[@]}" --scheme "$scheme" --perfetto "$scratch/$scheme.json" >"$scratch/report"
  done
  plots/overlap.py "$scratch"/{sharded,sdp4bit}.json
}

study() {
  cat >"$scratch/network.toml" <<'SPEC'
[run]
topology = "dgx_h100_x16"
nodes = 4
baseline = "twin"
overlap = "all"
gradient-precision = "bf16"
range = "on"
[grid]
scheme = ["sharded", "sdp4bit", "tlq_hs", "qwd"]
model = ["gpt_1.3b", "gpt_2.7b", "gpt_6.7b"]
network.nic_bandwidth = ["25 Gbps", "50 Gbps", "100 Gbps", "200 Gbps", "400 Gbps"]
SPEC
  gardenhose sweep "$scratch/network.toml" >"$scratch/points"
  gardenhose report "$scratch/network.sqlite" >"$scratch/page"
}
report() { study && docs/figures/screenshot.py "$scratch/network.html"; }
report_phone() { study && docs/figures/screenshot.py "$scratch/network.html" --phone; }
serve() { docs/figures/screenshot_serve.py "$(command -v gardenhose)"; }
serve_phone() { docs/figures/screenshot_serve.py "$(command -v gardenhose)" --phone; }

if [ $# -eq 0 ]; then set -- "${all[@]}"; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in "$@"; do
  picture=docs/figures/$name.svg
  case $name in report* | serve*) picture=docs/figures/$name.png ;; esac
  "$name" >"$scratch/drawn"
  cp "$scratch/drawn" "$picture"
  echo "$picture"
done
