// SPDX-License-Identifier: Apache-2.0
// Chunks that follow each other up and down trees. NCCL splits a channel's threads between the way up
// and the way down, so a hop passes on a chunk at its share of its busiest link whether or not the
// other hops over that link have begun. It passes on one chunk at a time, once that has arrived from
// all children. So a collective takes as long as its slowest passage from a leaf up to the root and
// down to a leaf: one chunk over all hops, and each further one over the slowest of them. A streamed
// chunk is passed on while it arrives, and its bytes take the slowest hop alone.
#pragma once

#include <span>
#include <vector>

#include "sim/collectives/protocols.hpp"
#include "sim/collectives/trees.hpp"

namespace sim {

inline constexpr double kKiB = 1024;  // bytes

// Equal parts of what passes one tree.
struct Chunks {
  double count = 1;
  double bytes = 0;  // of each
  bool streamed = false;
};

struct HopPace {
  ProtocolTimes latency_s = {};
  double s_per_byte = 0;  // of a chunk
};

// Paces by hop, of which a rank sends a few: those of each lie together.
class HopPaces {
 public:
  struct Entry {
    Hop hop;
    HopPace pace;
  };
  explicit HopPaces(std::vector<Entry> all);
  [[nodiscard]] const HopPace& at(const Hop& hop) const;

 private:
  std::vector<Entry> all_;          // by hop
  std::vector<std::size_t> first_;  // of each source, from the lowest on
};

// The edge from a rank to its parent, by places in the group.
struct PacedEdge {
  std::size_t child = 0, parent = 0;
  HopPace up, down;
};
using PacedTree = std::vector<PacedEdge>;

struct Passage {
  ProtocolTimes latency_s = {};
  double s_per_byte = 0;          // of a chunk, over all hops
  double slowest_s_per_byte = 0;  // over the slowest one

  // Whether no chunks take longer over the other one.
  [[nodiscard]] bool covers(const Passage& other) const;
};

class TreePipeline {
 public:
  // `legs`: the hops of all trees, which are `parts` of a buffer.
  TreePipeline(const Topology& topology, const Paces& paces, std::span<const LegDraft> legs,
               double parts);

  [[nodiscard]] PacedTree paced(const Tree& tree) const;
  // Those of all trees that can take longest.
  [[nodiscard]] std::vector<Passage> passages(const std::vector<Tree>& trees) const;

 private:
  HopPaces hops_;
};

[[nodiscard]] double pipeline_s(const std::vector<Passage>& passages, Protocol protocol,
                                const Chunks& chunks);
// Of a chunk's byte once the pipeline is full.
[[nodiscard]] double slowest_s_per_byte(const std::vector<Passage>& passages);
// All values, for LaidOut::pace.
void append_values(const std::vector<Passage>& passages, std::vector<double>& values);

}  // namespace sim
