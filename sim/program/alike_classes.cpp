// SPDX-License-Identifier: Apache-2.0
#include "sim/program/alike_classes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace sim {
namespace {

// What touches what in drafts: groups in their order, then messages.
class Collector {
 public:
  Collector(const Topology& topology, const GroupDrafts& drafts)
      : links(topology), topology_(topology) {
    Kind key = 0;
    for (const auto& [of, groups] : drafts.groups) {
      ++key;
      for (const GroupDraft& group : groups) add(key, group);
    }
    for (const auto& [stages, ways] : drafts.messages) {
      ++key;
      for (const MessageWay& way : ways) add(key, way);
    }
  }

  [[nodiscard]] std::vector<Kind> kinds_of_links() const {
    std::vector<Kind> kinds;
    kinds.reserve(links.count());
    for (LinkId id = 0; id < links.count(); ++id) {
      const Link& link = links.unnamed(id);
      kinds.push_back(mix(std::hash<std::string>{}(link.kind), link.rate_Bps));
    }
    return kinds;
  }

  Incidence incidence;
  ClusterLinks links;
  struct Leg {
    const std::vector<Hop>* hops = nullptr;
    Shift shift;
  };
  std::vector<Leg> legs;

 private:
  void add(Kind key, const GroupDraft& group) {
    Kind kind = mix(mix(mix(key, group.ranks.size()), std::uint64_t(group.nodes)),
                    std::uint64_t{group.even});
    for (std::size_t i = 0; i < group.laid().size(); ++i) {
      const LaidOut& out = group.laid()[i].out;
      for (const double pace : out.pace) kind = mix(kind, pace);
      for (const LegDraft& leg : out.legs) add(i, out, leg, group.shift);
    }
    incidence.groups.push_back(kind);
    incidence.members.add(group.ranks.size(), [&](std::size_t i) {
      return Member{static_cast<std::uint32_t>(group.ranks[i])};
    });
  }

  // Of the group that is added next, laid out by its i-th algorithm.
  void add(std::size_t i, const LaidOut& out, const LegDraft& leg, const Shift& shift) {
    hops_.clear();
    for (const Hop& hop : leg.hops) hops_.push_back(shift.of(hop));
    Occupancy traffic = traffic_of(topology_.cluster().gpu, out, hops_);
    const Kind of_round = mix(mix(i, std::uint64_t{leg.round}), leg.unit);
    const Kind of_leg = mix(mix(of_round, leg.channels), traffic.memory_s_per_byte);
    add_leg(of_leg, hops_, traffic.ranks, static_cast<std::int32_t>(incidence.groups.size() + 1));
    legs.push_back({&leg.hops, shift});
  }

  void add(Kind key, const MessageWay& way) {
    add_leg(0, way.hops, {}, 0);
    legs.push_back({&way.hops, {}});
    incidence.groups.push_back(mix(key, way.latency_s));
    incidence.members.add(
        std::array<Member, 2>{{{static_cast<std::uint32_t>(way.source), 0},
                               {static_cast<std::uint32_t>(way.destination), 1}}});
  }

  // Of the group that is added next.
  void add_leg(Kind kind, const std::vector<Hop>& of, const std::vector<std::int32_t>& senders,
               std::int32_t communicator) {
    incidence.legs.push_back({kind, static_cast<std::uint32_t>(incidence.groups.size())});
    incidence.links.add(links.crossings(of, communicator));
    incidence.senders.add(senders);
  }

  const Topology& topology_;
  std::vector<Hop> hops_;  // of the leg that is added
};

// By their stages.
std::vector<Kind> kinds_of_ranks(const Topology& topology, const GroupDrafts& drafts) {
  std::vector<Kind> kinds(static_cast<std::size_t>(rank_count(topology.cluster())));
  for (std::size_t stage = 0; stage < drafts.ranks.size(); ++stage) {
    for (const int rank : drafts.ranks[stage]) kinds[static_cast<std::size_t>(rank)] = stage;
  }
  return kinds;
}

// The hops of a class of flows, each way once, in order.
class Ways {
 public:
  // Most classes have few ways.
  void add(const Hop& hop) {
    constexpr std::size_t kFew = 16;
    const auto few = std::span(hops_).first(std::min(kFew, hops_.size()));
    const auto known = std::ranges::find(few, hop.way(), &Hop::way);
    if (known != few.end()) {
      known->times += hop.times;
      return;
    }
    hops_.push_back(hop);
    if (hops_.size() < limit_) return;
    merge(hops_, &Hop::way);
    limit_ = std::max(limit_, 2 * hops_.size());
  }
  [[nodiscard]] std::vector<Hop> take() && {
    merge(hops_, &Hop::way);
    return std::move(hops_);
  }

