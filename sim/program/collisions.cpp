// SPDX-License-Identifier: Apache-2.0
#include "sim/program/collisions.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/program/alike_classes.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {
namespace {

// The data-parallel place and the stage of ranks that go on together.
using Sender = std::pair<int, int>;
constexpr Sender kNobody{-1, -1};

// Messages forward and back, and collectives by each algorithm.
int kind_of(const GroupDrafts& drafts, const std::pair<int, int>& stages) {
  const int all = static_cast<int>(drafts.ranks.size());
  return (stages.first + 1) % all == stages.second ? 1 : 0;
}
int kind_of(std::size_t algorithm) { return static_cast<int>(2 + algorithm); }

// Visits the legs of what ranks send to each other in each layer, and of messages, as
// visit(leg, kind, sender, hops), where hops() are those of the leg.
template <class Visit>
void for_each_leg(const GroupDrafts& drafts, Visit visit) {
  std::size_t leg = 0;
  const auto sender = [&](int rank, int stage) {
    return Sender{drafts.layout ? drafts.layout->place(rank, axes::data) : 0, stage};
  };
  for (const auto& [key, groups] : drafts.groups) {
    const bool counts = key.axis != nullptr && key.axis->exchange != nullptr;
    for (const GroupDraft& group : groups) {
      for (std::size_t i = 0; i < group.laid().size(); ++i) {
        for (const LegDraft& one : group.laid()[i].out.legs) {
          if (counts) {
            visit(leg, kind_of(i), sender(group.ranks.front(), key.stage),
                  [&] { return group.hops(one); });
          }
          ++leg;
        }
      }
    }
  }
  for (const auto& [stages, ways] : drafts.messages) {
    for (const MessageWay& way : ways) {
      visit(leg++, kind_of(drafts, stages), sender(way.source, stages.first),
            [&] { return way.hops; });
    }
  }
}

}  // namespace

Meetings meetings_of(const GroupDrafts& drafts, const Classes& links,
                     const Lists<Crossing>& crossed, std::size_t wired) {
  std::map<int, std::vector<Sender>> first;  // by kind, then link
  Meetings meetings;
  for_each_leg(drafts, [&](std::size_t leg, int kind, const Sender& sender, auto /*hops*/) {
    std::vector<Sender>& of_kind = first[kind];
    of_kind.resize(wired, kNobody);
    for (const auto& [link, times] : crossed[leg]) {
      if (link >= wired) continue;
      if (of_kind[link] == kNobody) of_kind[link] = sender;
      if (of_kind[link] != sender) meetings.insert({links.of[link], kind});
    }
  });
  return meetings;
}

bool replicas_collide(const Topology& topology, const GroupDrafts& drafts,
                      const AlikeClasses& classes) {
  if (classes.meetings.empty()) return false;
  const AlikeParts& alike = classes.parts;
  ClusterLinks links(topology);
  std::map<std::pair<std::uint32_t, int>, double> demands_Bps;  // of a link of each class
  for_each_leg(drafts, [&](std::size_t leg, int kind, const Sender& /*sender*/, auto hops) {
    if (!alike.legs.is_first(leg)) return;
    const std::vector<Crossing>& crossed = links.crossings(hops(), 0);
    double rate_Bps = std::numeric_limits<double>::infinity();
    for (const auto& [link, times] : crossed) {
      rate_Bps = std::min(rate_Bps, links.unnamed(link).rate_Bps / times);
    }
    const double flows = alike.legs.sizes[alike.legs.of[leg]];
    for (const auto& [link, times] : crossed) {
      const std::uint32_t of = alike.links.of[link];
      demands_Bps[{of, kind}] += times * rate_Bps * flows / alike.links.sizes[of];
    }
  });
  return std::ranges::any_of(classes.meetings, [&](const auto& met) {
    const Link& link = links.unnamed(alike.links.first[met.first]);
    return demands_Bps[met] > 1.001 * link.rate_Bps;
  });
}

}  // namespace sim
