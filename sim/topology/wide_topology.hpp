// SPDX-License-Identifier: Apache-2.0
// WideTopology: sites with the graph of the links between them. A place is a site; the numbers after
// the last site stand for the syncer, if there is one, and then for the object storage.
//
//   place 0 ─up─► access ─► a link of the pair, or the backbone ─► access ─down─► place 1
//                   ├────────────► object storage ────────────────►┤
//                   └─syncer_down─► syncer ─syncer_up─────────────►┘
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "sim/topology/graph.hpp"
#include "sim/topology/hop.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

[[nodiscard]] inline int syncer_place(const WideArea& area) { return place_count(area); }
[[nodiscard]] inline int store_place(const WideArea& area) {
  return place_count(area) + (area.syncer ? 1 : 0);
}

// The link that carries everything sent by a site or the syncer; the next one carries all that it
// receives.
[[nodiscard]] inline LinkId uplink_of(int place) { return 2 * static_cast<LinkId>(place); }

// A hop over the wide area, for Route::hops.
[[nodiscard]] inline Hop wide_hop(int source, int destination) {
  return {.source = source, .destination = destination, .nic_out = 0, .nic_in = 0};
}

// One way; to and from the storage, its request included; to and from the syncer, its own.
[[nodiscard]] Seconds wide_latency(const WideArea& area, const Hop& hop);

// The rate of the connections between two places, summed over all senders of the smaller site.
[[nodiscard]] Bandwidth wide_connection_rate(const WideArea& area, const Hop& hop);
// Link::kind of these connections: shared by those between sites of the same tables.
[[nodiscard]] std::string wide_connection_kind(const WideArea& area, const Hop& hop);
// The key of the file that sets this rate.
[[nodiscard]] std::string wide_connection_limit(const WideArea& area, const Hop& hop);

// For each place "up_NAME" and "down_NAME", at most the rate of its NICs; for each pair of site
// tables with a link of its own one link per direction, "link_NAME_0" from the first of its two
// ends (within one table: from the earlier site) and "link_NAME_1" back; "backbone", shared by all
// other pairs; of the syncer "syncer_up" and "syncer_down".
class WideTopology {
 public:
  explicit WideTopology(const WideArea& area);

  [[nodiscard]] const WideArea& area() const { return area_; }
  [[nodiscard]] const Links& links() const { return graph_.links(); }
  // The links that one share of the hop crosses.
  [[nodiscard]] Way way(const Hop& hop) const;

 private:
  LinkId add_access(int place, const char* direction, const char* key, Bandwidth Site::*rate);
  LinkId add_shared(const WideLink& link, const std::string& name,
                    std::initializer_list<const char*> directions);
  [[nodiscard]] bool goes_back(const Hop& hop, std::size_t link) const;

  WideArea area_;
  Graph graph_;
  std::vector<LinkId> between_;  // by WideArea::links: that of its first direction
};

}  // namespace sim
