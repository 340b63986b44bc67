// SPDX-License-Identifier: Apache-2.0
// Likely ranges: of what a step waits for, as wide as that is in doubt.
#include "sim/study/search/likely_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/simulation.hpp"
#include "sim/times/published.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

using apps_tests::job_of;

// On one node of a fast network, where nothing is encoded, computing alone is in doubt: the range is
// what run says of an efficiency so many spreads away.
TEST(LikelyRange, OfComputingIsThatOfItsEfficiency) {
  Job job = job_of(
      "--topology dgx_h100_x16 --nodes 1 --model gpt_1.3b --accumulation 8 "
      "--host-issue 0s");
  const auto& setup = job.setups.front();
  const Report report = simulate(job, setup).report;
  const LikelyRange range = range_of(job, setup, report);
  const double spread = job.cluster().default_efficiency->spread;
  for (const auto& [end, spreads] : {std::pair{range.tokens_per_s_low, -kLikelySpreads},
                                     {range.tokens_per_s_high, kLikelySpreads * kFasterSpread}}) {
    Job moved = job;
    moved.cluster().fitted.compute_efficiency =
        compute_efficiency(job.cluster()) * std::exp(spreads * spread);
    EXPECT_NEAR(end / (report.tokens_per_s * report.time_s / seconds_of(moved, setup)), 1, 0.02);
  }
}

// A GPU whose products nobody timed is less certain than one whose products were published.
TEST(LikelyRange, IsWiderWhereProductsAreExtrapolated) {
  const auto spread = [](const std::string& topology) {
    const Job job = job_of("--topology " + topology + " --nodes 1 --model gpt_1.3b");
    return efficiency_spread(job.cluster()).of_logarithm;
  };
  const Job job = job_of("--topology mi300x_x8 --nodes 1 --model gpt_1.3b");
  ASSERT_FALSE(job.calibration().published->same);
  // A100's products are of one GPU.
  EXPECT_NEAR(spread("mi300x_x8"),
              std::hypot(spread("dgx_a100_x16"), job.calibration().published->products.spread),
              1e-12);
}

// Where several GPUs of a die were timed, how far they are apart is in doubt, too.
TEST(LikelyRange, HoldsTheScatterOfADiesGpus) {
  for (const char* topology : {"dgx_h100_x16", "dgx_h200_x16", "dgx_b200", "gb200_nvl72"}) {
    const auto spread = [](const std::string& cluster) {
      return efficiency_spread(
                 job_of("--topology " + cluster + " --nodes 1 --model gpt_1.3b").cluster())
          .of_logarithm;
    };
    const Job job = job_of(std::string("--topology ") + topology + " --nodes 1 --model gpt_1.3b");
    const double scatter = job.calibration().published->products.scatter;
    EXPECT_GT(scatter, 0.005) << topology;
    EXPECT_NEAR(spread(topology), std::hypot(spread("dgx_a100_x16"), scatter), 1e-12);
  }
}

// Constants that are known move nothing, and a step that waits for the network has its spread.
TEST(LikelyRange, FollowsWhatTheStepWaitsFor) {
  const auto width = [](const std::string& flags, const std::string& topology = "dgx_h100_x16") {
    const Job job =
        job_of("--topology " + topology + " --model gpt_1.3b --zero 1 --host-issue 0s " + flags);
    const Report report = simulate(job, job.setups.front()).report;
    const LikelyRange range = range_of(job, job.setups.front(), report);
    EXPECT_LE(range.tokens_per_s_low, report.tokens_per_s);
    EXPECT_GE(range.tokens_per_s_high, report.tokens_per_s);
    return std::log(range.tokens_per_s_high / range.tokens_per_s_low) / 2 / kLikelySpreads;
  };
  const Job any = job_of("--topology dgx_h100_x16 --model gpt_1.3b");
  const double of_efficiency = efficiency_spread(any.cluster()).of_logarithm;
  EXPECT_NEAR(width("--accumulation 16"), of_efficiency, 0.03);
  // At most the line's rate, and half of it in one cluster of ten.
  EXPECT_NEAR(width("--set network.nic_bandwidth=5Gbps"), (0.05 + std::log(2) / kLikelySpreads) / 2,
              0.02);
  EXPECT_LT(width("--set network.nic_bandwidth=5Gbps", "sdp4bit_a100"), 0.05 + 0.02);
}

