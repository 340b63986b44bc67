// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/ring_order.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/sites/detours.hpp"

namespace sim {
namespace {

constexpr std::size_t kMostExact = 8;  // 5 040 orders
constexpr int kMostPasses = 50;
// Of sums over hops: a ring that is slower by more is not looked at.
constexpr double kRounding = 1e-9;

// A hop's links and its own rate, once for each pair that is asked for.
class Costs {
 public:
  Costs(const WideTopology& topology, std::span<const int> places, std::span<const int> relays)
      : topology_(topology),
        relays_(relays),
        numbers_(static_cast<std::size_t>(place_count(topology.area()))),
        places_(places.size()),
        hops_(places_ * places_),
        loads_(topology.links().size()) {
    for (std::size_t i = 0; i < places_; ++i) numbers_[static_cast<std::size_t>(places[i])] = i;
  }

  // Of a hop alone.
  double s_per_byte(int source, int destination) {
    return hop_of(source, destination).alone.s_per_byte;
  }

  RingCost of(std::span<const int> ring) {
    RingCost cost;
    latencies_.clear();
    rates_.clear();
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const HopCost& hop = hop_of(ring[i], ring[(i + 1) % ring.size()]);
      cost.detours += hop.detours;
      latencies_.push_back(hop.alone.latency_s);
      rates_.push_back(hop.alone.s_per_byte);
      cost.s_per_byte = std::max(cost.s_per_byte, hop.alone.s_per_byte);
      for (const auto& [link, s_per_byte] : hop.links) {
        cost.s_per_byte = std::max(cost.s_per_byte, loads_[link] += s_per_byte);
      }
    }
    for (std::size_t i = 0; i < ring.size(); ++i) {
      for (const auto& [link, s_per_byte] : hop_of(ring[i], ring[(i + 1) % ring.size()]).links) {
        loads_[link] = 0;
      }
    }
    cost.latency_s = sum_of(latencies_);
    cost.hops_s_per_byte = sum_of(rates_);
    return cost;
  }

 private:
  // Rings of the same hops cost the same to the last bit, whatever their order.
  static double sum_of(std::vector<double>& values) {
    std::ranges::sort(values);
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  struct HopCost {
    std::vector<std::pair<LinkId, double>> links;  // with seconds per byte
    WayCost alone;                                 // 0 s per byte: not asked for yet
    int detours = 0;
  };

  const HopCost& hop_of(int source, int destination) {
    HopCost& cost = hops_[numbers_[static_cast<std::size_t>(source)] * places_ +
                          numbers_[static_cast<std::size_t>(destination)]];
    if (cost.alone.s_per_byte > 0) return cost;
    const std::vector<Hop> hops = hops_of(topology_, wide_hop(source, destination), relays_);
    cost.alone = way_cost(topology_, hops, cost.links);
    cost.detours = static_cast<int>(hops.size()) - 1;
    return cost;
  }

  const WideTopology& topology_;
  std::span<const int> relays_;
  std::vector<std::size_t> numbers_;  // by place, among those of the ring
  std::size_t places_;
  std::vector<HopCost> hops_;              // by source, then destination
  std::vector<double> loads_;              // by link; 0 between two rings
  std::vector<double> latencies_, rates_;  // of the hops of the ring at hand
};

class Search {
 public:
  Search(Costs costs, RingOrder order) : costs_(std::move(costs)), order_(order) {}

  std::vector<int> from(std::vector<int> ring) {
    best_ = ring;
    cost_ = costs_.of(ring);
    ring.size() <= kMostExact ? try_all(std::move(ring)) : improve();
    return best_;
  }

 private:
  bool take(const std::vector<int>& ring) {
    const RingCost cost = costs_.of(ring);
    if (order_ == RingOrder::best ? !(cost < cost_) : !(cost > cost_)) return false;
    best_ = ring;
    cost_ = cost;
    hops_.reset();
    return true;
  }

  // The first one stays: a ring has no beginning.
  void try_all(std::vector<int> ring) {
    while (std::next_permutation(ring.begin() + 1, ring.end())) take(ring);
  }

