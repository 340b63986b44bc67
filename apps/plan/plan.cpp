// SPDX-License-Identifier: Apache-2.0
// plan: the best ways to train a model on so many tokens.
#include "sim/study/plan/plan.hpp"

#include <fmt/format.h>

#include <vector>

#include "apps/commands.hpp"
#include "apps/plan/plan_output.hpp"
#include "apps/plan/run_line.hpp"
#include "apps/progress.hpp"
#include "apps/words.hpp"

namespace apps {
namespace {

using sim::study::PlanReport;
using sim::study::Searched;

// "1200 setups, 40 planned, 12 simulated".
std::string how_far(const Searched& searched) {
  return fmt::format("{} setups, {} planned, {} simulated", searched.setups, searched.planned,
                     searched.simulated);
}

PlanReport report_of(const Places& options) {
  Progress shown("searching", 0);
  const auto progress = [&](const Searched& searched) {
    shown.show([&] { return how_far(searched); });
  };
  std::vector<sim::study::PlanQuestion> questions;
  for (const PlanOptions& one : options) questions.push_back(one.question);
  try {
    return plan(questions, progress);
  } catch (const sim::study::NothingFits& error) {
    throw sim::InputError(std::string(error.what()) + ": " +
                          run_line(options.front(), error.closest));
  }
}

}  // namespace

int plan_command(const Arguments& arguments) {
  Places options = parse_plan(arguments);
  if (options.empty()) return 0;
  for (PlanOptions& one : options) read_question(one);
  PlanReport report = report_of(options);
  for (std::string& part : report.not_counted) part = with_flags(part);
  print(options, report);
  return 0;
}

}  // namespace apps
