// SPDX-License-Identifier: Apache-2.0
// Sums over the links that a group uses. A cluster has far more links than most of its groups, so
// nothing here goes over all of them; they are kept by the page, as a large group uses most.
#pragma once

#include <algorithm>
#include <array>
#include <unordered_map>

#include "sim/topology/topology.hpp"

namespace sim {

class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology) : topology_(&topology) {}

  // Bytes, or parts of a buffer, on each link of the hop's way.
  void add(const Hop& hop, double load) {
    topology_->find(hop, way_);
    add(way_, load);
  }
  void add(const Way& way, double load) {
    for (const LinkId link : way.links) pages_[link / kPage][link % kPage] += load;
  }

  // That the most loaded link takes at full rate; 0 without any.
  [[nodiscard]] double seconds() const {
    double longest = 0;
    for (const auto& [number, page] : pages_) {
      for (LinkId i = 0; i < kPage; ++i) {
        if (page[i] > 0) longest = std::max(longest, page[i] / rate(number * kPage + i));
      }
    }
    return longest;
  }
  // Of the links on a way alone.
  [[nodiscard]] double seconds(const Way& way) const {
    double longest = 0;
    for (const LinkId link : way.links) {
      const auto page = pages_.find(link / kPage);
      if (page == pages_.end()) continue;
      longest = std::max(longest, page->second[link % kPage] / rate(link));
    }
    return longest;
  }

 private:
  static constexpr LinkId kPage = 256;

  [[nodiscard]] double rate(LinkId link) const {
    return highest_rate(topology_->links().unnamed(link));
  }

  const Topology* topology_;
  Way way_;                                                      // of the last hop
  std::unordered_map<LinkId, std::array<double, kPage>> pages_;  // a new page is zero
};

}  // namespace sim
