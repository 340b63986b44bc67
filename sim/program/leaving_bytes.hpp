// SPDX-License-Identifier: Apache-2.0
// What of a communication has to leave nodes: a pass, for lower bounds.
#pragma once

#include "sim/program/lay_out.hpp"

namespace sim {

// By how ranks take part. Of each group of n ranks, (n - k) / n of so many bytes leave, at least,
// each node that holds k of them, and as many arrive there.
struct LeavingBytes {
  double shards = 0;        // ranks that share one set of shards
  double replicas = 0;      // that hold the same shard
  double same_weights = 0;  // all that hold the same weights
  void add(const LeavingBytes& other, double times) {
    shards += times * other.shards;
    replicas += times * other.replicas;
    same_weights += times * other.same_weights;
  }
};
[[nodiscard]] LeavingBytes leaving_bytes(const StepSizes& shape,
                                         const Communication& communication);

}  // namespace sim
