// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/graph.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"

namespace sim {
namespace {

void append_limited(LinkId link, Way& way) {
  if (link != kNoLimit) way.links.push_back(link);
}

// One end of a way, on its climb to the other.
struct Climb {
  VertexId at;
  std::uint64_t hash;
  int lane = 0, lanes = 1;  // of the last link
  int crossed = 0;

  // The lane of its link there, which begins at `first`.
  LinkId link(LinkId first, const Vertex& vertex) {
    if (first == kNoLimit) return first;
    if (vertex.lanes == 1) {
      lane = 0;
      lanes = 1;
      return first;
    }
    const int each = std::max(1, vertex.lanes / lanes);  // behind each of the last level's
    const auto level = static_cast<std::uint64_t>(vertex.height);
    lane = (lane * each + static_cast<int>(mix(hash, level) % static_cast<unsigned>(each))) %
           vertex.lanes;
    lanes = vertex.lanes;
    return first + static_cast<LinkId>(lane);
  }
  void go_up(const Vertex& vertex) {
    at = vertex.above;
    ++crossed;
  }
};

}  // namespace

VertexId Graph::add_vertex() { return add_vertices(1).front(); }

std::vector<VertexId> Graph::add_vertices(int count) {
  std::vector<VertexId> added(static_cast<std::size_t>(count));
  std::iota(added.begin(), added.end(), static_cast<VertexId>(vertices_.size()));
  for (int number = 0; number < count; ++number) vertices_.push_back({.number = number});
  return added;
}

LinkId Graph::add_links(const char* kind, const char* set_by, int count, Bandwidth rate,
                        LinkRole role) {
  return links_.add_numbered(
      {.name = {}, .rate_Bps = rate.base(), .kind = kind, .set_by = set_by, .role = role}, count);
}

void Graph::attach(VertexId below, VertexId above, LinkId up, LinkId down, int lanes) {
  Vertex& vertex = vertices_[below];
  require(vertex.above == Vertex::kNone, "a vertex lies under one switch");
  int& height = vertices_[above].height;
  require(height == 0 || height == vertex.height + 1, "a switch's vertices lie equally deep");
  height = vertex.height + 1;
  vertex.above = above;
  vertex.up = up;
  vertex.down = down;
  vertex.lanes = lanes;
}

void Graph::join(VertexId from, VertexId to, LinkId link) {
  if (edges_.size() <= from) edges_.resize(from + 1);
  edges_[from].push_back({to, link});
}

std::uint64_t Graph::fingerprint() const {
  std::uint64_t of_all = links_.fingerprint();
  const auto add = [&](std::uint64_t high, std::uint64_t low) {
    of_all = mix(of_all, high << 32 | low);
  };
  for (const Vertex& vertex : vertices_) {
    add(vertex.above, static_cast<std::uint64_t>(vertex.lanes));
    add(vertex.up, vertex.down);
  }
  for (const std::vector<Edge>& edges : edges_) {
    add(edges.size(), 0);
    for (const Edge& edge : edges) add(edge.to, edge.link);
  }
  return of_all;
}

void append_tree_way(const Graph& graph, VertexId from, VertexId to, Way& way) {
  append_hashed_way(graph, from, to, 0, way);
}

void append_hashed_way(const Graph& graph, VertexId from, VertexId to, std::uint64_t hash,
                       Way& way) {
  constexpr std::size_t kMostLevels = 16;
  Climb near{from, hash}, far{to, hash};
  std::array<LinkId, kMostLevels> down;  // from the far end
  std::size_t levels = 0;
  while (near.at != far.at) {
    require(near.at != Vertex::kNone && far.at != Vertex::kNone, "a switch above both ends");
    const Vertex& one = graph.vertex(near.at);
    const Vertex& other = graph.vertex(far.at);
    if (one.height <= other.height) {
      append_limited(near.link(one.up, one), way);
      near.go_up(one);
    }
    if (other.height <= one.height) {
      require(levels < kMostLevels, "no fabric has so many levels");
      down[levels++] = far.link(other.down, other);
      far.go_up(other);
    }
  }
  while (levels > 0) append_limited(down[--levels], way);
  way.switches += std::max(0, near.crossed + far.crossed - 1);
}

void append_direct_way(const Graph& graph, VertexId from, VertexId to, Way& way) {
  const std::span<const Graph::Edge> edges = graph.edges(from);
  const auto edge = std::ranges::find(edges, to, &Graph::Edge::to);
  require(edge != edges.end(), "a link that joins the two");
  append_limited(edge->link, way);
}

}  // namespace sim
