// SPDX-License-Identifier: Apache-2.0
// DiLoCo and its relatives: sites train apart for a round, then exchange the change of their
// weights, of which a Nesterov step is taken.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

// The outer weights and their momentum in FP32. The update reads both, the reduced change and the
// weights, and writes both and the new weights.
constexpr double kOuterState = 4 + 4;
constexpr double kOuterUpdate = 7 * 4;

SiteExchange of_deltas(const Exchange& exchange, const char* codec, int inner_steps) {
  return {.exchange = &exchange,
          .wire = wire(codec),
          .inner_steps = inner_steps,
          .state_bytes = kOuterState,
          .update_bytes = kOuterUpdate};
}

// arXiv 2501.18512, section 3.1: H = 100, a fragment of 3 layers at a time, overlap of one to five
// steps.
SiteExchange streaming(const Exchange& exchange, const char* codec) {
  SiteExchange deltas = of_deltas(exchange, codec, 100);
  deltas.fragments = 8;
  deltas.overlap_steps = 1;
  return deltas;
}

// Learners go on while their deltas travel.
SiteExchange delayed(const Exchange& exchange, const char* codec, int inner_steps) {
  SiteExchange deltas = of_deltas(exchange, codec, inner_steps);
  deltas.overlap_steps = 1;
  deltas.delayed = true;
  return deltas;
}

// arXiv 2604.21428: 24 fragments per 24 steps, so one in every step, overlap of two steps. Published are
// a quorum of one learner and a grace that adapts to what the overlap leaves; with one alone nothing
// would be merged, and here the grace is constant, so both are choices. The syncer sends the merged
// change, which INT4 holds as it holds the learners', and each learner takes the outer step of it.
SiteExchange decoupled(const char* codec) {
  SiteExchange deltas = delayed(exchanges::syncer, codec, 24);
  deltas.fragments = 24;
  deltas.overlap_steps = 2;
  deltas.quorum = 2;
  deltas.grace = Seconds::from_base(1);
  return deltas;
}

// INTELLECT-1, section 2: H = 100 and INT8, in a ring that encodes anew at every hop and is ordered by
// the bandwidths that were measured.
SiteExchange ring_of_codes(const char* codec) {
  SiteExchange deltas = of_deltas(exchanges::quantized_ring, codec, 100);
  deltas.ring_order = RingOrder::best;
  return deltas;
}

}  // namespace

// H = 500.
Scheme diloco() {
  return {.name = "diloco",
          .summary = "DiLoCo: FP32 weight deltas every 500 steps, ring across the sites",
          .source = "arXiv 2311.08105",
          .between_sites = of_deltas(exchanges::ring, "fp32", 500),
          .twin = "diloco"};
}

// Two levels: sites average inside their regions often and across them seldom, as in Multi-Level
// Local SGD (arXiv 2007.13819). Each level takes an outer step of its own, with momentum, as the
// local and global servers of HALoS (arXiv 2506.04531) do. Exchanges across regions are DiLoCo's 500
// steps apart; one inside the regions every 50 is a choice.
Scheme hierarchical_diloco() {
  SiteExchange deltas = of_deltas(exchanges::ring, "fp32", 50);
  deltas.across_every = 10;
  return {.name = "hierarchical_diloco",
          .summary = "DiLoCo in two levels: every 50 steps inside regions, every 500 across, FP32",
          .source = "arXiv 2007.13819",
          .between_sites = deltas,
          .twin = "hierarchical_diloco"};
}

Scheme diloco_bf16() {
  return {.name = "diloco_bf16",
          .summary = "diloco with weight deltas in BF16",
          .source = "arXiv 2311.08105",
          .between_sites = of_deltas(exchanges::ring, "bf16", 500),
          .twin = "diloco_bf16"};
}

Scheme diloco_int8() {
  return {.name = "diloco_int8",
          .summary = "diloco every 100 steps in INT8: a ring that encodes at every hop",
          .source = "arXiv 2412.01152",
          .between_sites = ring_of_codes("int8_g2048"),
          .twin = "diloco"};
}

