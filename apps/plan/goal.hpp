// What a plan is for: which of two ways to train the same tokens is the better one, and which are
// out of the question.
//
// Everything that is asked grows with the time of a step or a round: the time to train, and all of
// its price. So what bounds the time from below bounds the rest too.
#pragma once

#include <array>
#include <limits>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/cluster/wide_area.hpp"

namespace apps {

enum class Aim { cheapest, fastest, smallest_network };
inline constexpr sim::EnumName<Aim> kAims[]{{"cheapest", Aim::cheapest},
                                            {"fastest", Aim::fastest},
                                            {"smallest-network", Aim::smallest_network}};

// What training costs, in dollars. Parts are 0 where nothing says their price.
struct Price {
  double gpus = 0, network = 0, power = 0;
  double egress = 0;  // of what sites send each other
  // What goes with the time that the training takes.
  [[nodiscard]] double of_time() const { return gpus + network + power; }
  [[nodiscard]] double total() const { return of_time() + egress; }
};
// Of a cluster that is had for so long, every GPU at its power.
[[nodiscard]] Price price_of(const sim::Cluster& cluster, sim::Seconds time,
                             sim::EnergyPrice electricity);
// Of all sites, and of the links that are leased between them; egress goes with what is sent.
[[nodiscard]] Price price_of(const sim::WideArea& area, sim::Seconds time,
                             sim::EnergyPrice electricity);

struct PlanGoal {
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Aim aim = Aim::cheapest;
  double tokens = 0;  // of the whole training
  sim::EnergyPrice electricity;
  double deadline_s = kNever;
  double budget_usd = kNever;
  double share = 0;  // of the speed with an unlimited network; of smallest_network

  [[nodiscard]] sim::Seconds time(double seconds_per_token) const {
    return sim::Seconds::from_base(tokens * seconds_per_token);
  }
};

// Lower is better, the first that differs decides: of `cheapest` price and time, of `fastest` time
// and price, of `smallest_network` the NICs' bandwidth, price and time. None of them falls where
// the time rises.
using Score = std::array<double, 3>;
[[nodiscard]] Score score_of(const PlanGoal& goal, double usd, sim::Seconds time,
                             double nic_bandwidth_Bps);
// Whether deadline and budget are met.
[[nodiscard]] bool meets_limits(const PlanGoal& goal, double usd, sim::Seconds time);

}  // namespace apps
