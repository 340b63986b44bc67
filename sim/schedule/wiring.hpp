// Wiring: the links that a schedule's routes cross, resolved from whatever they cross: what the
// engine plays, without knowing clusters.
#pragma once

#include <string>
#include <vector>

#include "sim/cluster/fabric.hpp"
#include "sim/schedule/schedule.hpp"

namespace sim {

// From `at_s` on a link has this rate; 0: it is down, and what crosses it waits.
struct RateChange {
  double at_s = 0;
  double rate_Bps = 0;
};

struct WiredLink {
  std::string name;  // that no other link has
  double rate_Bps = 0;
  std::vector<RateChange> changes = {};  // ascending, the first after 0
  double repeats_s = 0;     // period that begins with rate_Bps anew; 0: the changes happen once
  std::string kind = {};    // what links that do the same have in common
  std::string set_by = {};  // the key of an input file that the rate follows
};

// Of all that the link ever has.
[[nodiscard]] double highest_rate(const WiredLink& link);
// What the link can carry until then.
[[nodiscard]] double capacity_bytes(const WiredLink& link, double until_s);

struct Wiring {
  std::vector<WiredLink> links;
  // By Schedule::routes: the links of each, one k times where it carries k shares of the flow.
  std::vector<std::vector<LinkId>> routes;
};

// The links of a cluster, and one more for each communicator and node where the cluster caps what
// a communicator sends out of a node (Fitted::communicator_bandwidth): "communicator_cap_2_node_0".
[[nodiscard]] Wiring wire(const Schedule& schedule, const Cluster& cluster);

}  // namespace sim
