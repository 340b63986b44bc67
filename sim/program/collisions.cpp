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

int kind_of(const std::pair<int, int>& stages, const Parallelism& p) {
  return (stages.first + 1) % p.pipeline == stages.second ? 1 : 0;
}
int kind_of(std::size_t algorithm) { return static_cast<int>(2 + algorithm); }

bool is_in_each_layer(const GroupsKey& key) {
  return key.axis != nullptr && key.axis->exchange != nullptr;
}

// What classes of flows load classes of links with, whoever sends.
class ClassDemands {
 public:
  ClassDemands(const Topology& topology, const AlikeParts& alike)
      : links_(topology), alike_(alike) {}

  // The next leg; `hops` are those of a leg that stands for its class.
  template <class Hops>
  void add(int kind, Hops hops) {
    const std::size_t leg = leg_++;
    if (!alike_.legs.is_first(leg)) return;
    const std::vector<Crossing> crossed = links_.crossings(hops(), 0);
    double rate_Bps = std::numeric_limits<double>::infinity();
    for (const auto& [link, times] : crossed) {
      rate_Bps = std::min(rate_Bps, links_.unnamed(link).rate_Bps / times);
    }
    const double flows = alike_.legs.sizes[alike_.legs.of[leg]];
    for (const auto& [link, times] : crossed) {
      const std::uint32_t of = alike_.links.of[link];
      demands_[{of, kind}] += times * rate_Bps * flows / alike_.links.sizes[of];
    }
  }
  void skip(std::size_t legs) { leg_ += legs; }

  [[nodiscard]] bool exceed() const {
    return std::ranges::any_of(demands_, [&](const auto& one) {
      return one.second > links_.unnamed(alike_.links.first[one.first.first]).rate_Bps;
    });
  }

 private:
  ClusterLinks links_;
  const AlikeParts& alike_;
  std::size_t leg_ = 0;
  std::map<std::pair<std::uint32_t, int>, double> demands_;
};

// Whether all together send more over a link than it carries, be they several or one.
bool exceed_links(const Topology& topology, const Parallelism& p, const GroupDrafts& drafts,
                  const AlikeParts& alike) {
  ClassDemands demands(topology, alike);
  for (const auto& [key, groups] : drafts.groups) {
    for (const GroupDraft& group : groups) {
      for (std::size_t i = 0; i < group.laid().size(); ++i) {
        const std::vector<LegDraft>& legs = group.laid()[i].out.legs;
        if (!is_in_each_layer(key)) {
          demands.skip(legs.size());
          continue;
        }
        for (const LegDraft& leg : legs) demands.add(kind_of(i), [&] { return group.hops(leg); });
      }
    }
  }
  for (const auto& [stages, ways] : drafts.messages) {
    for (const MessageWay& way : ways) demands.add(kind_of(stages, p), [&] { return way.hops; });
  }
  return demands.exceed();
}

}  // namespace

bool replicas_collide(const Topology& topology, const Parallelism& p, const GroupDrafts& drafts,
                      const AlikeParts& alike) {
  if (!exceed_links(topology, p, drafts, alike)) return false;
  Demands demands(topology);
  const Layout layout = layout_of(topology.cluster(), p);
  const auto sender = [&](int rank, int stage) {
    return Sender{layout.place(rank, axes::data), stage};
  };
  for (const auto& [stages, ways] : drafts.messages) {
    for (const MessageWay& way : ways) {
      demands.add(kind_of(stages, p), sender(way.source, stages.first), way.hops);
    }
  }
  for (const auto& [key, groups] : drafts.groups) {
    if (!is_in_each_layer(key)) continue;
    for (const GroupDraft& group : groups) {
      for (std::size_t i = 0; i < group.laid().size(); ++i) {
        for (const LegDraft& leg : group.laid()[i].out.legs) {
          demands.add(kind_of(i), sender(group.ranks.front(), key.stage), group.hops(leg));
        }
      }
    }
  }
  return demands.collide();
}

}  // namespace sim