  void improve() {
    set_least(best_);
    for (int pass = 0; pass < kMostPasses; ++pass) {
      bool better = false;
      for (std::size_t i = 1; i + 1 < best_.size(); ++i) {
        for (std::size_t j = i + 1; j < best_.size(); ++j) {
          if (may_be_better(exchanged(i, j))) {
            std::vector<int> other = best_;
            std::swap(other[i], other[j]);
            if (take(other)) better = true;
          }
          if (may_be_better(reversed(i, j))) {
            std::vector<int> other = best_;
            std::reverse(other.begin() + static_cast<std::ptrdiff_t>(i),
                         other.begin() + static_cast<std::ptrdiff_t>(j) + 1);
            if (take(other)) better = true;
          }
        }
      }
      if (!better) return;
    }
  }

  // Each sends to one of the others, and receives from one: no ring is faster.
  void set_least(const std::vector<int>& places) {
    for (const int one : places) {
      double sends = std::numeric_limits<double>::infinity(), receives = sends;
      for (const int other : places) {
        if (other == one) continue;
        sends = std::min(sends, costs_.s_per_byte(one, other));
        receives = std::min(receives, costs_.s_per_byte(other, one));
      }
      least_s_per_byte_ = std::max({least_s_per_byte_, sends, receives});
    }
  }

  // Whether a ring of such a RingCost::hops_s_per_byte, known to rounding, may have to be taken.
  [[nodiscard]] bool may_be_better(double hops_s_per_byte) const {
    const bool is_fastest = cost_.detours == 0 && cost_.s_per_byte <= least_s_per_byte_;
    return order_ != RingOrder::best || !is_fastest ||
           !(hops_s_per_byte > cost_.hops_s_per_byte * (1 + kRounding));
  }

  // Of the hops of the best ring up to a member, and of those the other way.
  struct Sums {
    std::vector<double> there, back;
  };
  const Sums& sums() {
    if (hops_) return *hops_;
    hops_.emplace(Sums{{0}, {0}});
    for (std::size_t i = 0; i + 1 < best_.size(); ++i) {
      hops_->there.push_back(hops_->there.back() + costs_.s_per_byte(best_[i], best_[i + 1]));
      hops_->back.push_back(hops_->back.back() + costs_.s_per_byte(best_[i + 1], best_[i]));
    }
    return *hops_;
  }

  [[nodiscard]] int member(std::size_t i) const { return best_[i % best_.size()]; }

  // Hops of the best ring with the part from i to j reversed.
  double reversed(std::size_t i, std::size_t j) {
    const Sums& hops = sums();
    const double part = (hops.back[j] - hops.back[i]) - (hops.there[j] - hops.there[i]);
    return cost_.hops_s_per_byte + part + costs_.s_per_byte(member(i - 1), member(j)) +
           costs_.s_per_byte(member(i), member(j + 1)) -
           costs_.s_per_byte(member(i - 1), member(i)) -
           costs_.s_per_byte(member(j), member(j + 1));
  }

  // With i and j exchanged.
  double exchanged(std::size_t i, std::size_t j) {
    if (i + 1 == j) return reversed(i, j);
    const auto around = [&](std::size_t at, int one) {
      return costs_.s_per_byte(member(at - 1), one) + costs_.s_per_byte(one, member(at + 1));
    };
    return cost_.hops_s_per_byte + around(i, member(j)) + around(j, member(i)) -
           around(i, member(i)) - around(j, member(j));
  }

  Costs costs_;
  RingOrder order_;
  std::vector<int> best_;
  RingCost cost_;
  double least_s_per_byte_ = 0;
  std::optional<Sums> hops_;  // of the best ring, once they were asked for
};

}  // namespace

RingCost ring_cost(const WideTopology& topology, std::span<const int> ring) {
  return Costs(topology, ring, ring).of(ring);
}

std::vector<int> ordered_ring(const WideArea& area, std::vector<int> places, RingOrder order,
                              std::span<const int> relays) {
  if (order == RingOrder::given || places.size() < 3) return places;
  const WideTopology topology(area);
  Costs costs(topology, places, relays.empty() ? places : relays);
  return Search(std::move(costs), order).from(places);
}

}  // namespace sim
