// SPDX-License-Identifier: Apache-2.0
// Two configurations to compare, and how well each trains. A side is one cluster or several sites,
// whatever the other side is.
#pragma once

#include <cstdint>

#include "sim/report/report.hpp"
#include "sim/study/search/assumptions.hpp"

namespace sim::study {

enum class Goal {
  throughput,  // tokens per second
  cost         // tokens per dollar (see Performance)
};

struct Side {
  Job job;
  Setup setup;
};

struct Comparison {
  Side a, b;
  Goal goal = Goal::throughput;
  int repetitions = 100;
  std::uint64_t seed = 1;
  int jobs = 1;  // simulations at once
};
// Throws InputError if the sides train different models or cannot be compared by the goal.
void check(const Comparison& comparison);

// Results of a simulation. An aborted round has an infinite time and no tokens. With a reliability, or
// where sites come and go, tokens are those that are kept; spares are paid for, sites that are away are
// not.
struct Performance {
  double time_s = 0;  // of a step, or of a round
  double tokens_per_s = 0;
  // At the price of the cluster's GPUs; for several sites including network, leased links and
  // egress.
  double tokens_per_usd = 0;
  double steady_tokens_per_s = 0;  // if nothing failed and no site left
  Sensitivity sensitivity = {};

  // So many times as fast, at the same costs a second.
  [[nodiscard]] Performance faster(double factor) const {
    return {time_s / factor, tokens_per_s * factor, tokens_per_usd * factor,
            steady_tokens_per_s * factor, sensitivity};
  }
  // Higher is better.
  [[nodiscard]] double score(Goal goal) const {
    return goal == Goal::cost ? tokens_per_usd : tokens_per_s;
  }
  [[nodiscard]] bool is_steady() const { return tokens_per_s == steady_tokens_per_s; }
};
[[nodiscard]] Performance simulate(const Side& side);

[[nodiscard]] Side scaled(Side side, const Assumption& assumption, double factor);

}  // namespace sim::study
