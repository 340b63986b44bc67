// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives, a row each, with a file of its own. An algorithm lays out its flows
// once per group of ranks; each collective over the group then costs a few operations.
#pragma once

#include <compare>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/collectives/nccl/algorithm.hpp"
#include "sim/schedule/builder.hpp"
#include "sim/topology/hop.hpp"
#include "sim/topology/topology.hpp"

namespace sim {

struct Call;
struct Communicator;

// A broadcast is from the group's first rank; in send_receive each rank sends to the next one.
enum class CollectiveKind {
  all_gather,
  reduce_scatter,
  all_reduce,
  all_to_all,
  broadcast,
  send_receive
};

// Folded: simultaneous equal hops are one flow. Step by step: each hop of a ring and each pair of
// an all_to_all is a flow of its own, which is slower to simulate and serves to check the folding.
enum class Detail { folded, step_by_step };

// Part of a collective that progresses as one flow.
struct Leg {
  std::uint32_t route = 0;
  std::uint32_t occupancy = 0;  // memory traffic of the sending GPUs
  double unit = 0;              // bytes of each share per byte of the collective
  std::uint32_t round = 0;
};

// A leg before it is part of a schedule: hops that progress together.
struct LegDraft {
  std::vector<Hop> hops = {};
  double unit = 1;          // Leg::unit
  double channels = 1;      // per share: Route::channels
  std::uint32_t round = 0;  // of those that follow each other, if the algorithm has several
  bool operator==(const LegDraft&) const = default;
};

// Whether a gather's, a scatter's or an all_to_all's own share stays where it is or is copied to
// another buffer.
enum class Buffers { in_place, out_of_place };

// How the tokens of an all_to_all between experts go to ranks. A token that goes to several ranks of
// a node may cross the network once.
struct Spread {
  // Ranks and nodes of the group that a token goes to, its own included, on average: bytes of a rank
  // are tokens * to_ranks * row_bytes.
  double to_ranks = 1, to_nodes = 1;
  double row_bytes = 0;   // of a token on the wire; 0: rows are so long that only their bytes count
  double row_values = 0;  // of a token; 0: of BF16
  bool sums = false;      // the way back (combine), on which a token's rows are added
  auto operator<=>(const Spread&) const = default;
};

// One collective over a group of two ranks or more.
struct Order {
  CollectiveKind collective = CollectiveKind::all_gather;
  double bytes = 0;  // of the whole buffer (of an all_to_all: of each rank's), above 0
  Protocol protocol = Protocol::simple;
  Buffers buffers = Buffers::in_place;
  // That runs it, of those that the group was made for; null: as NCCL chooses.
  const CollectiveAlgorithm* algorithm = nullptr;
  Spread spread = {};
  int multiprocessors = 0;  // of an algorithm with a number of its own; 0: that one
  auto operator<=>(const Order&) const = default;
};

// Appends it over the group's legs.
using Run = std::function<void(ScheduleBuilder& builder, const Communicator& group,
                               std::span<const Leg> legs, const Order& order, const Call& call)>;

// What it takes on links that nothing else uses.
struct Duration {
  double before_s = 0;      // until the first byte moves
  double on_the_way_s = 0;  // latencies, and what the protocol takes longer than links at full rate
  double moving_s = 0;      // bytes at full rate
  bool unchosen = false;    // NCCL takes another protocol at this size

  [[nodiscard]] double seconds() const { return before_s + on_the_way_s + moving_s; }
};
// Nothing if the protocol cannot run it.
using Estimate = std::function<std::optional<Duration>(const Order& order)>;

// The flows of a group's collectives.
struct LaidOut {
  std::vector<LegDraft> legs;  // in the order in which `run` expects them
  // Latencies and whatever else the times of `run` depend on, besides legs and the number of ranks:
  // groups are alike only if theirs are equal.
  std::vector<double> pace;
  Run run;
  Estimate estimate;
  bool holds_multiprocessors = true;  // channels move its bytes
};

// How a group lies.
struct GroupShape {
  int ranks = 1, nodes = 1;
  bool even = true;  // lie_evenly()
  bool operator==(const GroupShape&) const = default;
};

struct CollectiveAlgorithm {
  std::string_view name;
  std::span<const CollectiveKind> runs;
  // Its collectives over the ranks, which ascend. Called once for each group.
  LaidOut (*lay_out)(const Topology& topology, const std::vector<int>& ranks,
                     Detail detail) = nullptr;
  // Its transfers wait for each other, so that its folded form is exact only where its links are
  // alike.
  bool in_steps = false;
  // Bytes that a rank sends, on average, per byte of the buffer.
  double (*sent)(CollectiveKind collective, int ranks, int nodes) = nullptr;
  int most_nodes = std::numeric_limits<int>::max();  // that it can run on
  // Whether it can run over such a group; null: over any on so many nodes.
  bool (*takes)(const Cluster& cluster, const GroupShape& shape) = nullptr;
  std::string_view needs = {};  // of a group that it can run over, for messages: "one node"
  // Whether it is among those from which the fastest is chosen for so many ranks on so many nodes;
  // null: always.
  bool (*suits)(const Cluster& cluster, int ranks, int nodes) = nullptr;
  // SMs that it holds unless told otherwise; 0: one for each channel.
  int multiprocessors = 0;
  // Whether it sends a token once to a rank that has several of its experts: Spread::to_ranks then
  // counts ranks, else experts.
  bool once_to_each_rank = false;
  std::optional<nccl::Algorithm> nccl =
      {};  // among which NCCL's tuner chooses; nothing: it has none

  [[nodiscard]] bool can_run(CollectiveKind collective) const;
  [[nodiscard]] bool can_run_on(const Cluster& cluster, const GroupShape& shape) const;
};

// As CollectiveAlgorithm::suits of those that run by name alone, as NCCL does not choose them.
[[nodiscard]] bool never(const Cluster& cluster, int ranks, int nodes);

[[nodiscard]] std::span<const CollectiveAlgorithm* const> all_algorithms();
// That of the name; null for "auto". Throws an InputError that begins with `place`, and lists the
// names of those that run the collective, or of all without one.
[[nodiscard]] const CollectiveAlgorithm* algorithm_named(
    std::string_view name, std::string_view place,
    std::optional<CollectiveKind> collective = std::nullopt);
// The algorithms from which the collective over such a group takes the fastest: the cluster's own
// alone, if that can run it, those of its list, or else all that suit (sim/collectives/asked.hpp tells
// which), or all that NCCL's tuner knows.
[[nodiscard]] std::vector<const CollectiveAlgorithm*> algorithms_for(const Cluster& cluster,
                                                                     CollectiveKind collective,
                                                                     const GroupShape& shape,
                                                                     bool by_nccl = false);

}  // namespace sim
