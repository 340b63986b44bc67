// SPDX-License-Identifier: Apache-2.0
#include "sim/program/plan_step.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/program/asked_collectives.hpp"
#include "sim/program/expand.hpp"
#include "sim/program/expert_exchange.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/pipeline_tasks.hpp"

namespace sim {
namespace {

// Whether it works node by node with holders of a group of parameters that lie unevenly.
bool works_unevenly(const StepContext& context, const Scheme& scheme, Weights group) {
  const bool by_node =
      scheme.gradients_of(group).algorithm->is_by_node || scheme.weights_of(group).secondary_shards;
  return by_node && !has_even_holders(context.cluster, context.parallelism, group);
}

// What a scheme is not defined with, of a job that has no problems itself.
std::vector<std::string> problems_of_scheme(const StepContext& context, const Scheme& scheme) {
  const Parallelism& p = context.parallelism;
  std::vector<std::string> lines;
  if (!scheme.is_defined_for(p.sharding.stage)) {
    lines.push_back(fmt::format("`zero`: {} is defined for {}, not for {}; choose `zero` {}",
                                scheme.name, joined(scheme.zero), p.sharding.stage,
                                joined(scheme.zero, " or ")));
  }
  const bool secondary = scheme.weights.secondary_shards;
  if (p.sharding.ranks > 0 && (!scheme.gradients.algorithm->has_replicas || secondary)) {
    lines.push_back(fmt::format(
        "`hybrid-shard`: {} has no exchange between groups of replicas; choose `scheme` sharded",
        scheme.name));
  }
  if (p.gathers_matrices && !scheme.weights.wire.is_plain()) {
    lines.push_back(fmt::format(
        "`weight-precision`: {} sets the format of weights itself; leave the flag at bf16",
        scheme.name));
  }
  if (works_unevenly(context, scheme, Weights::dense) ||
      (dispatches(p) && works_unevenly(context, scheme, Weights::experts))) {
    lines.push_back(fmt::format(
        "`scheme`: {} works node by node and needs the same number of replicas on every node; "
        "choose another `tp`, `pp` or `nodes`",
        scheme.name));
  }
  const GradientExchange& gradients = scheme.gradients;
  const bool encodes = !gradients.inside.is_plain() || !gradients.between.is_plain();
  const bool adds_up = gradients.algorithm == &reductions::all_reduce;  // as they travel
  if (encodes && !adds_up && context.cluster.collectives.algorithm == &algorithms::sharp) {
    lines.push_back(fmt::format(
        "`algorithm`: switches add numbers, not the encoded gradients that {} sends; choose auto",
        scheme.name));
  }
  return lines;
}

std::string throttling_problem(const StepContext& context) {
  const auto& published = context.calibration.published;
  if (!context.parallelism.power_throttling || (published && published->power)) return "";
  return fmt::format(
      "`power-throttling`: no power of {}'s kernels is known ([power] in "
      "traces/kernels/kernels.toml); "
      "choose off",
      context.cluster.gpu.name);
}

// Periods at the first stage in the first try: in most steps they settle after a few. With virtual stages
// a period has as many micro-batches as there are stages, or more.
int fewest_periods(const Parallelism& p) { return p.virtual_stages > 1 ? 6 : 7; }
// The largest part of a step's micro-batches that is worth a try. Where the first one does not settle,
// others seldom do.
constexpr double kMostOfFirst = 0.6, kMostOfOthers = 0.3;

// Traffic of other jobs has periods of its own.
bool may_repeat(const StepContext& context) {
  const bool by_steps = context.detail && *context.detail == Detail::step_by_step;
  return !context.whole && !context.each_kernel && !context.each_micro_batch && !by_steps &&
         context.cluster.traffic.empty();
}

PlannedStep plan(const StepContext& context, const Scheme& scheme, const ShorterOrder& order) {
  if (const std::string lines = problems(context, scheme); !lines.empty()) throw InputError(lines);
  StepContext changed = context;
  changed.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  StepContext shorter = changed;
  shorter.parallelism.accumulation = order.accumulation;
  Program program = lay_out(shorter, scheme);
  program.left_out = order.left_out;
  PlannedStep step = expand(program, changed, context.detail.value_or(Detail::folded));
  if (context.detail || !step.schedule.wants_steps()) return step;
  if (order.left_out > 0) program = lay_out(changed, scheme);
  return expand(program, changed, Detail::step_by_step);
}

}  // namespace

std::string problems(const StepContext& context, const Scheme& scheme) {
  const std::string of_job = problems(context.cluster, context.model, context.parallelism);
  if (!of_job.empty()) return of_job;
  if (std::string of_dispatcher = dispatcher_problem(context); !of_dispatcher.empty()) {
    return of_dispatcher;
  }
  if (std::string of_power = throttling_problem(context); !of_power.empty()) return of_power;
  std::vector<std::string> lines = problems_of_scheme(context, scheme);
  if (lines.empty()) lines = asked_outcome(context, scheme).refusals;
  return joined(lines, "\n");
}

PlannedStep plan_step(const StepContext& context, const Scheme& scheme) {
  return plan(context, scheme, {.accumulation = context.parallelism.accumulation});
}

PlannedStep plan_for_bound(const StepContext& context, const Scheme& scheme) {
  const ShorterOrder order = with_periods(context.parallelism, kStandsForOthers + 2);
  return order.left_out > 0 && may_repeat(context) ? plan(context, scheme, order)
                                                   : plan_step(context, scheme);
}

PlannedStep plan_few_periods(const StepContext& context, const Scheme& scheme,
                             const Schedule* longer_than) {
  const Parallelism& p = context.parallelism;
  const int periods =
      longer_than == nullptr ? fewest_periods(p) : 2 * longer_than->periods_played();
  const double most = longer_than == nullptr ? kMostOfFirst : kMostOfOthers;
  const ShorterOrder order = with_periods(p, periods);
  const bool pays = order.accumulation <= most * p.accumulation;
  return pays && may_repeat(context) ? plan(context, scheme, order) : plan_step(context, scheme);
}

}  // namespace sim
