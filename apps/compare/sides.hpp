// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison: configurations of run, from their own and shared flags. A side is
// one cluster or several sites, whatever the other side is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/read_job.hpp"
#include "sim/study/compare/comparison.hpp"

namespace apps {

struct Side {
  std::string name;                             // "A"
  std::string flags;                            // its own, as given
  sim::study::Side run;                         // as the flags say, or the fastest
  std::optional<std::string> tuned_flags = {};  // as flags_of() words them; nothing: as given
  bool fits_memory = true;                      // at every site

  [[nodiscard]] std::int64_t global_batch() const;  // sequences
};

struct CompareOptions {
  JobOptions job;
  std::string a, b, goal, format;
  int repetitions = 0;
  std::uint64_t seed = 0;
  int jobs = 1;                      // simulations at once
  std::vector<std::string> spreads;  // NAME=NUMBER
  bool tune = false;

  [[nodiscard]] sim::study::Goal aim() const {
    return goal == "cost" ? sim::study::Goal::cost : sim::study::Goal::throughput;
  }
};

struct Comparison {
  CompareOptions options;  // shared by both
  Side a, b;

  [[nodiscard]] sim::study::Comparison question() const;
};

// Nothing if the arguments ask for help, which is printed. Simulates nothing. Throws InputError,
// also if the sides train different models or cannot be compared by this goal.
[[nodiscard]] std::optional<Comparison> parse_comparison(const Arguments& arguments);
// Tunes each side if asked to, and checks whether it fits in memory. Throws InputError if a side
// waits forever for a site.
void prepare(Comparison& comparison);

}  // namespace apps
