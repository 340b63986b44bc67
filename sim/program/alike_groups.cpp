// SPDX-License-Identifier: Apache-2.0
#include "sim/program/alike_groups.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "sim/schedule/alike.hpp"

namespace sim {
namespace {

// What touches what in drafts: groups in their order, then messages.
class Collector {
 public:
  Collector(const Topology& topology, const GroupDrafts& drafts)
      : links(topology), topology_(topology) {
    incidence.ranks.resize(static_cast<std::size_t>(rank_count(topology.cluster())));
    for (std::size_t stage = 0; stage < drafts.ranks.size(); ++stage) {
      for (const int rank : drafts.ranks[stage]) {
        incidence.ranks[static_cast<std::size_t>(rank)] = stage;
      }
    }
    Kind key = 0;
    for (const auto& [of, groups] : drafts.groups) {
      ++key;
      for (const GroupDraft& group : groups) add(key, group);
    }
    for (const auto& [stages, ways] : drafts.messages) {
      ++key;
      for (const MessageWay& way : ways) add(key, way);
    }
    for (LinkId id = 0; id < links.count(); ++id) {
      const Link& link = links.unnamed(id);
      incidence.links.push_back(mix(std::hash<std::string>{}(link.kind), link.rate_Bps));
    }
  }

  Incidence incidence;
  ClusterLinks links;
  struct Leg {
    const std::vector<Hop>* hops = nullptr;
    Shift shift;
  };
  std::vector<Leg> legs;
  std::vector<double> memory_s_per_byte;  // by leg: Occupancy

 private:
  void add(Kind key, const GroupDraft& group) {
    Kind kind = mix(mix(mix(key, group.ranks.size()), std::uint64_t(group.nodes)),
                    std::uint64_t{group.even});
    const auto number = static_cast<std::uint32_t>(incidence.groups.size());
    for (std::size_t i = 0; i < group.laid().size(); ++i) {
      const LaidOut& out = group.laid()[i].out;
      for (const double pace : out.pace) kind = mix(kind, pace);
      for (const LegDraft& leg : out.legs) {
        const std::vector<Hop> hops = group.hops(leg);
        Occupancy traffic = traffic_of(topology_.cluster().gpu, out, hops);
        const Kind of_round = mix(mix(i, std::uint64_t{leg.round}), leg.unit);
        const Kind of_leg = mix(mix(of_round, leg.channels), traffic.memory_s_per_byte);
        memory_s_per_byte.push_back(traffic.memory_s_per_byte);
        add_leg(of_leg, hops, std::move(traffic.ranks), static_cast<std::int32_t>(number + 1));
        legs.push_back({&leg.hops, group.shift});
      }
    }
    Group& added = incidence.groups.emplace_back(Group{.kind = kind, .members = {}});
    for (const int rank : group.ranks) added.members.push_back({static_cast<std::uint32_t>(rank)});
  }

  void add(Kind key, const MessageWay& way) {
    add_leg(0, way.hops, {}, 0);
    legs.push_back({&way.hops, {}});
    memory_s_per_byte.push_back(0);
    const auto rank = [](int of) { return static_cast<std::uint32_t>(of); };
    incidence.groups.push_back({.kind = mix(key, way.latency_s),
                                .members = {{rank(way.source), 0}, {rank(way.destination), 1}}});
  }

  // Of the group that is added next.
  void add_leg(Kind kind, const std::vector<Hop>& of, std::vector<std::int32_t> senders,
               std::int32_t communicator) {
    incidence.legs.push_back({.kind = kind,
                              .group = static_cast<std::uint32_t>(incidence.groups.size()),
                              .links = links.crossings(of, communicator),
                              .senders = std::move(senders)});
  }

