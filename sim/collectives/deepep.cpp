// SPDX-License-Identifier: Apache-2.0
// DeepEP, normal kernels: a token crosses the network once to each node, to the GPU in the sender's
// place, whose SMs pass it on over NVLink (deepseek-ai/DeepEP).
#include "sim/collectives/tokens.hpp"

namespace sim {
namespace {

// Fitted on 8 and 16 H100, FP8 dispatch and BF16 combine (AIConfigurator @095f58a5, h100_sxm,
// wideep_deepep_normal_perf.parquet). A row's bytes and its own cost are told apart by FP8 over BF16
// dispatch on 8 B200 with 16 SMs (deepseek-ai/DeepEP, hybrid-ep branch, docs/README_Hybrid-EP.md); a
// row that is added costs as much of its own as one that is copied.
constexpr RowCost kDeepEpCopy{0.262_us, 43.2_GBps};
constexpr RowCost kDeepEpSumOnOneNode{0.262_us, 27.5_GBps};
constexpr RowCost kDeepEpSum{0.262_us, 18.7_GBps};

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
