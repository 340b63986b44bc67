// SPDX-License-Identifier: Apache-2.0
// The two-level reduction of gradients (SDP4Bit, arXiv 2410.15526, section 3.2; ZeRO++'s qgZ, arXiv
// 2306.10209, section 3.3), slice by slice: inside the node, sum and encode again, between nodes,
// sum. A slice's kernels and transfers depend on its own data; two slices compete only for a
// communicator or the GPU.
#include "sim/program/lay_out.hpp"
#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

Transfer all_to_all(Among among, const Wire& wire, double elements, double ranks) {
  const bool inside = among == Among::inside;
  return {.collective = CollectiveKind::all_to_all,
          .among = among,
          .bytes = wire.bytes(elements / ranks, ranks) * ranks,
          .stream = inside ? Stream::gradients : Stream::gradients_inter,
          .label = inside ? "all_to_all inside nodes" : "all_to_all between nodes",
          .wire = wire,
          .encoded = elements};
}

Communication by_two_levels(const StepSizes& shape, int, const Bucket& bucket) {
  const double parameters = bucket.parameters;
  const GradientExchange& exchange = shape.gradients;
  const int places = shape.places();
  const int nodes = shape.nodes;
  const bool both = places > 1 && nodes > 1;
  const int slices = both ? exchange.slices : 1;  // with one level there is nothing to overlap
  const double slice = parameters / slices;
  const double part = slice / places;  // elements that a rank sums for its node
  Communication reduction{.elements = parameters, .start = {{Stream::compute}}};
  // With replicas on one level only, that level's wire is encoded at once.
  const Wire& first = places > 1 ? exchange.inside : exchange.between;
  reduction.add(gradient_encode(exchange, first, parameters, shape.data), Phase::encode);
  const int encoded = static_cast<int>(reduction.parts.size()) - 1;
  std::vector<int> received;
  for (int i = 0; i < slices; ++i) {
    int last = encoded;
    if (places > 1) {
      last = reduction.add(all_to_all(Among::inside, exchange.inside, slice, places), last);
    }
    if (both) {
      reduction.add(gradient_encode_sum(exchange, exchange.inside, exchange.between, places, part,
                                        shape.data),
                    Phase::decode);
      last = static_cast<int>(reduction.parts.size()) - 1;
    }
    if (nodes > 1) {
      last = reduction.add(all_to_all(Among::between, exchange.between, part, nodes), last);
    }
    received.push_back(last);
  }
  const CodecUse sum = nodes > 1 ? gradient_sum(exchange.between, nodes, part / nodes)
                                 : gradient_sum(exchange.inside, places, part);
  for (const int slice_end : received) reduction.add(Kernel(sum, Phase::decode), slice_end);
  return reduction;
}

}  // namespace

constinit const Reduction reductions::two_level{.name = "two_level",
                                                .sends = Reduction::Sends::wires_by_level,
                                                .leaves = Reduction::Leaves::shards,
                                                .is_by_node = true,
                                                .lay_out = by_two_levels};

}  // namespace sim