  const Topology& topology_;
};

// A class of flows, over classes of ranks and links.
struct Flow {
  std::vector<Hop> hops;  // of all ranks of their classes together
  std::vector<Crossing> links;
  std::vector<std::int32_t> senders;  // as often as a rank of the class sends
};

// Each way once.
std::vector<Hop> summed(std::vector<Hop> hops) {
  std::map<Hop, int> times;  // by hop of no times
  for (Hop hop : hops) {
    const int more = std::exchange(hop.times, 0);
    times[hop] += more;
  }
  hops.clear();
  for (const auto& [hop, sum] : times) {
    hops.push_back(hop);
    hops.back().times = sum;
  }
  return hops;
}

// A part that stands for its class has on it what each of the others has.
std::vector<Flow> flows_of(const Collector& all, const AlikeParts& alike) {
  std::vector<Flow> flows(alike.legs.first.size());
  for (std::size_t i = 0; i < all.incidence.legs.size(); ++i) {
    Flow& flow = flows[alike.legs.of[i]];
    for (Hop hop : *all.legs[i].hops) {
      hop = all.legs[i].shift.of(hop);
      hop.source = alike.ranks.at(hop.source);
      hop.destination = alike.ranks.at(hop.destination);
      flow.hops.push_back(hop);
    }
    for (const auto& [link, times] : all.incidence.legs[i].links) {
      if (alike.links.is_first(link)) flow.links.push_back({alike.links.of[link], times});
    }
    for (const std::int32_t rank : all.incidence.legs[i].senders) {
      if (alike.ranks.is_first(rank)) flow.senders.push_back(alike.ranks.at(rank));
    }
  }
  for (Flow& flow : flows) {
    flow.links = merged(std::move(flow.links));
    flow.hops = summed(std::move(flow.hops));
  }
  return flows;
}

// By class of groups, the classes of ranks that take part in it, as often as a rank of theirs does.
std::vector<std::vector<std::int32_t>> members_of(const Collector& all, const AlikeParts& alike) {
  std::vector<std::vector<std::int32_t>> members(alike.groups.first.size());
  for (std::size_t i = 0; i < all.incidence.groups.size(); ++i) {
    for (const Group::Member& one : all.incidence.groups[i].members) {
      const auto rank = static_cast<std::int32_t>(one.rank);
      if (alike.ranks.is_first(rank)) members[alike.groups.of[i]].push_back(alike.ranks.at(rank));
    }
  }
  for (auto& one : members) std::ranges::sort(one);
  return members;
}

class Adding {
 public:
  Adding(const Topology& topology, const GroupDrafts& drafts, const Collector& all,
         const AlikeParts& alike)
      : cluster_(topology.cluster()),
        drafts_(drafts),
        all_(all),
        alike_(alike),
        flows_(flows_of(all, alike)),
        members_(members_of(all, alike)),
        added_{{ScheduleBuilder(ranks()), {}}, {}} {
    for (const LinkId link : alike.links.first) added_.wiring.links.push_back(all.links.link(link));
    added_.wiring.alike = alike.links.sizes;
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
                       .protocol = cluster_.collectives.protocol};
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
                               .occupancy = traffic(flow, one.out, all_.memory_s_per_byte[leg]),
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
  std::uint32_t traffic(std::uint32_t flow, const LaidOut& collective, double memory_s_per_byte) {
    return added_.ground.builder.add_occupancy({.memory_s_per_byte = memory_s_per_byte,
                                                .by_channels = collective.holds_multiprocessors,
                                                .ranks = flows_[flow].senders});
  }

  const Cluster& cluster_;
  const GroupDrafts& drafts_;
  const Collector& all_;
  const AlikeParts& alike_;
  std::vector<Flow> flows_;
  std::vector<std::vector<std::int32_t>> members_;
  AlikeGround added_;
  std::uint32_t group_ = 0;  // at hand
  std::size_t leg_ = 0;      // its first one
};

}  // namespace

std::optional<AlikeGround> alike_groups(const Topology& topology, const GroupDrafts& drafts) {
  if (!topology.cluster().traffic.empty()) return std::nullopt;
  const Collector all(topology, drafts);
  const AlikeParts alike = alike_parts(all.incidence);
  if (alike.ranks.first.size() == alike.ranks.of.size()) return std::nullopt;
  return Adding(topology, drafts, all, alike).run();
}

}  // namespace sim
