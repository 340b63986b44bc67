// SPDX-License-Identifier: Apache-2.0
// Tables are told apart as vertices of a graph are by colour refinement (Weisfeiler and Leman): by what
// they are, then by what paths lead to tables of which kind, until no more kinds appear. Of several that
// are left of the least kind the first comes next, as a kind of its own, which tells others apart.
#include "sim/sites/pairings.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "sim/sites/detours.hpp"

namespace sim {
namespace {

constexpr int kMostOfAll = 8;  // sites
constexpr double kNever = std::numeric_limits<double>::infinity();

using Key = std::vector<double>;

// By rank: equal keys are of one kind, and lesser ones of a lesser kind.
std::vector<double> kinds_of(const std::vector<Key>& keys) {
  std::vector<Key> ranks = keys;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<double> kinds;
  for (const Key& key : keys) {
    kinds.push_back(static_cast<double>(std::ranges::lower_bound(ranks, key) - ranks.begin()));
  }
  return kinds;
}

class Tables {
 public:
  Tables(const WideArea& area, const RoundShape& shape) : area_(area), topology_(area) {
    std::vector<Key> own;
    int place = 0;
    for (const Site& site : area.sites) {
      firsts_.push_back(place);
      if (site.count > 0) own.push_back(own_key(site, shape, static_cast<std::size_t>(place)));
      if (site.count == 0) own.emplace_back();
      place += site.count;
    }
    kinds_ = kinds_of(own);
    for (std::size_t one = 0; one < firsts_.size(); ++one) {
      for (std::size_t other = 0; other < firsts_.size(); ++other)
        paths_.push_back(path(one, other));
    }
  }

  // By table, its number in the order.
  std::vector<int> numbers() {
    std::vector<int> numbers(kinds_.size(), -1);
    for (int number = 0; number < static_cast<int>(numbers.size()); ++number) {
      refine();
      std::size_t next = numbers.size();
      for (std::size_t table = 0; table < numbers.size(); ++table) {
        if (numbers[table] >= 0) continue;
        if (next == numbers.size() || kinds_[table] < kinds_[next]) next = table;
      }
      numbers[next] = number;
      kinds_[next] -= 0.5;
    }
    return numbers;
  }

 private:
  static Key own_key(const Site& site, const RoundShape& shape, std::size_t place) {
    const SiteWork& work = shape.sites[place];
    Key key{lost_at(site).value_or(Seconds::from_base(kNever)).base(),
            -work.start_s,
            shape.steps(place) * work.step_s,
            work.encode_s + work.sum_s + work.decode_s + work.update_s + work.copies.total_s(),
            work.whole_bytes,
            site.uplink.base(),
            site.downlink.base(),
            site.egress.base(),
            static_cast<double>(site.count),
            site.variation.repeats ? site.variation.repeats->base() : -1};
    for (const ShareChange& change : site.variation.changes) {
      key.insert(key.end(), {change.at.base(), change.share});
    }
    return key;
  }

  // Between the first sites of both, or two of one table.
  Key path(std::size_t one, std::size_t other) const {
    const auto& sites = area_.sites;
    if (sites[one].count + (one == other ? -1 : 0) < 1 || sites[other].count < 1) return {};
    const int from = firsts_[one], to = firsts_[other] + (one == other ? 1 : 0);
    std::vector<std::pair<LinkId, double>> crossings;
    const std::vector<int> all = all_places(area_);
    const WayCost cost =
        way_cost(topology_, hops_of(topology_, wide_hop(from, to), all), crossings);
    const bool own_link = link_between(area_, from, to) >= 0;
    return {cost.s_per_byte, cost.latency_s, own_link ? 1.0 : 0.0};
  }

  void refine() {
    const std::size_t tables = kinds_.size();
    for (std::size_t before = 0, now = kinds(); now > before && now < tables; now = kinds()) {
      before = now;
      std::vector<Key> keys(tables);
      for (std::size_t one = 0; one < tables; ++one) {
        std::vector<Key> seen;
        for (std::size_t other = 0; other < tables; ++other) {
          Key& key = seen.emplace_back(Key{kinds_[other]});
          for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}}) {
            const Key& way = paths_[from * tables + to];
            key.insert(key.end(), way.begin(), way.end());
          }
        }
        std::ranges::sort(seen);
        keys[one] = {kinds_[one]};
        for (const Key& key : seen) keys[one].insert(keys[one].end(), key.begin(), key.end());
      }
      kinds_ = kinds_of(keys);
    }
  }

  [[nodiscard]] std::size_t kinds() const {
    std::vector<double> all = kinds_;
    std::ranges::sort(all);
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  const WideArea& area_;
  WideTopology topology_;
  std::vector<int> firsts_;    // places, by table
  std::vector<double> kinds_;  // by table
  std::vector<Key> paths_;     // by table, then by the other end's
};

}  // namespace

int pairing_count(int sites) {
  const int even = sites + sites % 2;
  if (even > kMostOfAll) return even - 1;
  int count = 1;
  for (int partners = even - 1; partners > 1; partners -= 2) count *= partners;
  return count;
}

std::vector<std::pair<int, int>> pairing(std::vector<int> places, int number) {
  if (places.size() % 2 == 1) places.push_back(-1);
  std::vector<std::pair<int, int>> pairs;
  if (places.size() > kMostOfAll) {
    // The circle method: the last place stays, the others turn.
    const auto turning = static_cast<std::ptrdiff_t>(places.size()) - 1;
    std::rotate(places.begin(), places.begin() + number % turning, places.end() - 1);
    for (std::size_t i = 0; i < places.size() / 2; ++i) {
      pairs.emplace_back(places[i], places[places.size() - 1 - i]);
    }
    return pairs;
  }
  // The number's digits are whom the first that is left meets, of those that are left then.
  while (!places.empty()) {
    const auto left = static_cast<int>(places.size()) - 1;
    const auto partner = places.begin() + 1 + number % left;
    number /= left;
    pairs.emplace_back(places.front(), *partner);
    places.erase(partner);
    places.erase(places.begin());
  }
  return pairs;
}

std::vector<int> in_order_of_kind(const WideArea& area, const RoundShape& shape,
                                  std::vector<int> places) {
  const std::vector<int> numbers = Tables(area, shape).numbers();
  std::vector<int> tables;  // by place
  for (std::size_t table = 0; table < area.sites.size(); ++table) {
    tables.insert(tables.end(), static_cast<std::size_t>(area.sites[table].count), numbers[table]);
  }
  std::ranges::stable_sort(places, {},
                           [&](int place) { return tables[static_cast<std::size_t>(place)]; });
  return places;
}

}  // namespace sim
