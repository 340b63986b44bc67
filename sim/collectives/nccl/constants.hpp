// SPDX-License-Identifier: Apache-2.0
// Constants of NCCL's tuner (NVIDIA/nccl, src/graph/tuning.cc at the versions' tags), in microseconds
// and GB/s.
#pragma once

#include "sim/collectives/nccl/tuner.hpp"

namespace sim::nccl {

// Versions since which
inline constexpr NcclVersion kGathersInSwitch{19};  // NVLS gathers and scatters, and is rated anew
inline constexpr NcclVersion kHalfByLl{21};         // a ring by LL reaches half of the bandwidth
inline constexpr NcclVersion kLoneGpusAsTrees{
    23};                                           // rings of a GPU a node pay the latency of trees
inline constexpr NcclVersion kPat{23};             // PAT exists
inline constexpr NcclVersion kSlowerPat{24};       // it is rated lower
inline constexpr NcclVersion kBlackwell{25};       // Blackwell has constants of its own
inline constexpr NcclVersion kGathersByShare{27};  // a rank's own share is not gathered by NVLS
inline constexpr NcclVersion kSwitchEfficiency{28};  // NVLS has an efficiency for each generation

inline constexpr int kMostOfSwitch = 32;  // GPUs whose buffers NVLS gathers: NCCL_MAX_NVLS_ARITY

// What a step crosses.
enum class Link { nvlink, pcie, network };
[[nodiscard]] double step_us(NcclVersion version, Link link, Algorithm algorithm,
                             Protocol protocol);
// Before the first step.
[[nodiscard]] double start_us(NcclVersion version, Algorithm algorithm, Protocol protocol);

// Most of a group by LL, and of a channel by an algorithm and a protocol.
[[nodiscard]] double ll_GBps(NcclVersion version, const Group& group);
[[nodiscard]] double ring_ll128_channel_GBps(NcclVersion version, const Group& group);
[[nodiscard]] double tree_ll128_channel_GBps(NcclVersion version, const Group& group);
[[nodiscard]] double tree_channel_GBps(NcclVersion version, const Group& group);
[[nodiscard]] double nvls_tree_channel_GBps(const Group& group);
// Of NVLS.
[[nodiscard]] double switch_efficiency(const Group& group);

[[nodiscard]] bool has_ll128(NcclVersion version, int compute_capability);

// What trees reach of their bandwidth where a buffer is of medium size.
[[nodiscard]] double tree_correction(NcclVersion version, Protocol protocol, double bytes);
[[nodiscard]] bool corrects_nvls_tree(NcclVersion version, const Group& group);

}  // namespace sim::nccl
