// SPDX-License-Identifier: Apache-2.0
#include "sim/program/collisions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/schedule/wiring.hpp"

namespace sim {
namespace {

// The data-parallel place and the stage of ranks that go on together.
using Sender = std::pair<int, int>;

// What several senders do alike loads a link with.
struct Demand {
  double rate_Bps = 0;  // of all flows at once, each as fast as its way is
  Sender first{-1, -1};
  bool several = false;
};

class Demands {
 public:
  explicit Demands(const Topology& topology) : links_(topology) {}

  // A flow of the kind, of all those that may run at once.
  void add(int kind, const Sender& sender, const std::vector<Hop>& hops) {
    const std::vector<Crossing> crossed = links_.crossings(hops, 0);
    double rate_Bps = std::numeric_limits<double>::infinity();
    for (const auto& [link, times] : crossed) {
      rate_Bps = std::min(rate_Bps, links_.unnamed(link).rate_Bps / times);
    }
    for (const auto& [link, times] : crossed) {
      Demand& demand = demands_[{link, kind}];
      if (demand.rate_Bps == 0) demand.first = sender;
      demand.several |= demand.first != sender;
      demand.rate_Bps += times * rate_Bps;
    }
  }

  [[nodiscard]] bool collide() const {
    return std::ranges::any_of(demands_, [&](const auto& one) {
      const auto& [link, demand] = one;
      return demand.several && demand.rate_Bps > 1.001 * links_.unnamed(link.first).rate_Bps;
    });
  }

 private:
  ClusterLinks links_;
  std::map<std::pair<LinkId, int>, Demand> demands_;
};

}  // namespace

bool replicas_collide(const Topology& topology, const Parallelism& p, const GroupDrafts& drafts) {
  Demands demands(topology);
  const Layout layout = layout_of(topology.cluster(), p);
  const auto sender = [&](int rank, int stage) {
    return Sender{layout.place(rank, axes::data), stage};
  };
  for (const auto& [stages, ways] : drafts.messages) {
    const int forward = (stages.first + 1) % p.pipeline == stages.second ? 1 : 0;
    for (const MessageWay& way : ways) {
      demands.add(forward, sender(way.source, stages.first), way.hops);
    }
  }
  for (const auto& [key, groups] : drafts.groups) {
    if (key.axis == nullptr || key.axis->exchange == nullptr) continue;
    for (const GroupDraft& group : groups) {
      for (std::size_t i = 0; i < group.laid().size(); ++i) {
        for (const LegDraft& leg : group.laid()[i].out.legs) {
          demands.add(static_cast<int>(2 + i), sender(group.ranks.front(), key.stage),
                      group.hops(leg));
        }
      }
    }
  }
  return demands.collide();
}

}  // namespace sim
