// SPDX-License-Identifier: Apache-2.0
// Communicator: a group of ranks with its collectives, laid out as NCCL would. Built once per group;
// each collective over it then costs a few operations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/nccl/tuner.hpp"

namespace sim {

// What a communicator is made for: a collective, run as NCCL chooses or by an algorithm.
struct Use {
  CollectiveKind collective = CollectiveKind::all_gather;
  const CollectiveAlgorithm* algorithm = nullptr;

  // A collective may stand where a use is asked for.
  Use(CollectiveKind kind,
      const CollectiveAlgorithm* by = nullptr)  // NOLINT(google-explicit-constructor)
      : collective(kind), algorithm(by) {}
  bool operator==(const Use&) const = default;
  // By collective, then NCCL's choice, then by name.
  bool operator<(const Use& other) const;
};
using Uses = std::vector<Use>;

// From the hops of a group to those of one that lies alike: sim/collectives/congruent.hpp.
struct Shift {
  int ranks = 0, nics = 0;
  [[nodiscard]] Hop of(Hop hop) const;
  bool operator==(const Shift&) const = default;
};

// A group before it is part of a schedule.
struct GroupDraft {
  std::vector<int> ranks;  // ascending
  int nodes = 1;           // on which they lie
  bool even = true;        // lie_evenly()
  struct Laid {
    const CollectiveAlgorithm* algorithm = nullptr;
    Uses runs = {};  // of those that the group is for
    LaidOut out = {};
  };
  std::shared_ptr<const std::vector<Laid>> shared = {};  // among congruent groups
  std::shared_ptr<const nccl::Tuner> tuner = {};         // null: none
  Shift shift = {};                                      // of the hops that are laid out

  // None of a single rank.
  [[nodiscard]] std::span<const Laid> laid() const {
    return shared == nullptr ? std::span<const Laid>() : std::span<const Laid>(*shared);
  }
  [[nodiscard]] std::vector<Hop> hops(const LegDraft& leg) const;
};

struct Communicator {
  std::vector<int> ranks;  // of the schedule, ascending
  int size = 1;            // ranks of the group: more where those of the schedule stand for others
  int nodes = 1;           // on which they lie
  double alike = 1;        // groups that it stands for
  std::int32_t id = 0;
  int channels = 1;
  Detail detail = Detail::folded;
  bool alike_links = true;      // neither hashes nor other jobs load some of them more
  std::uint32_t occupancy = 0;  // of a collective, from its begin to its end: one SM per channel
  struct Laid {
    const CollectiveAlgorithm* algorithm = nullptr;
    Uses runs = {};
    std::vector<Leg> legs = {};
    Run run = {};
    Estimate estimate = {};
  };
  std::vector<Laid> laid = {};
  std::optional<Protocol> protocol = {};          // asked for
  std::optional<NcclList> protocols = {};         // the same, as a list
  bool fastest = false;                           // Collectives::fastest
  std::shared_ptr<const nccl::Tuner> tuner = {};  // null: none
};

// How a collective runs: as NCCL's tuner chooses, if the group has one and the order no algorithm, or
// else by the algorithm and the protocol that take least on idle links. A protocol that is asked for is
// taken wherever an algorithm has it.
struct Choice {
  const Communicator::Laid* laid = nullptr;
  Protocol protocol = Protocol::simple;
};
// Throws std::logic_error if the collective was not laid out for the group.
[[nodiscard]] Choice choose(const Communicator& group, const Order& order);

// What a transfer takes from the GPUs of `ranks` while it runs: one SM for each of `channels`, and
// the memory bandwidth for `wire_bytes` on the wire per byte of the flow, moved by those channels if
// there are any.
[[nodiscard]] Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                                           std::vector<std::int32_t> ranks);

// The same while the bytes of a leg of the collective move: the traffic of its hops in the memory of
// the GPUs that send, as much as the busiest of them sends.
[[nodiscard]] Occupancy traffic_of(const Gpu& gpu, const LaidOut& collective,
                                   const std::vector<Hop>& hops);

[[nodiscard]] bool has_alike_links(const Cluster& cluster);

[[nodiscard]] Uses gathers_and_sums();
[[nodiscard]] Uses every_collective();

// Lays out the collectives of `ranks`, which must be distinct and ascending. An algorithm of a use must
// be able to run over them.
[[nodiscard]] GroupDraft draft_group(const Topology& topology, std::vector<int> ranks,
                                     Detail detail, const Uses& uses);
[[nodiscard]] Communicator add_group(const Topology& topology, ScheduleBuilder& builder,
                                     const GroupDraft& draft, Detail detail);
// Both.
[[nodiscard]] Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                                             std::vector<int> ranks, Detail detail = Detail::folded,
                                             const Uses& uses = every_collective());

}  // namespace sim
