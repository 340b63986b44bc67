// SPDX-License-Identifier: Apache-2.0
// What predictions rest on: each assumption moves the answer as it says, and by 1 not at all.
#include "sim/study/search/assumptions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/words.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/study/simulation.hpp"
#include "tests/apps/answers.hpp"
#include "tests/apps/jobs.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim::study {
namespace {

// Two layers on two nodes of two H100 whose step each assumption is a part of: nothing overlaps.
const std::string kFlags =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 --scheme sdp4bit "
    "--attention fused --set model.layers=2 ";

using apps_tests::job_of;

Job tiny_job() { return job_of(kFlags); }

const Assumption& named(std::string_view name) {
  for (const Assumption& one : assumptions()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no such assumption");
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Assumption& one : assumptions()) {
    if (one.concern != Concern::wide_area) names.emplace_back(one.name);
  }
  return names;
}

double seconds(const Job& job) { return seconds_of(job, job.setups.front()); }

class Assumptions : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Assumptions, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

TEST_P(Assumptions, MoveTheAnswerInTheirDirection) {
  // Channels are SMs that kernels beside a collective do without.
  const Job job =
      GetParam() == "channels" ? job_of(kFlags + "--overlap all --accumulation 4") : tiny_job();
  const double as_is = seconds(job);
  for (const double factor : {0.6, 1.6}) {
    const double other = seconds(scaled(job, named(GetParam()), factor));
    EXPECT_EQ(other < as_is, (factor > 1) == named(GetParam()).more_is_faster) << factor;
    EXPECT_NE(other, as_is);
  }
}

TEST_P(Assumptions, ChangeNothingByAFactorOfOne) {
  const Job job = tiny_job();
  const Job same = scaled(job, named(GetParam()), 1);
  const sim::Schedule before =
      sim::whole_step(job.context(job.setups.front()), job.setups[0].scheme);
  const sim::Schedule after =
      sim::whole_step(same.context(job.setups.front()), job.setups[0].scheme);
  EXPECT_EQ(sim::simulate(before, job.cluster()).end_s, sim::simulate(after, same.cluster()).end_s);
}

// What the flags say is what was simulated, to their six digits.
TEST_P(Assumptions, AreToldToRunByTheirFlags) {
  const Job other = scaled(tiny_job(), named(GetParam()), 1.25);
  const std::string flags = apps::with_flags(fields_of(other, named(GetParam())));
  // Published attention has no flag.
  if (GetParam() == "attention_rate") {
    EXPECT_EQ(flags, "");
  } else {
    const double step_time_s = apps_tests::json_of("run " + kFlags + flags)["step_time_s"];
    EXPECT_NEAR(step_time_s / seconds(other), 1, 1e-5) << flags;
  }
}

// Also of a GPU whose copies, passes and codecs were measured, and the same way up and down: the update of
// a model that large is bound by memory alone.
TEST(MemoryBandwidth, DecidesWhereItIsSet) {
  for (const std::string topology : {"dgx_h100_x16", "dgx_h200_x16", "sdp4bit_a100"}) {
    const std::string flags = "run --topology " + topology +
                              " --nodes 1 --model gpt_6.7b --zero 1 --scheme sdp4bit --range off";
    const auto as_is = apps_tests::json_of(flags);
    const double sheet = apps_tests::job_of("--model gpt_125m --topology " + topology)
                             .cluster()
                             .gpu.memory_bandwidth.base();
    for (const double factor : {0.5, 2.0}) {
      const auto set = apps_tests::json_of(
          flags + fmt::format(" --set gpu.memory_bandwidth={:.0f}Bps", factor * sheet));
      const auto ratio = [&](const char* figure) {
        return set[figure].get<double>() / as_is[figure].get<double>();
      };
      EXPECT_NEAR(ratio("optimizer_s") * factor, 1, 0.05) << topology;
      // Codecs may be bound by instructions instead.
      EXPECT_EQ(ratio("codec_s") < 1, factor > 1) << topology;
      EXPECT_EQ(ratio("step_time_s") < 1, factor > 1) << topology;
      const std::string source = set["sources"]["gpu.memory_bandwidth"];
      EXPECT_NE(source.find(factor > 1 ? "2 times that of" : "0.5 times that of"),
                std::string::npos)
          << source;
    }
    EXPECT_FALSE(as_is["sources"].contains("gpu.memory_bandwidth"));
  }
}

TEST(HostIssue, HasTheSpreadOfTheStackThatRuns) {
  const auto spread = [](const std::string& stack) {
    const Job job = apps_tests::job_of("--topology dgx_h100_x16 --model gpt_125m --stack " + stack);
    return spread_of(job, named("host_issue"));
  };
  EXPECT_EQ(spread("torch-compile").of_logarithm, 1.08);
  EXPECT_EQ(spread("megatron").of_logarithm, 0.84);
  EXPECT_NE(spread("megatron").source.find("Megatron-DeepSpeed"), std::string::npos);
}

TEST_P(Assumptions, HaveASpreadWithItsSource) {
  const Job job = tiny_job();
  const Spread spread = named(GetParam()).spread(job.cluster(), job.calibration());
  EXPECT_GT(spread.of_logarithm, 0);
  EXPECT_LT(spread.of_logarithm, 1.2);
  EXPECT_FALSE(spread.source.empty());
  EXPECT_EQ(spread.source.find('\n'), std::string::npos);
}

// A step of compute alone has the inverse of the compute's rate; nothing of all takes more than all.
TEST_P(Assumptions, AreNoMoreThanTheWholeAnswer) {
  const Job job = tiny_job();
  const double share = sensitivity(job, job.setups.front(), named(GetParam()), seconds(job));
  EXPECT_EQ(share > 0, named(GetParam()).more_is_faster) << share;
  EXPECT_LT(std::abs(share), 1);
}

// Twice the bandwidths and half the latencies of everything is a step in half the time.
TEST(Assumptions, TogetherAreAllThatAStepsTimeComesFrom) {
  Job job = tiny_job();
  // What scales with nothing: the FP32 arithmetic of the optimizer, which its bytes hide.
  const double as_is = seconds(job);
  for (const Assumption& one : assumptions()) {
    if (!rests_on(job, one)) continue;
    // Fused attention is a share of the matrix rate; with no table codecs' kernels go by the memory's
    // bandwidth and by launches.
    if (one.name == "attention_rate") continue;
    // Shares of a GPU and of its speed, no times.
    if (one.name == "channels" || one.name == "speed_spread") continue;
    const bool table =
        !job.calibration().kernels->empty() && job.calibration().gpu == job.cluster().gpu.name;
    if (one.name == "codec_time" && !table) continue;
    job = scaled(job, one, one.more_is_faster ? 2 : 0.5);
  }
  EXPECT_NEAR(seconds(job) / as_is, 0.5, 0.02);
}

// The narrow spreads are of what was fitted on rows that the cluster's file names.
TEST(Assumptions, TakeWhatIsTypedByHandForNoFit) {
  const auto spread = [](const char* name, const std::string& flags) {
    const Job job = job_of("--topology sdp4bit_a100 --model gpt_125m " + flags);
    return spread_of(job, named(name)).towards(Towards::slower);
  };
  const double unmeasured = -std::log(kSlowDelivery) / kLikelySpreads;
  EXPECT_NEAR(spread("matrix_rate", ""), 0.05, 1e-3);  // and a little of the slowest GPU's
  EXPECT_NEAR(spread("matrix_rate", "--set fitted.compute_efficiency=0.6270"), 0.2, 1e-3);
  EXPECT_EQ(spread("nic_bandwidth", "--set fitted.compute_efficiency=0.6270"), 0.05);
  EXPECT_EQ(spread("nic_bandwidth", ""), 0.05);
  EXPECT_EQ(spread("nic_bandwidth", "--set fitted.network_efficiency=0.8272"), unmeasured);
  EXPECT_EQ(spread("nic_bandwidth", "--set fitted.communicator_bandwidth=20GBps"), unmeasured);
}

// Where nothing was fitted, published runs say how fast GPUs are, by precision, and how sure that is.
TEST(Assumptions, TakeTheSpreadOfTheDefaultWhereNothingWasFitted) {
  const auto job = [](const std::string& flags) {
    return job_of("--topology dgx_h100_x16 --model gpt_125m " + flags);
  };
  for (const char* flags : {"", "--precision fp8"}) {
    const Cluster cluster = job(flags).cluster();
    EXPECT_EQ(compute_efficiency(cluster), cluster.default_efficiency->efficiency) << flags;
  }
  EXPECT_NE(compute_efficiency(job("--calibration roofline").cluster()),
            compute_efficiency(job("--calibration roofline --precision fp8").cluster()));
  EXPECT_EQ(compute_efficiency(job("--set fitted.compute_efficiency=1").cluster()), 1);
  EXPECT_NEAR(spread_of(job(""), named("matrix_rate")).of_logarithm,
              job("").cluster().default_efficiency->spread, 1e-3);
  EXPECT_NEAR(
      spread_of(job("--set fitted.compute_efficiency=1"), named("matrix_rate")).of_logarithm, 0.2,
      1e-3);
}

// A step waits for the slowest GPU: where GPUs differ, which ones one gets is part of the spread.
TEST(Assumptions, TakeTheSpreadThatTheClusterHas) {
  Job job = tiny_job();
  const auto matrix_rate = [&] {
    return named("matrix_rate").spread(job.cluster(), job.calibration()).of_logarithm;
  };
  const double equal = matrix_rate();
  job.cluster().speed_spread = 0.1;
  EXPECT_GT(matrix_rate(), equal);
  const double few = matrix_rate();
  job.cluster().nodes = 16;
  EXPECT_LT(matrix_rate(), few);  // the slowest of many is known better
}

}  // namespace
}  // namespace sim::study