Scheme diloco_int4() {
  return {.name = "diloco_int4",
          .summary = "diloco_int8 with INT4",
          .between_sites = ring_of_codes("int4_g2048"),
          .twin = "diloco"};
}

// 4-bit changes. Its E3M0 has no scale; E2M1 with a scale for 32 stands for it.
Scheme streaming_diloco() {
  return {
      .name = "streaming_diloco",
      .summary = "Streaming DiLoCo: 8 fragments per 100 steps in FP4, each overlapping one step",
      .source = "arXiv 2501.18512",
      .between_sites = streaming(exchanges::all_to_all, "mxfp4"),
      .twin = "streaming_diloco_bf16"};
}

Scheme streaming_diloco_bf16() {
  return {.name = "streaming_diloco_bf16",
          .summary = "streaming_diloco with weight deltas in BF16",
          .source = "arXiv 2501.18512",
          .between_sites = streaming(exchanges::ring, "bf16"),
          .twin = "streaming_diloco_bf16"};
}

// A round passes beside the exchange of the one before. Sites step by their own change at once, and
// by what the others' adds to it a round later. The number of steps is a choice.
Scheme eager_diloco() {
  SiteExchange deltas = delayed(exchanges::ring, "bf16", 30);
  deltas.state_bytes += 4;  // the site's own change
  deltas.update_bytes *= 2;
  return {.name = "eager_diloco",
          .summary =
              "DiLoCo with eager updates: the exchange overlaps a whole round, BF16 weight deltas",
          .source = "arXiv 2502.12996",
          .between_sites = deltas,
          .twin = "eager_diloco"};
}

// Muon inside, DiLoCo's outer step with Nesterov momentum, H = 30. Changes travel in 2 bits with error
// feedback, by an all_to_all whose sums are encoded anew before they are gathered (quantized_outer_sgd.py
// of facebookresearch/MuLoCo), 8 times less than in BF16.
Scheme muloco() {
  SiteExchange deltas = of_deltas(exchanges::all_to_all, "codebook2", 30);
  deltas.optimizer = Optimizer::muon;
  deltas.feedback = true;
  deltas.state_bytes += 4;  // the residual in FP32
  return {.name = "muloco",
          .summary = "MuLoCo: Muon inside the sites, 2-bit weight deltas with error feedback",
          .source = "arXiv 2505.23725",
          .between_sites = deltas,
          .twin = "muloco_fp32"};
}

Scheme muloco_fp32() {
  SiteExchange deltas = of_deltas(exchanges::ring, "fp32", 30);
  deltas.optimizer = Optimizer::muon;
  return {.name = "muloco_fp32",
          .summary = "muloco without compression: FP32 weight deltas",
          .source = "arXiv 2505.23725",
          .between_sites = deltas,
          .twin = "muloco_fp32"};
}

// A syncer waits for a quorum and a window of grace, and merges what it has.
Scheme decoupled_diloco() {
  return {
      .name = "decoupled_diloco",
      .summary = "Decoupled DiLoCo: a syncer merges a fragment per step, in INT4, from a quorum",
      .source = "arXiv 2604.21428",
      .between_sites = decoupled("int4_g2048"),
      .twin = "decoupled_diloco_bf16"};
}

Scheme decoupled_diloco_bf16() {
  return {.name = "decoupled_diloco_bf16",
          .summary = "decoupled_diloco with weight deltas in BF16",
          .source = "arXiv 2604.21428",
          .between_sites = decoupled("bf16"),
          .twin = "decoupled_diloco_bf16"};
}

// Weights and outer momentum of two sites are averaged, no site waits for a third. Both travel, in
// FP32: two values a parameter.
Scheme noloco() {
  SiteExchange deltas = of_deltas(exchanges::pair, "fp32", 50);
  deltas.sent_per_byte = 2;
  deltas.update_bytes *= 2;
  return {.name = "noloco",
          .summary = "NoLoCo: exchanges weights and momentum with one random partner",
          .source = "arXiv 2506.10911",
          .between_sites = deltas,
          .twin = "noloco"};
}

}  // namespace sim
