// SPDX-License-Identifier: Apache-2.0
// Graph: GPUs, NICs and switches as vertices, and the directed links between them. Fabrics build it
// (sim/topology/fabrics.hpp); wiring, engine and report read its links.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/topology/link.hpp"

namespace sim {

using VertexId = std::uint32_t;

// Stands for a link that cannot be a bottleneck, such as one into a non-blocking core.
inline constexpr LinkId kNoLimit = UINT32_MAX;

// A way through the graph.
struct Way {
  std::vector<LinkId> links;  // in order, without the unlimited ones
  int switches = 0;           // between its two ends
};

struct Vertex {
  static constexpr VertexId kNone = UINT32_MAX;

  VertexId above = kNone;  // the switch that it lies under
  LinkId up = kNoLimit, down = kNoLimit;
  int lanes = 1;   // parallel links up, and as many down: the ones after those
  int height = 0;  // levels below it
  int number = 0;  // among those that were added with it
};

class Graph {
 public:
  // To a vertex that is joined directly.
  struct Edge {
    VertexId to;
    LinkId link;
  };

  // For so many vertices, or a few more.
  explicit Graph(std::size_t vertices = 0) { vertices_.reserve(vertices); }

  VertexId add_vertex();
  std::vector<VertexId> add_vertices(int count);  // their ids follow each other
  LinkId add_link(Link link) { return links_.add(std::move(link)); }
  // `count` more links of one kind, numbered from 0; returns the first one, and the others follow.
  LinkId add_links(const char* kind, const char* set_by, int count, Bandwidth rate,
                   LinkRole role = LinkRole::other);

  // Puts a vertex under a switch: `up` leads there, `down` back, and further lanes with them. Lane i
  // of each vertex leads by the same switches, so that a message leaves by the lane by which it
  // arrives; of more lanes on the next level, each has an equal share. A vertex has one switch above it at
  // most, and everything below a switch lies equally deep.
  void attach(VertexId below, VertexId above, LinkId up, LinkId down, int lanes = 1);
  // Joins two vertices directly, in one direction.
  void join(VertexId from, VertexId to, LinkId link);

  [[nodiscard]] const Links& links() const { return links_; }
  [[nodiscard]] const Vertex& vertex(VertexId id) const { return vertices_[id]; }
  // In the order in which they were joined.
  [[nodiscard]] std::span<const Edge> edges(VertexId from) const {
    return from < edges_.size() ? edges_[from] : std::span<const Edge>();
  }

  // Of everything but the rates of links.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  std::vector<Vertex> vertices_;
  std::vector<std::vector<Edge>> edges_;  // by vertex, as far as the last one that has any
  Links links_;
};

// Appends a way from one vertex to another.
using AppendWay = void (*)(const Graph& graph, VertexId from, VertexId to, Way& way);
// Up from one end to the lowest switch above both, and down to the other end. An end may be a
// switch. Throws std::logic_error if no switch is above both.
void append_tree_way(const Graph& graph, VertexId from, VertexId to, Way& way);
// The same, where a hash chooses among lanes.
void append_hashed_way(const Graph& graph, VertexId from, VertexId to, std::uint64_t hash,
                       Way& way);
// Over the link that joins the two. Throws std::logic_error if there is none.
void append_direct_way(const Graph& graph, VertexId from, VertexId to, Way& way);

}  // namespace sim
