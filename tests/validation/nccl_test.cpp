// SPDX-License-Identifier: Apache-2.0
// What holds of every published row of a collective, and how their errors are counted.
#include "sim/validation/nccl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/topology/ranks.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

const NcclStudy& nccl_study() {
  static const NcclStudy all =
      predict_nccl(source_directory(), read_nccl(source_directory()), 2, [] {});
  return all;
}

Cluster cluster_of(const NcclLog& log) {
  return read_cluster(source_directory() / "topologies" / (log.cluster + ".toml"), log.settings);
}

// Whatever the algorithm, a rank that gathers receives the shares of the others, and one that sums
// inside switches receives the sum. Between nodes, the same holds of a node with all its NICs.
double least_s(const NcclRow& row, const Cluster& cluster) {
  const int nodes = row.log->nodes;
  const double parts = nodes > 1 ? nodes : row.log->group_size();
  const double links = joins_pairs(cluster) ? parts - 1 : 1;
  const double rate_Bps = nodes > 1
                              ? cluster.network.nics_per_node * cluster.network.nic_bandwidth.base()
                              : links * cluster.nvlink.bandwidth.base();
  return (parts - 1) / parts * row.bytes / rate_Bps;
}

TEST(NcclLogs, RanOnPartsOfShippedClusters) {
  for (const auto& log : nccl_study().logs) {
    SCOPED_TRACE(log->name);
    EXPECT_FALSE(log->source.empty());
    EXPECT_FALSE(log->nccl.empty());
    EXPECT_TRUE(
        std::ranges::any_of(nccl_study().rows, [&](const NcclRow& row) { return row.log == log; }));
    if (log->role == NcclRole::left_out) continue;
    const Cluster cluster = cluster_of(*log);
    EXPECT_LE(log->nodes, cluster.nodes);
    EXPECT_LE(log->gpus_per_node, cluster.gpus_per_node);
    EXPECT_EQ(log->group_size() * log->groups, log->nodes * log->gpus_per_node);
  }
}

TEST(NcclLogs, AreNoFasterThanTheirLinks) {
  std::map<std::string, Cluster> clusters;
  std::set<std::tuple<std::string, std::string_view, double>> seen;
  for (const NcclRow& row : nccl_study().rows) {
    SCOPED_TRACE(testing::Message()
                 << row.log->name << " " << row.collective->name << " " << row.bytes);
    EXPECT_TRUE(seen.emplace(row.log->name, row.collective->name, row.bytes).second);
    EXPECT_GE(row.bytes, 1);
    EXPECT_GE(row.published_s, 1e-6);
    if (row.log->role == NcclRole::left_out) continue;
    const std::string& name = row.log->name;
    if (!clusters.contains(name)) clusters[name] = cluster_of(*row.log);
    EXPECT_GT(row.published_s, least_s(row, clusters.at(name)));
  }
}

TEST(NcclLogs, NoConstantIsFittedToHeldOutGpus) {
  for (const auto& log : nccl_study().logs) {
    for (const char* gpu : {"h200_", "b300_", "gb300_"}) {
      EXPECT_FALSE(log->name.starts_with(gpu) && log->role == NcclRole::fit) << log->name;
    }
  }
}

// A law is fitted to the rows of the role `fit` alone, whatever those of held-out logs say.
TEST(NcclStudies, HeldOutLogsGiveNoLawItsRows) {
  NcclStudy study = read_nccl(source_directory());
  for (NcclRow& row : study.rows) {
    if (row.log->role == NcclRole::held_out) row.published_s *= 7;
  }
  const std::filesystem::path earlier =
      source_directory() / "traces" / "predictions" / "nccl_pcie_2026-11-25.csv";
  const auto laws = with_earlier(std::move(study), earlier).study.laws;
  ASSERT_EQ(laws.size(), nccl_study().laws.size());
  for (const auto& [of, law] : nccl_study().laws) {
    EXPECT_EQ(laws.at(of).alpha_s, law.alpha_s) << of.first << " " << of.second;
    EXPECT_EQ(laws.at(of).beta_s_per_byte, law.beta_s_per_byte) << of.first << " " << of.second;
  }
}

TEST(NcclLogs, OnlySeveralLargeDomainsAreRacks) {
  for (const auto& log : nccl_study().logs) {
    EXPECT_EQ(log->over_racks(), log->constants == "racks") << log->name;
  }
}

TEST(NcclStudies, PredictEveryRowThatIsNotLeftOut) {
  for (const NcclRow& row : nccl_study().rows) {
    EXPECT_EQ(row.simulated_s > 0, row.log->role != NcclRole::left_out) << row.log->name;
    EXPECT_EQ(row.as_nccl_s > 0, row.log->role != NcclRole::left_out && row.log->by_nccl())
        << row.log->name;
    const bool has_law =
        nccl_study().laws.contains({row.log->constants, std::string(row.collective->name)});
    EXPECT_EQ(row.alpha_beta_s > 0, has_law) << row.log->name;
  }
  // Each at most twice: by the fastest choice and by NCCL's.
  EXPECT_LT(nccl_simulations(nccl_study()), 2 * static_cast<int>(nccl_study().rows.size()));
}

TEST(NcclStudies, SizesFallIntoOneBand) {
  for (const NcclRow& row : nccl_study().rows) {
    EXPECT_EQ(std::ranges::count_if(kSizeBands, [&](const auto& band) { return band.has(row); }),
              1);
  }
}

TEST(NcclErrorsOf, CountByTheirDefinitions) {
  // Off by +10, -20, +60 and +30 %; the last row has no prediction.
  std::vector<NcclRow> rows;
  for (const double simulated : {1.1, 0.8, 1.6, 1.3, 0.0}) {
    rows.push_back({.published_s = 1, .simulated_s = simulated});
  }
  const NcclErrors errors = nccl_errors(
      rows, [](const NcclRow&) { return true; }, &NcclRow::simulated_s);
  EXPECT_EQ(errors.count, 4);
  EXPECT_NEAR(errors.mean, 0.3, 1e-12);
  EXPECT_NEAR(errors.median, 0.25, 1e-12);
  EXPECT_NEAR(errors.within, 0.5, 1e-12);
  EXPECT_NEAR(errors.bias, 0.2, 1e-12);
}

}  // namespace
}  // namespace sim::validation
