// SPDX-License-Identifier: Apache-2.0
// Collectives as operations. Each takes the bytes of the whole buffer and appends its flows and,
// for every rank of the group, a member operation on `call.stream`. With one rank, a group does
// nothing.
//
// A folded and a step-by-step communicator send the same bytes: CollectiveAlgorithm::sent.
#pragma once

#include <span>
#include <string_view>

#include "sim/collectives/communicator.hpp"

namespace sim {

struct Call {
  Stream stream = Stream::compute;
  Phase phase = Phase::none;
  std::string_view label;
  // Dependencies of each rank of the group besides its stream; empty, or one entry per rank.
  std::span<const OperationId> after = {};
  Buffers buffers = Buffers::in_place;
  double channels = 1;  // share of the communicator's that it takes: append() sets it
};

void append(ScheduleBuilder& builder, const Communicator& group, CollectiveKind collective,
            double bytes, const Call& call);
// The protocol is chosen.
void append(ScheduleBuilder& builder, const Communicator& group, Order order, const Call& call);
void all_gather(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call);
void reduce_scatter(ScheduleBuilder& builder, const Communicator& group, double bytes,
                    const Call& call);
void all_reduce(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call);
// `bytes` is the buffer of each rank, its own share included.
void all_to_all(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call);

// An all_reduce of a few bytes, dominated by latency: NCCL sends it up and down a tree, over the
// GPUs of a node one by one and over log2 of the nodes (src/graph/tuning.cc).
void all_reduce_scalar(const Cluster& cluster, ScheduleBuilder& builder, const Communicator& group,
                       const Call& call);

// A message from one rank to another.
struct Message {
  int source = 0;
  int destination = 0;
  double bytes = 0;
};
// Sends the message once `call.after` has ended. Neither rank's streams wait for it: a rank that
// must wait adds a member that ends with the returned operation.
OperationId send(const Topology& topology, ScheduleBuilder& builder, const Message& message,
                 const Call& call);

}  // namespace sim
