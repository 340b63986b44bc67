// SPDX-License-Identifier: Apache-2.0
#include "sim/program/alike_groups.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace sim {
namespace {

class Adding {
 public:
  Adding(const Topology& topology, const GroupDrafts& drafts, const AlikeClasses& classes)
      : cluster_(topology.cluster()),
        drafts_(drafts),
        alike_(classes.parts),
        flows_(classes.flows),
        members_(classes.members),
        added_{{ScheduleBuilder(ranks()), {}}, {}} {
    const Links& links = topology.links();
    for (const LinkId link : alike_.links.first) {
      added_.wiring.links.push_back(link < links.size() ? links[link]
                                                        : cap(classes.caps[link - links.size()]));
    }
    added_.wiring.alike = alike_.links.sizes;
  }

  AlikeGround run() && {
    Groups& groups = added_.ground.groups;
    for (const std::vector<int>& stage : drafts_.ranks) {
      auto& ranks = groups.ranks.emplace_back();
      for (const int rank : stage) {
        if (alike_.ranks.is_first(rank)) ranks.push_back(alike_.ranks.at(rank));
      }
    }
    for (const auto& [key, drafted] : drafts_.groups) {
      auto& communicators =
          groups.communicators.emplace_back(key, std::vector<Communicator>{}).second;
      for (const GroupDraft& one : drafted) {
        if (alike_.groups.is_first(group_)) communicators.push_back(communicator(one));
        for (const GroupDraft::Laid& laid : one.laid()) leg_ += laid.out.legs.size();
        ++group_;
      }
    }
    for (const auto& [stages, ways] : drafts_.messages) {
      for (const MessageWay& way : ways) {
        if (alike_.groups.is_first(group_)) groups.messages[stages].push_back(message(way));
        ++leg_;
        ++group_;
      }
    }
    return std::move(added_);
  }

 private:
  [[nodiscard]] std::vector<std::vector<int>> ranks() const {
    std::vector<std::vector<int>> ranks(alike_.ranks.first.size());
    for (std::size_t rank = 0; rank < alike_.ranks.of.size(); ++rank) {
      ranks[alike_.ranks.of[rank]].push_back(static_cast<int>(rank));
    }
    return ranks;
  }

  [[nodiscard]] Link cap(Link link) const {
    link.rate_Bps = cluster_.fitted.communicator_bandwidth.value().base();
    return link;
  }

  Communicator communicator(const GroupDraft& draft) {
    ScheduleBuilder& builder = added_.ground.builder;
    if (!draft.even) builder.note_approximate();
    const std::uint32_t of = alike_.groups.of[group_];
    const std::vector<std::int32_t>& members = members_[of];
    Communicator group{.ranks = {members.begin(), members.end()},
                       .size = static_cast<int>(draft.ranks.size()),
                       .nodes = draft.nodes,
                       .alike = static_cast<double>(alike_.groups.sizes[of]),
                       .id = builder.add_communicator(),
                       .channels = cluster_.collectives.channels,
                       .alike_links = has_alike_links(cluster_),
                       .protocol = cluster_.collectives.protocol,
                       .protocols = cluster_.collectives.protocols,
                       .fastest = cluster_.collectives.fastest,
                       .tuner = draft.tuner};
    group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
    if (group.size < 2) return group;
    group.occupancy = builder.add_occupancy(
        transfer_occupancy(cluster_.gpu, cluster_.collectives.channels, 0, members));
    std::size_t leg = leg_;
    for (const GroupDraft::Laid& one : draft.laid()) {
      auto& laid = group.laid.emplace_back(
          Communicator::Laid{one.algorithm, one.runs, {}, one.out.run, one.out.estimate});
      std::vector<std::uint32_t> classes;
      for (const LegDraft& drafted : one.out.legs) {
        const std::uint32_t flow = alike_.legs.of[leg];
        if (std::ranges::find(classes, flow) == classes.end()) {
          classes.push_back(flow);
          laid.legs.push_back({.route = add_route(flow, group.id, drafted.channels),
                               .occupancy = traffic(flow, one.out, draft.hops(drafted)),
                               .unit = drafted.unit,
                               .round = drafted.round});
        }
        ++leg;
      }
    }
    return group;
  }

  Groups::Message message(const MessageWay& way) {
    const std::uint32_t flow = alike_.legs.of[leg_];
    return {.route = add_route(flow, 0, 1),
            .latency_s = way.latency_s,
            .destination = alike_.ranks.at(way.destination),
            .alike = static_cast<double>(alike_.legs.sizes[flow])};
  }

  std::uint32_t add_route(std::uint32_t flow, std::int32_t communicator, double channels) {
    added_.wiring.routes.push_back(flows_[flow].links);
    return added_.ground.builder.add_own_route(
        {.hops = flows_[flow].hops, .communicator = communicator, .channels = channels});
  }
  std::uint32_t traffic(std::uint32_t flow, const LaidOut& collective,
                        const std::vector<Hop>& hops) {
    Occupancy taken = traffic_of(cluster_.gpu, collective, hops);
    taken.ranks = flows_[flow].senders;
    return added_.ground.builder.add_occupancy(std::move(taken));
  }

  const Cluster& cluster_;
  const GroupDrafts& drafts_;
  const AlikeParts& alike_;
  const std::vector<AlikeFlow>& flows_;  // by class
  const std::vector<std::vector<std::int32_t>>& members_;
  AlikeGround added_;
  std::uint32_t group_ = 0;  // at hand
  std::size_t leg_ = 0;      // its first one
};

}  // namespace

AlikeGround alike_ground(const Topology& topology, const GroupDrafts& drafts,
                         const AlikeClasses& classes) {
  return Adding(topology, drafts, classes).run();
}

}  // namespace sim
