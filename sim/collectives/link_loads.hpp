// SPDX-License-Identifier: Apache-2.0
// Sums over the links that a group uses. A cluster has far more links than most of its groups, so
// nothing here goes over all of them.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "sim/topology/topology.hpp"

namespace sim {

class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology) : topology_(&topology) {}

  // Bytes, or parts of a buffer, on each link of the hop's way.
  void add(const Hop& hop, double load) {
    for (const LinkId link : topology_->way(hop).links) loads_[link] += load;
  }

  // That the most loaded link takes at full rate; 0 without any.
  [[nodiscard]] double seconds() const {
    double longest = 0;
    for (const auto& [link, load] : loads_) longest = std::max(longest, load / rate(link));
    return longest;
  }
  // Of the links on the hop's way alone.
  [[nodiscard]] double seconds(const Hop& hop) const {
    double longest = 0;
    for (const LinkId link : topology_->way(hop).links) {
      const auto found = loads_.find(link);
      if (found != loads_.end()) longest = std::max(longest, found->second / rate(link));
    }
    return longest;
  }

 private:
  [[nodiscard]] double rate(LinkId link) const {
    return highest_rate(topology_->links().unnamed(link));
  }

  const Topology* topology_;
  std::unordered_map<LinkId, double> loads_;
};

}  // namespace sim
