#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gardenhose-calibrate from its flags to a prediction, on the emulated GPU: every kernel is launched,
# timed and checked, and the simulator reads the table. Usage: calibrate_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: calibrate_test.sh BUILD_FOLDER}")
calibrate=$build/tests/emulator/gardenhose-calibrate-emulated
gardenhose=$build/gardenhose
# Without the toolkit's headers there is no emulated GPU.
[ -e "$calibrate" ] || exit 0

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
cd "$sandbox"
run=("$gardenhose" run --topology dgx_h200_x16 --model gpt_125m --scheme sdp4bit)
smallest=(--min-size "16 KiB" --max-size "16 KiB")

"$calibrate" --quick "${smallest[@]}" --hidden 128 --minutes 1 --commit test --output table.json \
  2>messages || { cat messages >&2; exit 1; }
"${run[@]}" --calibration table.json >report
grep -F "extrapolated by memory bandwidth and SMs from emulated GPU (table)" report
grep -F '"architecture": "sm_90"' table.json
# Its times are those of a GPU that carries the name.
sed 's/"emulated GPU"/"NVIDIA H200"/' table.json >h200.json
"${run[@]}" --calibration h200.json >report
grep -F "codec encode int8_g128_hadamard_sr: measured on NVIDIA H200 (h200)" report
grep -E "gpu.memory_efficiency: .* measured on NVIDIA H200" report
"${run[@]}" --calibration h200.json --set gpu.memory_efficiency=0.5 >report
if grep "gpu.memory_efficiency" report; then echo "--set goes before the table" >&2; exit 1; fi
# 16 KiB is below what a summary shows.
"$calibrate" --summary table.json | grep -F "rows with a bar"
grep -c '^  {"method"' table.json | grep -Fx 15

# What cannot be written or read is said before minutes of measuring.
status=0
timeout 600 "$calibrate" --output missing/table.json 2>refusal || status=$?
[ "$status" = 2 ]
grep -F "missing/table.json: cannot be written: " refusal
"$calibrate" --help | grep -F "exit codes: 0 measured; 2 "

# A CPU's times are no GPU's, but those of codecs that hosts run between sites.
"$calibrate" --device cpu --threads 2 "${smallest[@]}" >cpu.json
if "${run[@]}" --calibration cpu.json 2>refusal; then echo "CPU times were taken" >&2; exit 1; fi
grep -F "cpu.json: /cpu: " refusal
"${run[@]}" --host-codecs cpu.json >report
grep -F "measured on" report | grep -F "(cpu)"
between=("$gardenhose" run --topology two_sites_10g --model gpt_1.3b --scheme sparseloco)
processor=$(sed -n 's/^ "\{0,1\}cpu": "\(.*\)",$/\1/p' cpu.json)
"${between[@]}" --host-codecs cpu.json >report
grep -F "encode sparseloco: measured on $processor (cpu)" report
if "${between[@]}" --host-codecs table.json 2>refusal; then echo "a GPU is no host" >&2; exit 1; fi
grep -F "table.json: /gpu: " refusal

# Interrupted in what takes hours here, it leaves the old table as it was.
cp table.json old.json
"$calibrate" --output table.json 2>/dev/null &
sleep 1
kill "$!"
wait "$!" || true
cmp table.json old.json
