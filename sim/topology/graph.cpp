// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/graph.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/error.hpp"

namespace sim {
namespace {

void append_limited(LinkId link, Way& way) {
  if (link != kNoLimit) way.links.push_back(link);
}

}  // namespace

VertexId Graph::add_vertex() { return add_vertices(1).front(); }

std::vector<VertexId> Graph::add_vertices(int count) {
  std::vector<VertexId> added(static_cast<std::size_t>(count));
  std::iota(added.begin(), added.end(), static_cast<VertexId>(vertices_.size()));
  vertices_.reserve(vertices_.size() + added.size());
  for (int number = 0; number < count; ++number) vertices_.push_back({.number = number});
  return added;
}

LinkId Graph::add_links(const char* kind, const char* set_by, int count, Bandwidth rate) {
  return links_.add_numbered({.name = {}, .rate_Bps = rate.base(), .kind = kind, .set_by = set_by},
                             count);
}

void Graph::attach(VertexId below, VertexId above, LinkId up, LinkId down) {
  Vertex& vertex = vertices_[below];
  require(vertex.above == Vertex::kNone, "a vertex lies under one switch");
  int& height = vertices_[above].height;
  require(height == 0 || height == vertex.height + 1, "a switch's vertices lie equally deep");
  height = vertex.height + 1;
  vertex.above = above;
  vertex.up = up;
  vertex.down = down;
}

void Graph::join(VertexId from, VertexId to, LinkId link) {
  vertices_[from].direct.push_back({to, link});
}

void append_tree_way(const Graph& graph, VertexId from, VertexId to, Way& way) {
  int crossed = 0;
  std::vector<LinkId> down;  // from the far end
  while (from != to) {
    require(from != Vertex::kNone && to != Vertex::kNone, "a switch above both ends");
    const Vertex& near = graph.vertex(from);
    const Vertex& far = graph.vertex(to);
    if (near.height <= far.height) {
      append_limited(near.up, way);
      from = near.above;
      ++crossed;
    }
    if (far.height <= near.height) {
      down.push_back(far.down);
      to = far.above;
      ++crossed;
    }
  }
  std::for_each(down.rbegin(), down.rend(), [&](LinkId link) { append_limited(link, way); });
  way.switches += std::max(0, crossed - 1);
}

void append_direct_way(const Graph& graph, VertexId from, VertexId to, Way& way) {
  const auto& edges = graph.vertex(from).direct;
  const auto edge = std::ranges::find(edges, to, &Vertex::Edge::to);
  require(edge != edges.end(), "a link that joins the two");
  append_limited(edge->link, way);
}

}  // namespace sim
