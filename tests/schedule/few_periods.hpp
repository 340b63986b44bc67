// SPDX-License-Identifier: Apache-2.0
// Steps of which a few periods are played, compared with all of their micro-batches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/report.hpp"
#include "sim/report/writers.hpp"

namespace sim {

struct PlayedStep {
  Report report;
  std::size_t operations = 0;
  int left_out = 0;  // periods

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(to_json({&report, 1})); }
};

inline PlayedStep played(StepContext context, const Scheme& scheme, bool each_micro_batch) {
  context.each_micro_batch = each_micro_batch;
  PlannedStep step = plan_few_periods(context, scheme);
  const Timeline timeline = simulate_step(context, scheme, step);
  return {summarize(context, scheme, step.schedule, step.wiring, timeline),
          step.schedule.operations.size(), step.schedule.left_out};
}

// By how much two values of reports differ at most: times as part of the step's, others as part of
// themselves. Infinite where anything but numbers differs.
inline double difference(const nlohmann::json& a, const nlohmann::json& b, const std::string& name,
                         double step_s) {
  if (a.type() != b.type() || a.size() != b.size()) return INFINITY;
  if (a.is_number()) {
    const double scale = std::max(std::abs(a.get<double>()), name.ends_with("_s") ? step_s : 0.0);
    return scale == 0 ? std::abs(b.get<double>())
                      : std::abs(a.get<double>() - b.get<double>()) / scale;
  }
  if (!a.is_structured()) return a == b ? 0 : INFINITY;
  double most = 0;
  for (const auto& [key, value] : a.items()) {
    const auto& other = a.is_object() ? b.at(key) : b.at(std::stoul(key));
    // Of phases, whose names are keys, and of lists, the name is the one above.
    const bool named = a.is_object() && !name.ends_with("_s");
    most = std::max(most, difference(value, other, named ? key : name, step_s));
  }
  return most;
}
inline double difference(const PlayedStep& a, const PlayedStep& b) {
  return difference(a.json(), b.json(), "", a.report.time_s);
}

// What a step of few periods may differ by.
inline constexpr double kMostOfFewPeriods = 1e-6;

}  // namespace sim
