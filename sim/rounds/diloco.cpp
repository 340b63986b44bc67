// SPDX-License-Identifier: Apache-2.0
// DiLoCo and its relatives: sites train apart for a round, then exchange the change of their
// weights, of which a Nesterov step is taken.
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schemes/formats.hpp"

namespace sim {
namespace {

// The outer weights and their momentum in FP32. The update reads both, the reduced change and the
// weights, and writes both and the new weights.
constexpr double kState = 4 + 4;
constexpr double kUpdate = 7 * 4;

constexpr codecs::Format int_groups(codecs::Element element) {
  return {.element = element, .scale = codecs::Scale::amax, .group = 2048};
}
constexpr codecs::Format kFp4{
    .element = codecs::Element::e2m1, .scale = codecs::Scale::e8m0_even, .group = 32};

}  // namespace

// arXiv 2311.08105: H = 500.
extern const OuterScheme diloco{
    .name = "diloco",
    .summary = "DiLoCo: FP32 weight deltas every 500 steps, ring across the sites",
    .exchange = Exchange::ring,
    .wire = formats::kFp32,
    .inner_steps = 500,
    .state_bytes = kState,
    .update_bytes = kUpdate,
    .twin = "diloco"};

extern const OuterScheme diloco_bf16{.name = "diloco_bf16",
                                     .summary = "diloco with weight deltas in BF16",
                                     .exchange = Exchange::ring,
                                     .wire = formats::kBf16,
                                     .inner_steps = 500,
                                     .state_bytes = kState,
                                     .update_bytes = kUpdate,
                                     .twin = "diloco_bf16"};

// INTELLECT-1 (arXiv 2412.01152, section 2): H = 100 and INT8. Its ring encodes anew at every hop;
// here each part is summed once, in FP32, where it belongs.
extern const OuterScheme diloco_int8{
    .name = "diloco_int8",
    .summary = "diloco every 100 steps in INT8: all_to_all, local sum, all_gather",
    .exchange = Exchange::all_to_all,
    .wire = int_groups(codecs::Element::int8),
    .inner_steps = 100,
    .state_bytes = kState,
    .update_bytes = kUpdate,
    .twin = "diloco"};

extern const OuterScheme diloco_int4{.name = "diloco_int4",
                                     .summary = "diloco_int8 with INT4",
                                     .exchange = Exchange::all_to_all,
                                     .wire = int_groups(codecs::Element::int4),
                                     .inner_steps = 100,
                                     .state_bytes = kState,
                                     .update_bytes = kUpdate,
                                     .twin = "diloco"};

// arXiv 2501.18512, section 3.1: H = 100, a fragment of 3 layers at a time, overlap of one to
// five steps, 4-bit changes. Its E3M0 has no scale; E2M1 with a scale for 32 stands for it.
extern const OuterScheme streaming_diloco{
    .name = "streaming_diloco",
    .summary = "Streaming DiLoCo: 8 fragments per 100 steps in FP4, each overlapping one step",
    .exchange = Exchange::all_to_all,
    .wire = kFp4,
    .inner_steps = 100,
    .fragments = 8,
    .overlap_steps = 1,
    .state_bytes = kState,
    .update_bytes = kUpdate,
    .twin = "streaming_diloco_bf16"};

extern const OuterScheme streaming_diloco_bf16{
    .name = "streaming_diloco_bf16",
    .summary = "streaming_diloco with weight deltas in BF16",
    .exchange = Exchange::ring,
    .wire = formats::kBf16,
    .inner_steps = 100,
    .fragments = 8,
    .overlap_steps = 1,
    .state_bytes = kState,
    .update_bytes = kUpdate,
    .twin = "streaming_diloco_bf16"};

// Eager updates (arXiv 2502.12996): a round passes beside the exchange of the one before. Sites step
// by their own change at once, and by what the others' adds to it a round later. The number of steps
// is a choice.
extern const OuterScheme eager_diloco{
    .name = "eager_diloco",
    .summary = "DiLoCo with eager updates: the exchange overlaps a whole round, BF16 weight deltas",
    .exchange = Exchange::ring,
    .wire = formats::kBf16,
    .inner_steps = 30,
    .overlap_steps = 1,
    .delayed = true,
    .state_bytes = kState + 4,  // and the site's own change
    .update_bytes = 2 * kUpdate,
    .twin = "eager_diloco"};

// Learners go on while a leader waits for a quorum and a window of grace, and merges what it has.
extern const OuterScheme decoupled_diloco{
    .name = "decoupled_diloco",
    .summary =
        "asynchronous DiLoCo: a leader merges a quorum's weight deltas while learners continue",
    .exchange = Exchange::leader,
    .wire = formats::kBf16,
    .inner_steps = 100,
    .overlap_steps = 1,
    .delayed = true,
    .quorum = 2,
    .grace = Seconds::from_base(10),
    .state_bytes = kState,
    .update_bytes = kUpdate,
    .twin = "decoupled_diloco"};

// arXiv 2506.10911: weights and outer momentum of two sites are averaged, no site waits for a
// third. Both travel, in FP32: two values a parameter.
extern const OuterScheme noloco{
    .name = "noloco",
    .summary = "NoLoCo: exchanges weights and momentum with one random partner",
    .exchange = Exchange::pair,
    .wire = formats::kFp32,
    .sent_per_byte = 2,
    .inner_steps = 50,
    .state_bytes = kState,
    .update_bytes = 2 * kUpdate,
    .twin = "noloco"};

}  // namespace sim
