// SPDX-License-Identifier: Apache-2.0
#include "sim/program/leaving_bytes.hpp"

namespace sim {
namespace {

// A node lacks what its ranks do not have of a buffer that they gather, and sends their sums of
// what others keep of one that they scatter. In a ring, an all_reduce does both; by any algorithm,
// others need what the node adds to the sum. Each rank of an all_to_all sends other data.
double per_byte(const StepSizes& shape, CollectiveKind collective) {
  const bool in_ring = shape.context.cluster.collectives.algorithm == &algorithms::ring;
  return collective == CollectiveKind::all_reduce && in_ring ? 2 : 1;
}

}  // namespace

LeavingBytes leaving_bytes(const StepSizes& shape, const Communication& communication) {
  LeavingBytes least;
  for (const Part& part : communication.parts) {
    const auto* transfer = std::get_if<Transfer>(&part.what);
    if (transfer == nullptr) continue;
    const double bytes = per_byte(shape, transfer->collective) * transfer->bytes;
    switch (transfer->among) {
      case Among::shards:
        least.shards += bytes;
        break;
      case Among::replicas:
        least.replicas += bytes;
        break;
      case Among::between:  // from each place of a node
        least.same_weights += bytes * shape.places();
        break;
      case Among::inside:
      case Among::axis:
        break;
    }
  }
  return least;
}

}  // namespace sim
