// SPDX-License-Identifier: Apache-2.0
// DeepEP, low-latency kernels: each token goes straight to the rank of each of its experts, over NVLink
// or by RDMA, and no SM waits while it is on its way (deepseek-ai/DeepEP).
#include "sim/collectives/tokens.hpp"

namespace sim {
namespace {

// Fitted on 8 and 16 H100, FP8 dispatch and BF16 combine of 7,168 values (AIConfigurator @095f58a5,
// h100_sxm, sglang 0.5.12): rows of a whole GPU.
constexpr TokenKernels kLowLatency{
    .dispatch = {.one_node = {.launch = 14.0_us,
                              .cost = {.to_rank = {Seconds{}, 295_GBps}, .to_node = {}}},
                 .several_nodes = {.launch = 19.7_us, .cost = {}}},
    .combine = {.one_node = {.launch = 12.3_us,
                             .cost = {.to_rank = {Seconds{}, 251_GBps}, .to_node = {}}},
                .several_nodes = {.launch = 25.0_us, .cost = {}}},
    .once_to_each_node = false};

}  // namespace

constinit const CollectiveAlgorithm algorithms::deepep_low_latency{
    .name = "deepep-low-latency",
    .runs = kOfTokens,
    .lay_out = [](const Topology& topology, const std::vector<int>& ranks,
                  Detail detail) { return lay_out_tokens(topology, ranks, detail, kLowLatency); },
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; },
    .suits = never};

}  // namespace sim
