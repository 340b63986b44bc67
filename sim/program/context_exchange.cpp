// SPDX-License-Identifier: Apache-2.0
// How ranks with parts of the same sequences attend to all of them. Of the c ranks each has 1/c of the
// tokens, from both ends of a sequence, so that a causal mask leaves all as much (zigzag).
//
//   ring        keys and values go round beside the core of those that are there; backward so do they,
//               and their gradients (Liu et al., arXiv 2310.01889)
//   all_gather  of keys and values before the core; backward once more, and their gradients are
//               scattered behind it (Llama 3, arXiv 2407.21783, section 3.3.2)
//   all_to_all  of queries, keys and values, tokens for heads, before the core, and of what it gives
//               behind (Jacobs et al., arXiv 2309.14509)
//
// A core of c rounds, each of which waits for the slower of computing (x) and sending (y), takes as long
// as one whose last round alone waits for all that is sent:
//
//   x + (c - 1) max(x, y) = max(c x, (c - 1) y + x)
#include "sim/program/block_exchange.hpp"
#include "sim/workload/sizes.hpp"

namespace sim {
namespace {

Communication between_context_ranks(const Axis& axis) {
  return {.axis = &axis, .start = {{Stream::compute}}};
}

void add(CollectiveKind collective, double elements, const char* label, Communication& to) {
  constexpr double kBf16 = 2;
  to.elements += elements;
  to.add(Transfer{.collective = collective,
                  .among = Among::axis,
                  .bytes = kBf16 * elements,
                  .stream = Stream::context,
                  .phase = Phase::context_comm,
                  .label = label});
}

Communication round_the_ring(const StepSizes& shape, Point point, double) {
  using enum CollectiveKind;
  const Sizes z = sizes_of(shape.context.model, shape.parallelism);
  const double elements = ring_ranks(shape.parallelism) * z.tokens * (z.keys + z.values);
  const bool ring = shape.parallelism.context_exchange == ContextExchange::ring;
  const bool gathers = point == Point::inside_attention || point == Point::before_core_gradients;
  const bool scatters = point == (ring ? Point::before_core_gradients : Point::core_gradients);
  Communication exchange = between_context_ranks(axes::context);
  if (gathers) add(all_gather, elements, "keys, values", exchange);
  if (scatters) add(reduce_scatter, elements, "key, value gradients", exchange);
  return exchange;
}

// What a rank has of all heads, for what others have of its heads.
Communication of_heads(const StepSizes& shape, Point point, double) {
  const Sizes z = sizes_of(shape.context.model, shape.parallelism);
  const bool core = point == Point::after_core || point == Point::before_core_gradients;
  const bool projected = point == Point::inside_attention || point == Point::core_gradients;
  Communication exchange = between_context_ranks(axes::context_heads);
  if (core || projected) {
    add(CollectiveKind::all_to_all, z.tokens * (core ? z.outputs : z.projected()), "heads",
        exchange);
  }
  return exchange;
}

constexpr BlockExchange kRing{round_the_ring};
constexpr BlockExchange kHeads{of_heads};

}  // namespace

constinit const Axis axes::context{.name = "cp", .splits = Splits::tokens, .exchange = &kRing};
constinit const Axis axes::context_heads{
    .name = "cph", .splits = Splits::tokens, .exchange = &kHeads};

}  // namespace sim