// Of what is simulated with GPUs and network drawn from their spreads together, the range holds eight cases
// of ten, with as many beyond either end: where computing binds, where the network does, and where each
// hides the other.
TEST(LikelyRange, HoldsAsManyDrawsAsItSays) {
  for (const char* flags :
       {"--topology pcie_rtx_pro_5000 --model gpt_1.3b --zero 3",
        "--topology pcie_rtx_pro_5000 --model gpt_1.3b --zero 1",
        "--topology dgx_h100_x16 --nodes 2 --model gpt_1.3b --zero 3 --overlap all "
        "--set network.nic_bandwidth=100Gbps",
        "--topology dgx_h100_x16 --nodes 2 --model gpt_1.3b --zero 3 --overlap all "
        "--set network.nic_bandwidth=40Gbps"}) {
    const Job job = job_of(std::string(flags) + " --host-issue 0s");
    const Report report = simulate(job, job.setups.front()).report;
    const LikelyRange range = range_of(job, job.setups.front(), report);
    std::vector<double> speeds;
    for (const Off& off : drawn_offs(200)) {
      const double seconds = seconds_of(off_by(job, off), job.setups.front());
      speeds.push_back(report.tokens_per_s * report.time_s / seconds);
    }
    std::ranges::sort(speeds);
    // No narrower to either side than the draws, and not much wider.
    EXPECT_LT(range.tokens_per_s_low / speeds[20], 1.02) << flags;
    EXPECT_GT(range.tokens_per_s_low / speeds[20], 0.9) << flags;
    EXPECT_GT(range.tokens_per_s_high / speeds[179], 0.98) << flags;
    EXPECT_LT(range.tokens_per_s_high / speeds[179], 1.04) << flags;
  }
}

// A sequence whose draws fill the space: their moments are those of independent normal laws.
TEST(LikelyRange, DrawsEachConstantForItself) {
  const auto mean = [](const std::function<double(const Off&)>& of) {
    const auto offs = drawn_offs(4096);
    double sum = 0;
    for (const Off& off : offs) sum += of(off);
    return sum / static_cast<double>(offs.size());
  };
  const std::array all{&Off::compute, &Off::network, &Off::codecs, &Off::host};
  for (const auto one : all) {
    EXPECT_NEAR(mean([&](const Off& off) { return off.*one; }), 0, 0.01);
    for (const auto other : all) {
      EXPECT_NEAR(mean([&](const Off& off) { return off.*one * off.*other; }), one == other, 0.02);
    }
  }
}

// The longer of two times, each off by as much: it is over in time only if both are.
TEST(LikelyRange, OfTheLongerOfTwoTimesIsShortWhereBothAre) {
  const double spread = 0.1, far = std::exp(kFar * spread);
  const TimeWhenOff time{.simulated = {far, 1 / far, far, far}};
  const auto [shortest, longest] = likely_times(time);
  // Both below z with probability 0.1 where each is with its root, and likewise 0.9.
  EXPECT_NEAR(std::log(shortest) / spread, -0.478, 0.02);
  EXPECT_NEAR(std::log(longest) / spread, 1.632, 0.02);
}

// On one GPU, whose host issues each kernel.
Job eager_job(const std::string& flags) {
  return job_of(
      "--topology dgx_h100_x16 --nodes 1 --gpus-per-node 1 --model gpt_350m --stack torch-eager "
      "--zero 1 " +
      flags);
}

