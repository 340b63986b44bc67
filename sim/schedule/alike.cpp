// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/alike.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sim {
namespace {

using Kinds = std::vector<Kind>;

// Of a set: how often something occurs in it does not count.
class KindOfSet {
 public:
  // Most sets are of a few kinds, which are found faster here than sorted out later.
  void add(Kind kind) {
    constexpr std::size_t kFew = 16;
    const auto few = std::span(kinds_).first(std::min(kFew, kinds_.size()));
    if (std::ranges::find(few, kind) == few.end()) kinds_.push_back(kind);
  }
  // Empties it.
  Kind take() {
    std::ranges::sort(kinds_);
    const auto end = std::unique(kinds_.begin(), kinds_.end());
    auto of_all = static_cast<Kind>(end - kinds_.begin());
    for (auto kind = kinds_.begin(); kind != end; ++kind) of_all = mix(of_all, *kind);
    kinds_.clear();
    return of_all;
  }

 private:
  Kinds kinds_;
};

std::size_t count_distinct(const Kinds& kinds) {
  std::unordered_set<Kind> distinct;
  for (const Kind kind : kinds) distinct.insert(kind);
  return distinct.size();
}

// The kinds of all parts, told apart a little further with each round.
struct Colours {
  Kinds ranks, links, groups, legs;

  Colours(const Incidence& incidence, Kinds of_ranks, Kinds of_links)
      : ranks(std::move(of_ranks)), links(std::move(of_links)), groups(incidence.groups) {
    legs.reserve(incidence.legs.size());
    for (const Incidence::Leg& leg : incidence.legs) legs.push_back(leg.kind);
  }

  void refine(const Incidence& incidence) {
    KindOfSet set;
    for (std::size_t i = 0; i < legs.size(); ++i) {
      for (const Crossing& one : incidence.links[i]) set.add(links[one.link]);
      legs[i] = mix(mix(legs[i], groups[incidence.legs[i].group]), set.take());
    }
    Kinds legs_of(groups.size());  // sums: a group has few kinds of legs
    for (std::size_t i = 0; i < legs.size(); ++i) {
      legs_of[incidence.legs[i].group] += scramble(legs[i]);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const Member& one : incidence.members[i]) {
        set.add(mix(ranks[one.rank], std::uint64_t{one.role}));
      }
      groups[i] = mix(mix(groups[i], legs_of[i]), set.take());
    }
    pass_on(incidence);
  }

  [[nodiscard]] std::size_t count() const { return count_distinct(ranks) + count_distinct(links); }

 private:
  // To ranks and links, from all that touches them: sums, in which the order does not count.
  void pass_on(const Incidence& incidence) {
    to_ranks_.assign(ranks.size(), 0);
    to_links_.assign(links.size(), 0);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const Member& one : incidence.members[i]) {
        to_ranks_[one.rank] += mix(groups[i], std::uint64_t{one.role});
      }
    }
    for (std::size_t i = 0; i < legs.size(); ++i) {
      const Kind kind = scramble(legs[i]);
      for (const std::int32_t rank : incidence.senders[i]) {
        to_ranks_[static_cast<std::size_t>(rank)] += kind;
      }
      for (const Crossing& one : incidence.links[i]) {
        to_links_[one.link] += kind * static_cast<Kind>(one.times);
      }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = mix(ranks[i], to_ranks_[i]);
    for (std::size_t i = 0; i < links.size(); ++i) links[i] = mix(links[i], to_links_[i]);
  }

  Kinds to_ranks_, to_links_;
};

Classes numbered(const Kinds& kinds) {
  Classes classes;
  classes.of.reserve(kinds.size());
  std::unordered_map<Kind, std::uint32_t> known;
  for (std::uint32_t part = 0; part < kinds.size(); ++part) {
    const auto [found, added] =
        known.try_emplace(kinds[part], static_cast<std::uint32_t>(classes.first.size()));
    if (added) {
      classes.first.push_back(part);
      classes.sizes.push_back(0);
    }
    classes.of.push_back(found->second);
    ++classes.sizes[found->second];
  }
  return classes;
}

}  // namespace

Kind mix(Kind kind, double more) { return mix(kind, std::bit_cast<std::uint64_t>(more)); }

AlikeParts alike_parts(const Incidence& incidence, std::vector<Kind> ranks,
                       std::vector<Kind> links) {
  Colours colours(incidence, std::move(ranks), std::move(links));
  for (std::size_t before = 0, after = colours.count(); after > before;) {
    before = after;
    colours.refine(incidence);
    after = colours.count();
  }
  // Once more, so that groups and legs have seen the last of ranks and links.
  colours.refine(incidence);
  return {numbered(colours.ranks), numbered(colours.links), numbered(colours.groups),
          numbered(colours.legs)};
}

}  // namespace sim
