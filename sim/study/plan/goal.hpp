// SPDX-License-Identifier: Apache-2.0
// The goal of a plan: which of two ways to train the same tokens is better, and which are out of
// the question.
//
// Every criterion grows with the time of a step or a round: the training time, and all parts of its
// price. So a lower bound of that time bounds the rest too.
#pragma once

#include <array>
#include <limits>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/topology/bill.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim::study {

enum class Aim { cheapest, fastest, smallest_network };
inline constexpr EnumName<Aim> kAims[]{{"cheapest", Aim::cheapest},
                                       {"fastest", Aim::fastest},
                                       {"smallest-network", Aim::smallest_network}};

// What is paid for beside GPUs and network.
struct Extras {
  EnergyPrice electricity;
  DollarRate storage;
  double idle = 0;  // share of the hours paid for in which nothing trains
};

// The cost of training, in dollars. Parts without a price are 0.
struct Price {
  double gpus = 0, network = 0, power = 0, storage = 0;
  double idle = 0;    // hours of GPUs, network and storage in which nothing trains
  double egress = 0;  // of traffic between sites
  // Costs in proportion to the training time.
  [[nodiscard]] double of_time() const { return gpus + network + power + storage + idle; }
  [[nodiscard]] double total() const { return of_time() + egress; }
};
// For a cluster over this time, every GPU at its power.
[[nodiscard]] Price price_of(const Cluster& cluster, Seconds time, const Extras& extras);
// To buy a cluster, and for the power that its nodes and network draw in the years of use.
[[nodiscard]] Price price_to_buy(const Cluster& cluster, const NetworkParts& parts,
                                 EnergyPrice electricity);
// For all sites and the leased links between them; egress depends on the bytes sent. Sites that come
// and go cost nothing while they are away.
[[nodiscard]] Price price_of(const WideArea& area, Seconds time, const Extras& extras);
// Of all GPUs at their power, while their sites are there.
[[nodiscard]] double energy_j(const WideArea& area, Seconds time);

struct PlanGoal {
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Aim aim = Aim::cheapest;
  double tokens = 0;  // of the whole training
  Extras extras;
  double deadline_s = kNever;
  double budget_usd = kNever;
  double confidence = 0.8;  // probability with which a plan has to keep them
  double share = 0;         // of the speed with an unlimited network; for smallest_network

  [[nodiscard]] Seconds time(double seconds_per_token) const {
    return Seconds::from_base(tokens * seconds_per_token);
  }
};

// What a plan takes; of a lower bound of its time, at least. None of them falls as time rises.
struct Worth {
  double usd = 0;
  double time_s = 0;
  double nic_bandwidth_Bps = 0;
};

// Of two plans that are alike, the lesser is less to buy, to run and to trust.
struct Simplicity {
  int sites = 1;
  int gpus = 0;
  bool compresses = false;  // what it exchanges inside or between sites
  int kinds = 0;            // of parallelism, besides data parallelism
  double nic_bandwidth_Bps = 0;
  auto operator<=>(const Simplicity&) const = default;
};
struct Contender {
  Worth worth;
  Simplicity simplicity;
};

// Lower is better; the first difference decides: for `cheapest` price and time, for `fastest` time
// and price, for `smallest_network` the NICs' bandwidth, price and time.
using Score = std::array<double, 3>;
[[nodiscard]] Score score_of(const PlanGoal& goal, const Worth& worth);
// Whether deadline and budget, `factor` times as far away, are met by what is predicted.
[[nodiscard]] bool meets_limits(const PlanGoal& goal, const Worth& worth, double factor = 1);
// Whether nobody takes `other` where there is `one`: as far as predictions can tell (least_win()), it is
// dearer and no faster, or slower and no cheaper. For `smallest_network`, whether its NICs are faster.
[[nodiscard]] bool beats(const PlanGoal& goal, const Worth& one, const Worth& other);

}  // namespace sim::study
