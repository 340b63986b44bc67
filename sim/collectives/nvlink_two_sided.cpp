// SPDX-License-Identifier: Apache-2.0
// NVLink two-sided: tokens inside one NVLink domain as TensorRT-LLM sends them (NVLinkTwoSided of its
// fused_moe/communication). Half of the SMs work, in channels: in each, a warp for every peer sends it
// one row after the other, and another one receives.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"
#include "sim/collectives/tokens.hpp"

namespace sim {
namespace {

// Fitted on dispatch of BF16 and FP8 rows of 7,168 values over 8 GB200 (AIConfigurator @095f58a5,
// gb200, trtllm_alltoall_perf.parquet): until the first row arrives, and what an SM takes for each row
// to another GPU.
constexpr Seconds kTwoSidedStarts = 12.7_us;
constexpr RowCost kTwoSidedRow{0.103_us, 8.51_GBps};

// FusedMoeCommunicator (cpp/tensorrt_llm/kernels/fusedMoeCommKernels.cu).
struct TwoSidedWarps {
  int channels = 1;
  int multiprocessors = 2;  // in use
};
TwoSidedWarps warps_over(int multiprocessors, int ranks) {
  constexpr int kPeersOfBlock = 8;  // MAX_GROUP_COUNT_PER_BLOCK
  const int blocks = 2 * ((ranks + kPeersOfBlock - 1) / kPeersOfBlock);
  const int channels = std::max(1, multiprocessors / 2 / blocks);
  return {channels, channels * blocks};
}

struct TwoSided {
  double ranks = 0;
  TwoSidedWarps warps;
  double s_per_byte = 0;  // of the links, per byte of each rank's buffer
  // Of a warp that sends a row: the protocol's latency, and a channel's rate.
  RowCost of_warp;
};

std::optional<Duration> estimate_two_sided(const TwoSided& laid, const Order& order) {
  if (order.protocol != Protocol::simple) return std::nullopt;
  const auto seconds = [&](const RowCost& cost) {
    return TokenCost{cost, {}}.s_per_byte(order.spread) * order.bytes;
  };
  const double rows_of_multiprocessor =
      seconds(kTwoSidedRow) * (laid.ranks - 1) / laid.ranks / laid.warps.multiprocessors;
  const double rows_of_warp = seconds(laid.of_warp) / laid.ranks / laid.warps.channels;
  const double moving = order.bytes * laid.s_per_byte;
  const double copying = std::max(rows_of_multiprocessor, rows_of_warp);
  return Duration{.before_s = kTwoSidedStarts.base(),
                  .on_the_way_s = std::max(0.0, copying - moving),
                  .moving_s = moving};
}

// As NCCL's channels and LL128, where these are known.
RowCost cost_of_warp(const Nvlink& nvlink) {
  if (!nvlink.ll128 || !nvlink.pairs_channel_efficiency) return {};
  return {nvlink.ll128->latency, nvlink.bandwidth * *nvlink.pairs_channel_efficiency};
}

LaidOut lay_out_two_sided(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const auto size = static_cast<double>(ranks.size());
  std::vector<LegDraft> legs =
      detail == Detail::folded ? fold_all_to_all(topology, ranks) : list_pairs(topology, ranks);
  for (LegDraft& leg : legs) leg.unit /= size;
  const TwoSided laid{
      .ranks = size,
      .warps = warps_over(cluster.gpu.multiprocessors, static_cast<int>(ranks.size())),
      .s_per_byte = busiest_of(topology, legs).seconds(),
      .of_warp = cost_of_warp(cluster.nvlink)};
  const auto run = [laid](ScheduleBuilder& builder, const Communicator& group,
                          std::span<const Leg> of_group, const Order& order, const Call& call) {
    builder.count_unfolded(group.alike * laid.ranks * (laid.ranks - 1));
    Call sized = call;
    sized.channels = double{1} * laid.warps.multiprocessors / group.channels;
    run_legs(builder, group, of_group, order.bytes,
             latency_of(estimate_two_sided(laid, order).value()), sized);
  };
  return {std::move(legs), {laid.ranks, laid.s_per_byte}, run, [laid](const Order& order) {
            return estimate_two_sided(laid, order);
          }};
}

}  // namespace

constinit const CollectiveAlgorithm algorithms::nvlink_two_sided{
    .name = "nvlink-two-sided",
    .runs = kOfTokens,
    .lay_out = lay_out_two_sided,
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; },
    .most_nodes = 1,
    .needs = "one node",
    .suits = never,
    .once_to_each_rank = true};

}  // namespace sim
