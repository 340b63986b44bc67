// SPDX-License-Identifier: Apache-2.0
// What of dense weights, of what lies with them and of their gradients has to leave the busiest node. A
// node that holds k of the S shards of something lacks (S - k) / S of it: so much has to come in where
// it is gathered, and to leave where it is summed. The collectives send at least that, and as much in
// as out.
#pragma once

#include "sim/program/outline.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

struct NodeBytes {
  double of_step = 0;
  // Below ZeRO-3, with whole pipeline stages: what is gathered before the first forward pass ends, what
  // is summed after the last backward pass begins, and both.
  double gathered = 0, summed = 0, gathered_and_summed = 0;
};
[[nodiscard]] NodeBytes node_bytes(const Job& job, const Setup& setup, const Outline& outline);

}  // namespace sim::study
