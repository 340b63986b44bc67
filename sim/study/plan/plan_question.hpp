// SPDX-License-Identifier: Apache-2.0
// The question of a plan: a job, and what to choose for it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/plan/goal.hpp"
#include "sim/topology/bill.hpp"

namespace sim::study {

// What a plan lists: what no other plan beats (goal.hpp), of the best of each kind (choices.hpp); the best of
// all kinds; or the best setups, alike or not.
enum class Listing { front, kinds, setups };

struct PlanQuestion {
  // The schemes of its setups are those to choose from. What is given (Job::given) stays fixed.
  Job job;
  // Schemes to choose from inside several sites; the first is the job's.
  std::vector<Scheme> inner;
  std::set<std::string> fixed_counts;  // sites of which as many take part as the file says
  std::vector<int> nodes;              // ascending; empty: powers of two up to the job's, and that
  std::vector<Bandwidth> nic_bandwidths;  // ascending; empty: the job's
  PlanGoal goal;
  // Prices are what the cluster costs to buy, with the power of its years of use; none: what it costs to rent.
  std::optional<NetworkParts> buy;
  std::int64_t batch_tokens = std::int64_t{4} << 20;  // per step, at least
  // Share of a GPU's memory that is left free besides what is predicted (MemoryUse::total()).
  double memory_headroom = 0;
  std::optional<double> critical_batch;  // tokens
  Listing listing = Listing::front;
  double gap = 0.02;        // a plan of a kind is at most so much slower than the best of it
  bool exhaustive = false;  // simulates all that fits in memory
  int jobs = 1;             // setups planned or simulated at once
};

// Hardware to train on, and how: the choices of a plan.
struct Chosen {
  std::size_t scheme = 0;  // of the job's setups
  Parallelism parallelism;
  // Of one cluster: its size, and the NICs as an index into PlanQuestion::nic_bandwidths.
  int nodes = 0;
  std::optional<std::size_t> nic_bandwidth;
  // Of several sites: an index into PlanQuestion::inner, and how many of each table take part.
  std::size_t inner = 0;
  std::vector<int> counts;
};

}  // namespace sim::study
