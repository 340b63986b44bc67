// SPDX-License-Identifier: Apache-2.0
// DeepEP, normal kernels: a token crosses the network once to each node, to the GPU in the sender's
// place, whose SMs pass it on over NVLink (deepseek-ai/DeepEP).
#include "sim/collectives/tokens.hpp"

namespace sim {
namespace {

// Of rows of 7,168 values fitted on 8 and 16 H100, FP8 dispatch and BF16 combine (AIConfigurator
// @095f58a5, h100_sxm, wideep_deepep_normal_perf.parquet): 0.433 us to copy one, and to add one 0.783 us
// on one node and 1.03 us on several. The shares of a row, its values and its bytes are told apart
// by FP8 over BF16 dispatch on 8 B200 with 16 SMs (deepseek-ai/DeepEP, hybrid-ep branch,
// docs/README_Hybrid-EP.md: bytes are 0.171 of the 0.433 us) and by widths of 2,048 to 7,168 on 8 H100
// from 1,024 tokens (the same repository, comm/sglang/0.5.12: a sixth of 7,168 values' time is the row's
// own to copy, and nothing to add). What is added has the same shares of values and bytes.
constexpr RowCost kDeepEpCopy{0.072_us, 43.2_GBps, 0.0265_us};
constexpr RowCost kDeepEpSumOnOneNode{0_us, 28.8_GBps, 0.0398_us};
constexpr RowCost kDeepEpSum{0_us, 21.9_GBps, 0.0522_us};

constexpr Seconds kDispatchStarts = 37.3_us, kCombineStarts = 48.4_us;

constexpr TokenKernels kDeepEp{
    .dispatch = {.one_node = {.launch = kDispatchStarts,
                              .cost = {.to_rank = kDeepEpCopy, .to_node = {}}},
                 .several_nodes = {.launch = kDispatchStarts,
                                   .doubling = 21.7_us,
                                   .cost = {.to_rank = kDeepEpCopy, .to_node = kDeepEpCopy}}},
    .combine = {.one_node = {.launch = kCombineStarts,
                             .cost = {.to_rank = kDeepEpSumOnOneNode, .to_node = {}}},
                .several_nodes = {.launch = kCombineStarts,
                                  .doubling = 35.6_us,
                                  .cost = {.to_rank = kDeepEpSum, .to_node = kDeepEpSum}}},
    .multiprocessors = 20};  // its default (deep_ep/buffer.py, Buffer.num_sms)

}  // namespace

constinit const CollectiveAlgorithm algorithms::deepep = by_nodes<kDeepEp>("deepep");

}  // namespace sim
