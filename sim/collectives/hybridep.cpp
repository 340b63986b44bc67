// SPDX-License-Identifier: Apache-2.0
// HybridEP: as DeepEP's normal kernels, with NVLink domains for nodes. TMA copies a row to all ranks of
// a domain, so that SMs handle it once for each (deepseek-ai/DeepEP, hybrid-ep branch).
#include "sim/collectives/tokens.hpp"

namespace sim {
namespace {

// Fitted on 16 H100 with 4 SMs, the kernels alone (docs/README_Hybrid-EP.md of that branch); starts as
// DeepEP's, for lack of figures.
constexpr TokenPass kHybridEpDispatch{.launch = 37.3_us,
                                      .doubling = 21.7_us,
                                      .cost = {.to_rank = {}, .to_node = {0.419_us, 16.4_GBps}}};
constexpr TokenPass kHybridEpCombine{.launch = 48.4_us,
                                     .doubling = 35.6_us,
                                     .cost = {.to_rank = {}, .to_node = {0.419_us, 21.0_GBps}}};

constexpr TokenKernels kHybridEp{
    .dispatch = {.one_node = kHybridEpDispatch, .several_nodes = kHybridEpDispatch},
    .combine = {.one_node = kHybridEpCombine, .several_nodes = kHybridEpCombine},
    .multiprocessors = 16};  // of NVIDIA's recipes (Megatron-Bridge, moe_hybridep_num_sms)

}  // namespace

constinit const CollectiveAlgorithm algorithms::hybridep = by_nodes<kHybridEp>("hybridep");

}  // namespace sim
