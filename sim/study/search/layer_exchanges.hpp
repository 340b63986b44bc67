// SPDX-License-Identifier: Apache-2.0
// Lower bounds of what ranks exchange in each layer: in closed form, for whole families of setups, and
// from the collectives that a setup runs.
#pragma once

#include <array>
#include <deque>

#include "sim/program/exchange_times.hpp"
#include "sim/study/job.hpp"
#include "sim/study/search/memo.hpp"

namespace sim::study {

// When nothing runs beside it; 0 where nothing is known.
struct LayerExchanges {
  using Exchange = ExchangeTimes::Exchange;
  std::array<Exchange, static_cast<std::size_t>(Point::inside_layer) + 1> points = {};
  Exchange gather_again = {};  // of a block's input, in the backward pass

  [[nodiscard]] double at(Point point) const {
    return points[static_cast<std::size_t>(point)].seconds;
  }
  // With NICs of any speed.
  [[nodiscard]] LayerExchanges inside_nodes() const;
  bool operator==(const LayerExchanges&) const = default;
};

// Each is found once, for each cluster.
class LeastExchanges {
 public:
  // From bytes at the rates of a GPU's NVLink port and of a node's NICs.
  [[nodiscard]] const LayerExchanges& in_closed_form(const Job& job, const Parallelism& p,
                                                     const ActivationExchange& wires);
  // The longer of that and of what the collectives take (sim/program/exchange_times.hpp).
  [[nodiscard]] const LayerExchanges& of(const Job& job, const Setup& setup);
  [[nodiscard]] ExchangeTimes& times(const Cluster& cluster) { return on(cluster).times; }

 private:
  struct OnCluster {
    explicit OnCluster(const Cluster& of) : cluster(of), times(of) {}
    const Cluster cluster;
    ExchangeTimes times;
    Memo<Parallelism, ActivationExchange, LayerExchanges> closed_forms, known;
  };
  OnCluster& on(const Cluster& cluster);

  std::deque<OnCluster> clusters_;
};

// Without what the kernels of a micro-batch do not depend on.
[[nodiscard]] Parallelism of_passes(Parallelism p);

}  // namespace sim::study