// A host that may bind widens the slow end, and takes from the fast one, since GPUs that are faster wait
// for it; where it does bind, it widens both.
TEST(LikelyRange, HoldsTheHostWhereItMayBind) {
  const auto ends = [](const std::string& flags) {
    const Job job = eager_job("--micro-batch 1 " + flags);
    const Report report = simulate(job, job.setups.front()).report;
    const LikelyRange range = range_of(job, job.setups.front(), report);
    return std::pair{report.tokens_per_s / range.tokens_per_s_low,
                     range.tokens_per_s_high / report.tokens_per_s};
  };
  const auto ideal = ends("--sequence 2048 --host-issue 0s"), ahead = ends("--sequence 2048");
  EXPECT_GT(ahead.first, 1.1 * ideal.first);
  EXPECT_LE(ahead.second, ideal.second);
  EXPECT_GT(ahead.second, 1.03);
  const auto [bound_slower, bound_faster] = ends("--sequence 128");
  // Of spread 0.89: a factor of 3 in the host's time.
  EXPECT_GT(bound_slower, 2);
  EXPECT_GT(bound_faster, 1.2);
  EXPECT_LT(bound_slower, 3.3);
  const auto given = ends("--sequence 128 --host-issue 21us");
  EXPECT_LT(given.first, 1.1) << "what is given is known";
}

// Of two that differ in nothing but what the model leaves out, the ratio has the model's own error.
TEST(LikelyRange, OfARatioIsAtLeastTheModelsOwnError) {
  const Job job = job_of("--topology dgx_h100_x16 --model gpt_1.3b --zero 1");
  const Report report = simulate(job, job.setups.front()).report;
  const Sensitivity sensitivity = sensitivity_of(job, job.setups.front(), report);
  const LikelyRatio same = range_of_ratio(1, sensitivity, sensitivity);
  EXPECT_NEAR(std::log(same.high) / kLikelySpreads, ratio_spread().of_logarithm, 1e-12);
  EXPECT_NEAR(same.low * same.high, 1, 1e-12);
  const Job slow = job_of(
      "--topology dgx_h100_x16 --model gpt_1.3b --zero 1 --nodes 16 --scheme "
      "sdp4bit --set network.nic_bandwidth=25Gbps");
  const Report other = simulate(slow, slow.setups.front()).report;
  const LikelyRatio apart =
      range_of_ratio(1, sensitivity_of(slow, slow.setups.front(), other), sensitivity);
  EXPECT_GT(apart.high / apart.low, same.high / same.low);
}

// Errors that two setups share cancel out; others add up.
TEST(LikelyRange, OfARatioIsWiderIfErrorsAreNotShared) {
  const Sensitivity one{.compute = 0.1, .network = 0.05};
  EXPECT_NEAR(std::log(range_of_ratio(2, one, one).high / 2) / kLikelySpreads,
              ratio_spread().of_logarithm, 1e-12);
  const LikelyRatio apart = range_of_ratio(2, one, one, {.gpus = false});
  EXPECT_NEAR(std::log(apart.high / 2) / kLikelySpreads,
              std::hypot(std::hypot(0.1, 0.1), ratio_spread().of_logarithm), 1e-12);
}

// A slower host holds up small steps more than large ones, so that their ratio is in doubt; a host that
// is given is known.
TEST(LikelyRange, OfARatioHoldsTheHostThatBindsOneOfTwo) {
  const auto ends = [](const std::string& flags) {
    const Job small = eager_job("--micro-batch 1 --sequence 128 " + flags);
    const Job large = eager_job("--micro-batch 8 --sequence 2048 " + flags);
    const Report report = simulate(small, small.setups.front()).report;
    const Report base = simulate(large, large.setups.front()).report;
    const double ratio = report.tokens_per_s / base.tokens_per_s;
    const LikelyRatio range =
        range_of_ratio(ratio, sensitivity_of(small, small.setups.front(), report),
                       sensitivity_of(large, large.setups.front(), base));
    return std::pair{ratio / range.low, range.high / ratio};
  };
  const auto given = ends("--host-issue 21us"), usual = ends("");
  EXPECT_GT(usual.first, 2);
  EXPECT_GT(usual.second, given.second);
  EXPECT_LT(given.first, 1.4);
}

}  // namespace
}  // namespace sim::study