 private:
  std::vector<Hop> hops_;
  std::size_t limit_ = 64;  // of hops that are not summed yet
};

// A part that stands for its class has on it what each of the others has.
std::vector<AlikeFlow> flows_of(const Collector& all, const AlikeParts& alike) {
  std::vector<AlikeFlow> flows(alike.legs.first.size());
  std::vector<Ways> ways(flows.size());
  for (std::size_t i = 0; i < all.incidence.legs.size(); ++i) {
    AlikeFlow& flow = flows[alike.legs.of[i]];
    for (Hop hop : *all.legs[i].hops) {
      hop = all.legs[i].shift.of(hop);
      hop.source = alike.ranks.at(hop.source);
      hop.destination = alike.ranks.at(hop.destination);
      ways[alike.legs.of[i]].add(hop);
    }
    for (const auto& [link, times] : all.incidence.links[i]) {
      if (alike.links.is_first(link)) flow.links.push_back({alike.links.of[link], times});
    }
    for (const std::int32_t rank : all.incidence.senders[i]) {
      if (alike.ranks.is_first(rank)) flow.senders.push_back(alike.ranks.at(rank));
    }
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    merge(flows[i].links, &Crossing::link);
    flows[i].hops = std::move(ways[i]).take();
  }
  return flows;
}

std::vector<std::vector<std::int32_t>> members_of(const Collector& all, const AlikeParts& alike) {
  std::vector<std::vector<std::int32_t>> members(alike.groups.first.size());
  for (std::size_t i = 0; i < all.incidence.groups.size(); ++i) {
    for (const Member& one : all.incidence.members[i]) {
      const auto rank = static_cast<std::int32_t>(one.rank);
      if (alike.ranks.is_first(rank)) members[alike.groups.of[i]].push_back(alike.ranks.at(rank));
    }
  }
  for (auto& one : members) std::ranges::sort(one);
  return members;
}

// All groups of drafts, in their order.
std::vector<const GroupDraft*> listed(const GroupDrafts& drafts) {
  std::vector<const GroupDraft*> all;
  for (const auto& [key, groups] : drafts.groups) {
    for (const GroupDraft& group : groups) all.push_back(&group);
  }
  return all;
}

bool have_equal_legs(std::span<const GroupDraft::Laid> one,
                     std::span<const GroupDraft::Laid> other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.algorithm == b.algorithm && a.runs == b.runs && a.out.legs == b.out.legs &&
           a.out.holds_multiprocessors == b.out.holds_multiprocessors;
  });
}

bool have_equal_tuners(const GroupDraft& one, const GroupDraft& other) {
  if (one.tuner == nullptr || other.tuner == nullptr) return one.tuner == other.tuner;
  return one.tuner == other.tuner || *one.tuner == *other.tuner;
}

bool have_equal_paces(const GroupDraft& one, const GroupDraft& other) {
  if (!have_equal_tuners(one, other)) return false;
  return one.shared == other.shared ||
         std::ranges::equal(one.laid(), other.laid(),
                            [](const auto& a, const auto& b) { return a.out.pace == b.out.pace; });
}

