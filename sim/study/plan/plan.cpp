// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/plan.hpp"

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/study/plan/cluster_choices.hpp"
#include "sim/study/plan/planner.hpp"
#include "sim/study/plan/site_choices.hpp"
#include "sim/study/plan/together.hpp"
#include "sim/study/setup_options.hpp"

namespace sim::study {
namespace {

void check_money(const PlanQuestion& question, const Choices& choices) {
  const auto second = Seconds::from_base(1);
  for (std::size_t i = 0; i < choices.count(); ++i) {
    if (choices.price(i, second).total() > 0) return;
  }
  const char* field = question.goal.aim == Aim::cheapest            ? "goal"
                      : question.goal.budget_usd < PlanGoal::kNever ? "budget"
                                                                    : nullptr;
  if (field == nullptr) return;
  throw InputError(
      fmt::format("`{}`: nothing in {} has a price; {}", field, question.job.topology.name,
                  question.job.inner ? "set gpu.price in its clusters' files" : "set gpu.price"));
}

std::unique_ptr<Choices> choices_of(const PlanQuestion& question) {
  std::unique_ptr<Choices> choices =
      question.job.inner ? site_choices(question) : cluster_choices(question);
  check_money(question, *choices);
  return choices;
}

// A question that can be answered.
struct Asked {
  PlanQuestion question;
  bool state_on_hosts = false;
};

// The choices of a question as it is, or with the optimizer's state on hosts if nothing fits otherwise.
std::unique_ptr<Choices> fitting_choices(Asked& asked) {
  try {
    return choices_of(asked.question);
  } catch (const NothingFits&) {
    if (!may_use_hosts(asked.question.job)) throw;
  }
  asked.question.job.parallelism.optimizer_state = OptimizerState::host;
  asked.state_on_hosts = true;
  return choices_of(asked.question);
}

// What nothing fits on, where something does on others.
struct TooSmall {
  NothingFits error;
  std::string topology;
};

}  // namespace

PlanReport plan(std::span<const PlanQuestion> questions,
                const std::function<void(const Searched&)>& progress) {
  std::deque<Asked> asked;  // which stay where they are
  std::vector<std::unique_ptr<Choices>> parts;
  std::vector<std::size_t> numbers;  // of the parts
  std::vector<TooSmall> too_small;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    asked.push_back({questions[i]});
    try {
      parts.push_back(fitting_choices(asked.back()));
      numbers.push_back(i);
    } catch (const NothingFits& error) {
      too_small.push_back({error, questions[i].job.topology.name});
      asked.back().state_on_hosts = false;
    }
  }
  if (parts.empty()) throw too_small.front().error;
  const std::unique_ptr<Choices> choices = together(std::move(parts));
  const auto searched = [&](const Choices& all) { progress(all.searched()); };
  choices->find_full_speeds(searched);
  PlanReport report = search(questions.front(), *choices, searched);
  for (PlanRow& row : report.rows) row.question = numbers[row.question];
  std::vector<std::string> names;
  for (const PlanQuestion& one : questions) names.push_back(one.job.topology.name);
  report.topology = joined(names, ", ");
  for (const Asked& one : asked) {
    if (one.state_on_hosts) report.state_on_hosts.push_back(one.question.job.topology.name);
  }
  for (const TooSmall& one : too_small) report.does_not_fit.push_back(one.topology);
  return report;
}

PlanReport plan(const PlanQuestion& question,
                const std::function<void(const Searched&)>& progress) {
  return plan(std::span(&question, 1), progress);
}

}  // namespace sim::study
