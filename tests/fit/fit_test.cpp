// SPDX-License-Identifier: Apache-2.0
// Constants come back from times of the simulator's own making, and fits predict times that they
// have not seen.
#include "sim/fit/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "sim/base/csv.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/fit/cluster_text.hpp"
#include "sim/fit/held_out.hpp"
#include "tests/input_errors.hpp"

namespace fit_tests {
namespace {

using namespace sim::fit;
using sim::Cluster;

std::filesystem::path file_of(const std::string& cluster) {
  return source_directory() / "topologies" / (cluster + ".toml");
}
Cluster shipped(const std::string& cluster) { return sim::read_cluster(file_of(cluster)); }

double simulated_s(const Cluster& cluster, const Log& log, double bytes) {
  const Cluster part = part_of(cluster, log.nodes, log.gpus_per_node);
  std::vector<int> ranks(static_cast<std::size_t>(log.gpus()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto schedule = schedule_of(*log.collective, part, {&ranks, 1}, bytes, sim::Detail::folded,
                                    sim::Buffers::out_of_place);
  return simulate(schedule, part).makespan_s;
}

// Sizes a factor apart: of 2, as nccl-tests takes them.
Log made(const Cluster& cluster, const char* collective, int nodes, int gpus_per_node,
         double factor = 2) {
  Log log{.name = "made",
          .collective = &sim::collective_named(collective),
          .nodes = nodes,
          .gpus_per_node = gpus_per_node};
  for (double bytes = 256; bytes < 5e9; bytes *= factor) {
    log.times.push_back({bytes, simulated_s(cluster, log, bytes)});
  }
  return log;
}

const FittedConstant* find(const Fit& fit, std::string_view key) {
  for (const FittedConstant& one : fit.fitted) {
    if (one.constant->key == key) return &one;
  }
  return nullptr;
}

// Every constant of a kind of machine, changed by a factor of its own.
Cluster changed(Cluster cluster, const std::map<std::string_view, double>& factors) {
  for (const Constant& constant : all_constants()) {
    const auto factor = factors.find(constant.key);
    if (factor == factors.end()) continue;
    constant.set(cluster, constant.get(cluster).value() * factor->second);
  }
  return cluster;
}

void expect_back(const Fit& fit, const Cluster& truth,
                 const std::map<std::string_view, double>& factors) {
  for (const auto& [key, factor] : factors) {
    const FittedConstant* one = find(fit, key);
    ASSERT_NE(one, nullptr) << key;
    const double value = one->constant->get(truth).value();
    EXPECT_NEAR(one->value / value, 1, 0.01) << key;
    EXPECT_NEAR(one->value, one->base * factor, 0.01 * value) << key;
    ASSERT_TRUE(one->interval) << key;
    EXPECT_LE(one->interval->low, 1.01 * value) << key;
    EXPECT_GE(one->interval->high, 0.99 * value) << key;
  }
}

TEST(CollectiveTimes, AreThoseOfTheSimulator) {
  for (const auto& [name, nodes] :
       std::map<std::string, int>{{"dgx_h100_x16", 1}, {"azure_nd96asr_v4", 2}}) {
    const Cluster cluster = shipped(name);
    for (const sim::CollectiveRow& row : sim::all_collectives()) {
      const std::vector<Log> logs{made(cluster, row.name.data(), nodes, 8, 8)};
      const std::vector<double> predicted = predicted_s(cluster, logs);
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        EXPECT_NEAR(predicted[i] / logs[0].times[i].seconds, 1, 1e-3)
            << name << " " << row.name << " " << logs[0].times[i].bytes;
      }
    }
  }
}

TEST(Fit, ReturnsTheConstantsOfOneNodeFromTimesOfItsOwnMaking) {
  const Cluster base = shipped("dgx_h100_x16");
  const std::map<std::string_view, double> factors{
      {"nvlink.efficiency", 0.9},        {"nvlink.ll128_efficiency", 1.2},
      {"nvlink.ll_efficiency", 1.3},     {"collectives.launch", 1.2},
      {"collectives.ll128_launch", 1.4}, {"collectives.ll_launch", 1.5},
      {"nvlink.ll_latency", 1.3},        {"nvlink.ll128_latency", 1.2},
      {"nvlink.nvls_efficiency", 0.9},   {"nvlink.nvls_latency", 0.8},
      {"nvlink.pairs_efficiency", 0.8},  {"nvlink.pairs_latency", 1.3},
      {"nvlink.ll_pairs_latency", 1.3}};
  const Cluster truth = changed(base, factors);
  std::vector<Log> logs;
  for (const int gpus : {2, 8}) {
    for (const char* name : {"all_gather", "all_reduce", "all_to_all"}) {
      logs.push_back(made(truth, name, 1, gpus, 3));
    }
  }
  const Fit fit = fit_constants(base, logs);
  expect_back(fit, truth, factors);
  for (const FittedConstant& one : fit.fitted) {
    EXPECT_TRUE(factors.contains(one.constant->key)) << one.constant->key;
  }
}

TEST(Fit, ReturnsTheConstantsOfANetworkAndPredictsMoreNodes) {
  const Cluster base = shipped("gcp_a3_mega");
  const std::map<std::string_view, double> factors{
      {"network.efficiency", 0.8}, {"network.latency", 1.3}, {"network.ll_latency", 0.7}};
  const Cluster truth = changed(base, factors);
  const std::vector<Log> logs{made(truth, "all_gather", 2, 8), made(truth, "all_gather", 4, 8)};
  const Split split = hold_out_most_gpus(logs);
  ASSERT_EQ(split.held.size(), 1u);
  EXPECT_EQ(split.held[0].nodes, 4);
  const Fit fit = fit_constants(base, split.used);
  expect_back(fit, truth, factors);
  const Errors errors =
      errors_of(predicted_s(fit.cluster, split.held), measured_s(split.held), bytes_of(split.held));
  EXPECT_LT(errors.mean, 0.01);
}

// The launch and the steps of a ring grow alike with one number of GPUs and one collective.
TEST(Fit, KeepsWhatOneLogCannotDetermine) {
  const Cluster base = shipped("dgx_h100_x16");
  const Cluster truth = changed(base, {{"collectives.ll_launch", 0.8}, {"nvlink.ll_latency", 0.8}});
  const Fit fit = fit_constants(base, std::vector{made(truth, "all_gather", 1, 8)});
  const FittedConstant* launch = find(fit, "collectives.ll_launch");
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(find(fit, "nvlink.ll_latency"), nullptr);
  // What the 7 steps take less is the launch's.
  const double seven_steps_s = 7 * base.nvlink.ll->latency.base();
  EXPECT_NEAR(launch->value, 0.8 * launch->base - 0.2 * seven_steps_s, 0.01 * launch->value);
  std::map<std::string_view, Kept> kept;
  for (const KeptConstant& one : fit.kept) kept[one.constant->key] = one.because;
  EXPECT_EQ(kept.at("nvlink.ll_latency"), Kept::not_alone);
  EXPECT_EQ(kept.at("network.latency"), Kept::unused);
  EXPECT_EQ(kept.at("nvlink.pairs_latency"), Kept::unused);
  const auto known = std::ranges::count_if(
      all_constants(), [&](const Constant& one) { return one.get(base).has_value(); });
  EXPECT_EQ(fit.fitted.size() + fit.kept.size(), static_cast<std::size_t>(known));
}

TEST(Fit, OfTimesThatTheBasePredictsChangesNothing) {
  const Cluster base = shipped("dgx_a100_x16");
  const Fit fit = fit_constants(base, std::vector{made(base, "all_reduce", 1, 4)});
  for (const FittedConstant& one : fit.fitted) EXPECT_NEAR(one.value / one.base, 1, 1e-3);
}

TEST(Fit, IsRobustAndDeterministic) {
  const Cluster base = shipped("gcp_a3_mega");
  const std::map<std::string_view, double> factors{{"network.latency", 1.3}};
  const Cluster truth = changed(base, factors);
  std::vector<Log> logs{made(truth, "all_gather", 2, 8)};
  for (const std::size_t stalled : {5u, 11u, 17u}) logs[0].times[stalled].seconds *= 10;
  const Fit fit = fit_constants(base, logs);
  const FittedConstant* latency = find(fit, "network.latency");
  ASSERT_NE(latency, nullptr);
  EXPECT_NEAR(latency->value / truth.network.latency.base(), 1, 0.03);
  EXPECT_EQ(fit_constants(base, logs).cluster, fit.cluster);
}

TEST(HeldOut, SizesAndGpus) {
  const sim::CollectiveRow* row = &sim::collective_named("all_reduce");
  const std::vector<Log> logs{{"a", row, 1, 4, {{8, 1}, {4, 2}, {2, 3}, {4, 4}}},
                              {"b", row, 2, 4, {{8, 1}}}};
  const Split sizes = hold_out_sizes(logs);
  EXPECT_EQ(bytes_of(sizes.used), (std::vector<double>{8, 2, 8}));
  EXPECT_EQ(bytes_of(sizes.held), (std::vector<double>{4, 4}));
  const Split gpus = hold_out_most_gpus(logs);
  EXPECT_EQ(gpus.used.size(), 1u);
  EXPECT_EQ(gpus.held[0].name, "b");
  EXPECT_TRUE(hold_out_most_gpus(std::vector{logs[0]}).held.empty());
}

TEST(ClusterText, SaysWhatTheFitDoesInEveryShippedFile) {
  for (const auto& file : shipped_files("topologies", ".toml")) {
    SCOPED_TRACE(file);
    const std::string text = text_of(file);
    Fit fit{.cluster = sim::parse_cluster(text, file), .fitted = {}, .kept = {}};
    for (const Constant& constant : all_constants()) {
      const auto base = constant.get(fit.cluster);
      if (!base) continue;
      const double value = 0.1234 * *base;
      fit.fitted.push_back({&constant, *base, value, Interval{0.5 * value, 2 * value}});
      constant.set(fit.cluster, value);
    }
    const std::vector<Log> logs{{"my.log", &sim::collective_named("all_reduce"), 1, 2, {{8, 1}}}};
    const std::string written = cluster_text(fit, logs, text, file);
    const Cluster read = sim::parse_cluster(written, file);
    for (const FittedConstant& one : fit.fitted) {
      EXPECT_NEAR(one.constant->get(read).value() / one.value, 1, 1e-3) << one.constant->key;
    }
    EXPECT_NE(written.find("# Fitted to my.log: 95 % interval "), std::string::npos);
  }
}

TEST(ClusterText, RefusesABaseWithoutHeaders) {
  const auto file = file_of("dgx_h100_x16");
  std::string text = text_of(file);
  const std::size_t at = text.find("[collectives]");
  text.erase(at);
  text.insert(text.find("[cluster]"), "collectives.channels = 16\n");
  Fit fit{.cluster = sim::parse_cluster(text, file), .fitted = {}, .kept = {}};
  const Constant& launch =
      *std::ranges::find(all_constants(), "collectives.launch", &Constant::key);
  fit.fitted.push_back({&launch, 1e-6, 2e-6, {}});
  launch.set(fit.cluster, 2e-6);
  const std::string error = input_error_of([&] { (void)cluster_text(fit, {}, text, file); });
  EXPECT_NE(error.find("without a header"), std::string::npos) << error;
}

}  // namespace
}  // namespace fit_tests
