#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shard.sh FLAGS...: throughput, exposed communication and memory
gardenhose run --topology dgx_h100_x16 --model llama_3_8b --recompute full --sequence 2048 \
  --kernels eager --attention sdpa --gradient-precision bf16 \
  --set network.nic_bandwidth="100 Gbps" --range off "$@" \
  | grep -E '^(tokens|memory)|^  exposed' | tr '\n' ' ' | tr -s ' '
echo "$*"
