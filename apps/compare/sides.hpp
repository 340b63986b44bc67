// The two sides of a comparison: configurations of run, from flags of their own and shared ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/job.hpp"

namespace apps {

enum class Goal {
  throughput,  // tokens per second
  cost         // tokens per dollar, at the price of the clusters' GPUs
};

struct Side {
  std::string name;   // "A"
  std::string flags;  // its own, as given
  Job job;
  Setup setup;  // as the flags say, or the fastest
  bool fits_memory = true;

  // The more the better, of a step that takes so long.
  [[nodiscard]] double score(Goal goal, double step_time_s) const;
  [[nodiscard]] double tokens_per_s(double step_time_s) const;
};

struct CompareOptions {
  JobOptions job;
  std::string a, b, goal, format;
  int repetitions = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> spreads;  // NAME=NUMBER
  bool tune = false;

  [[nodiscard]] Goal aim() const { return goal == "cost" ? Goal::cost : Goal::throughput; }
};

struct Comparison {
  CompareOptions options;  // what both share
  Side a, b;
};

// Nothing where the arguments ask for the help, which is printed. Throws InputError, too where the
// sides train different models or cannot be compared in this goal.
[[nodiscard]] std::optional<Comparison> parse_comparison(const Arguments& arguments);

}  // namespace apps
