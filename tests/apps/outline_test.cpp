// SPDX-License-Identifier: Apache-2.0
// A step's outline does what the step does with weights, gradients and the optimizer's state: the same
// passes over memory, and transfers that only rounding makes longer when they are cut into buckets. Under
// ZeRO-3, embedding and head may be gathered for fewer micro-batches.
#include "sim/program/outline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "tests/apps/any_order.hpp"
#include "tests/apps/jobs.hpp"

namespace sim {
namespace {

struct Done {
  std::map<std::tuple<int, Pass>, double> passes;  // seconds and bytes, by stage
  std::map<std::tuple<int, Weights, CollectiveKind, Among>, double> transfers;

  // `of` is a program, or an outline.
  void add(const std::vector<Instruction>& instructions, const auto& of, int times) {
    for (const Instruction& one : instructions) {
      if (const auto* pass = std::get_if<MemoryPass>(&one.what)) {
        passes[{one.stage, pass->pass}] +=
            times * (pass->time ? of.times[*pass->time].seconds : pass->bytes);
      } else if (const auto* what = std::get_if<Communicate>(&one.what)) {
        add(one.stage, of.communications[what->communication], times);
      }
    }
  }

 private:
  void add(int stage, const Communication& communication, int times) {
    if (communication.axis != nullptr) return;
    for (const Part& part : communication.parts) {
      const auto* transfer = std::get_if<Transfer>(&part.what);
      if (transfer == nullptr) continue;
      transfers[{stage, communication.weights, transfer->collective, transfer->among}] +=
          times * transfer->bytes;
    }
  }
};

Done in_outline(const StepContext& context, const Scheme& scheme) {
  const Outline all = outline(context, scheme);
  Done done;
  for (const auto& [part, times] : all.parts(context.parallelism.accumulation)) {
    done.add(*part, all, times);
  }
  return done;
}

Done in_step(StepContext context, const Scheme& scheme) {
  context.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  const Program program = lay_out(context, scheme);
  Done done;
  done.add(program.instructions, program, 1);
  return done;
}

TEST(Outline, DoesWhatTheStepDoes) {
  constexpr int kDraws = 400;
  std::mt19937 random(11);
  int run = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::string flags =
        apps_tests::any_order(random) + (random() % 4 == 0 ? " --optimizer muon" : "");
    SCOPED_TRACE(flags);
    const std::optional<study::Job> job = apps_tests::job_if_it_runs(flags);
    if (!job) continue;
    ++run;
    const study::Setup& setup = job->setups.front();
    const StepContext context = job->context(setup);
    const Done step = in_step(context, setup.scheme);
    const Done outlined = in_outline(context, setup.scheme);
    const auto& p = context.parallelism;
    const bool counts_all = p.sharding.stage < 3 || p.pipeline == 1;
    ASSERT_EQ(step.passes.size(), outlined.passes.size());
    for (const auto& [key, amount] : step.passes) {
      EXPECT_LE(outlined.passes.at(key), amount * (1 + 1e-9));
      EXPECT_GE(outlined.passes.at(key), amount * (counts_all ? 1 - 1e-9 : 0));
    }
    ASSERT_EQ(step.transfers.size(), outlined.transfers.size());
    for (const auto& [key, bytes] : step.transfers) {
      EXPECT_LE(outlined.transfers.at(key), bytes * (1 + 1e-9));
      EXPECT_GE(outlined.transfers.at(key), bytes * (counts_all ? 0.99 : 0));
    }
  }
  EXPECT_GE(run, kDraws / 10);
}

}  // namespace
}  // namespace sim