// The same ranks and hops, whatever they take.
class Comparison {
 public:
  bool equal(const GroupDrafts& one, const GroupDrafts& other) {
    return one.ranks == other.ranks && one.layout == other.layout &&
           std::ranges::equal(one.groups, other.groups,
                              [&](const auto& a, const auto& b) {
                                return a.first == b.first &&
                                       std::ranges::equal(a.second, b.second,
                                                          [&](const auto& group, const auto& as) {
                                                            return equal(group, as);
                                                          });
                              }) &&
           std::ranges::equal(one.messages, other.messages, [](const auto& a, const auto& b) {
             return a.first == b.first &&
                    std::ranges::equal(a.second, b.second, [](const auto& way, const auto& as) {
                      return way.hops == as.hops && way.source == as.source &&
                             way.destination == as.destination;
                    });
           });
  }

 private:
  bool equal(const GroupDraft& one, const GroupDraft& other) {
    if (one.ranks != other.ranks || one.shift != other.shift) return false;
    const auto [known, added] = compared_.try_emplace({one.shared.get(), other.shared.get()});
    if (added) known->second = have_equal_legs(one.laid(), other.laid());
    return known->second;
  }

  std::map<std::pair<const void*, const void*>, bool> compared_;
};

bool have_alike_paces(const AlikeClasses& classes, const GroupDrafts& drafts) {
  const Classes& groups = classes.parts.groups;
  const std::vector<const GroupDraft*> all = listed(drafts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!have_equal_paces(*all[i], *all[groups.first[groups.of[i]]])) return false;
  }
  std::vector<double> latencies_s;
  for (const auto& [stages, ways] : drafts.messages) {
    for (const MessageWay& way : ways) latencies_s.push_back(way.latency_s);
  }
  for (std::size_t i = 0; i < latencies_s.size(); ++i) {
    const std::size_t first = groups.first[groups.of[all.size() + i]] - all.size();
    if (latencies_s[i] != latencies_s[first]) return false;
  }
  return true;
}

bool have_alike_rates(const AlikeClasses& classes, const Links& links) {
  const Classes& of = classes.parts.links;
  for (LinkId id = 0; id < links.size(); ++id) {
    if (links.unnamed(id).rate_Bps != links.unnamed(of.first[of.of[id]]).rate_Bps) return false;
  }
  return true;
}

// Whether drafts on the topology have the same classes.
bool are_of(const AlikeClasses& classes, const Topology& topology, const GroupDrafts& drafts) {
  return topology.cluster().traffic.empty() &&
         topology.cluster().fitted.communicator_bandwidth.has_value() == classes.capped &&
         Comparison().equal(*classes.drafts, drafts) &&
         topology.fingerprint() == classes.topology &&
         have_alike_rates(classes, topology.links()) && have_alike_paces(classes, drafts);
}

}  // namespace

std::shared_ptr<const AlikeClasses> alike_classes(const Topology& topology,
                                                  std::shared_ptr<const GroupDrafts> drafts) {
  if (!topology.cluster().traffic.empty()) return nullptr;
  const Collector all(topology, *drafts);
  AlikeParts parts =
      alike_parts(all.incidence, kinds_of_ranks(topology, *drafts), all.kinds_of_links());
  if (parts.ranks.first.size() == parts.ranks.of.size()) return nullptr;
  auto classes = std::make_shared<AlikeClasses>();
  classes->flows = flows_of(all, parts);
  classes->members = members_of(all, parts);
  for (std::size_t id = topology.links().size(); id < all.links.count(); ++id) {
    classes->caps.push_back(all.links.link(static_cast<LinkId>(id)));
  }
  classes->capped = topology.cluster().fitted.communicator_bandwidth.has_value();
  classes->meetings =
      meetings_of(*drafts, parts.links, all.incidence.links, topology.links().size());
  classes->parts = std::move(parts);
  classes->drafts = std::move(drafts);
  classes->topology = topology.fingerprint();
  return classes;
}

std::shared_ptr<const AlikeClasses> KnownClasses::of(const Topology& topology,
                                                     std::shared_ptr<const GroupDrafts> drafts) {
  if (auto known =
          last_.find([&](const AlikeClasses& one) { return are_of(one, topology, *drafts); })) {
    return known;
  }
  auto classes = alike_classes(topology, std::move(drafts));
  if (classes != nullptr) last_.add(classes, std::ssize(classes->parts.ranks.of));
  return classes;
}

}  // namespace sim
