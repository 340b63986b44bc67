// SPDX-License-Identifier: Apache-2.0
// NodePlacement: which nodes of a cluster a job has. Its nodes are numbered from 0 in their order, as
// their ranks are; a place is a node's number on the fabric.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct Cluster;
struct Network;

struct NodePlacement {
  enum class Kind {
    packed,     // the first nodes
    scattered,  // dealt to the fabric's outermost units in turn, in each to the next smaller ones
    random,     // drawn from all nodes, in the order of the draw
    listed
  };
  Kind kind = Kind::packed;
  std::uint64_t seed = 0;        // random
  std::vector<int> listed = {};  // the places, in order; a job may take fewer
  std::string text = "packed";   // as given
  bool operator==(const NodePlacement&) const = default;
};

// Of "packed", "scattered", "random", "random:SEED", or places: "0-3,8,12-14". Throws an InputError
// that begins with `place`.
[[nodiscard]] NodePlacement node_placement_of(std::string_view text, std::string_view place);
// Of the text of a file: places, separated by commas or blanks; the rest of a line after # is a
// comment. Throws an InputError that begins with FILE:LINE.
[[nodiscard]] NodePlacement listed_nodes(std::string_view text, const std::string& file);

// The place of each node of the job. Throws an InputError without a place if the cluster's list is
// too short or names nodes that the fabric does not have.
[[nodiscard]] std::vector<int> places_of(const Cluster& cluster);
// As it was given, a list without the nodes that the job does not take; "" where the nodes are
// packed, which is usual.
[[nodiscard]] std::string placement_name(const Cluster& cluster);
// All nodes of a fabric, or those that are listed, in the order of the placement.
[[nodiscard]] std::vector<int> order_of(const Network& network, int fabric_nodes,
                                        const NodePlacement& placement);
// All nodes of a fabric in the order in which scattered nodes take them.
[[nodiscard]] std::vector<int> scattered_order(const Network& network, int fabric_nodes);
// As many different numbers below `count` as it is, in random order.
[[nodiscard]] std::vector<int> random_order(int count, std::uint64_t seed);

}  // namespace sim
