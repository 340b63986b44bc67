// SPDX-License-Identifier: Apache-2.0
// Muon in a step: what each rank sends for it, what it takes, and in what order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

const Scheme& sharded_scheme() { return scheme_named("sharded"); }

// Two nodes of four ranks and four layers: 4 matrices h x h and 2 of h x 4h in each.
constexpr double kMuonHidden = 512;
constexpr double kMuonRanks = 8;
constexpr double kMatrices = 4 * 12 * kMuonHidden * kMuonHidden;

// A rank sends this part of what a group of `ranks` gathers.
constexpr double part_of_group(double ranks) { return (ranks - 1) / ranks; }

double all_sent(const Schedule& schedule, Phase phase) {
  const SentBytes bytes = sent_bytes(schedule, phase);
  return mean(bytes.intra_node) + mean(bytes.inter_node);
}
double muon_sent_by(Parallelism parallelism, Detail detail = Detail::folded) {
  parallelism.optimizer = Optimizer::muon;
  return all_sent(plan(small_cluster(), deep_model(), parallelism, sharded_scheme(), detail),
                  Phase::optimizer_comm);
}

TEST(Muon, GathersTheMatricesMomentumInBf16UnderZero1And2) {
  for (const int stage : {1, 2}) {
    for (const int micro_batches : {1, 3}) {
      EXPECT_DOUBLE_EQ(muon_sent_by({.accumulation = micro_batches, .sharding = {.stage = stage}}),
                       part_of_group(kMuonRanks) * 2 * kMatrices);
    }
  }
}

TEST(Muon, SendsToOwnersAndBackUnderZero3) {
  // Each rank holds an eighth of the momentum; of a hybrid group's it holds a quarter.
  for (const Detail detail : {Detail::folded, Detail::step_by_step}) {
    EXPECT_DOUBLE_EQ(muon_sent_by({.sharding = {.stage = 3}}, detail),
                     part_of_group(kMuonRanks) * (2 + 2) * kMatrices / kMuonRanks);
  }
  EXPECT_DOUBLE_EQ(muon_sent_by({.sharding = {.stage = 3, .ranks = 4}}),
                   part_of_group(4) * (2 + 2) * kMatrices / 4);
}

TEST(Muon, GathersTheMatricesThatRanksOwnFromTheirTensorParallelGroup) {
  for (const double tensor : {2.0, 4.0}) {
    const double data =
        kMuonRanks / tensor;  // over which 8 wide and 16 square matrices deal evenly
    const double among_tensor = part_of_group(tensor) * 2 * kMatrices / data;
    for (const int stage : {1, 2, 3}) {
      const double once = part_of_group(data) * 2 * kMatrices / tensor;
      const double among_data = stage == 3 ? 2 * once / data : once;
      EXPECT_DOUBLE_EQ(
          muon_sent_by({.tensor = static_cast<int>(tensor), .sharding = {.stage = stage}}),
          among_data + among_tensor)
          << tensor << " " << stage;
    }
  }
}

TEST(Muon, OfPipelineStagesGathersTheirLayers) {
  EXPECT_DOUBLE_EQ(muon_sent_by({.pipeline = 2}), part_of_group(4) * 2 * kMatrices / 2);
}

TEST(Muon, SendsNoMoreThanMoonlightsBound) {
  // arXiv 2502.16982, "Distributed Muon": 4 + 2 + 4 bytes a parameter at most, over AdamW's 4 + 4.
  // Weights that are gathered in BF16 leave 4 + 2 + 2 over 4 + 2.
  const auto all = [](Optimizer optimizer, Phase phase) {
    return all_sent(plan(small_cluster(), deep_model(), {.optimizer = optimizer}, sharded_scheme()),
                    phase);
  };
  const double gradients = all(Optimizer::muon, Phase::gradient_comm);
  const double weights = all(Optimizer::muon, Phase::weight_comm);
  const double momentum = all(Optimizer::muon, Phase::optimizer_comm);
  EXPECT_EQ(gradients, all(Optimizer::adamw, Phase::gradient_comm));
  EXPECT_EQ(weights, all(Optimizer::adamw, Phase::weight_comm));
  EXPECT_EQ(all(Optimizer::adamw, Phase::optimizer_comm), 0);
  EXPECT_LT((gradients + momentum + 2 * weights) / (gradients + 2 * weights), 1.25);
  EXPECT_LT((gradients + momentum + weights) / (gradients + weights), 8.0 / 6);
}

// Nothing takes time but bytes in GPU memory.
Cluster only_memory() {
  Cluster cluster = without_fixed_times(small_cluster());
  cluster.gpu.bf16 = FlopRate::from_base(1e30);
  cluster.gpu.fp32 = FlopRate::from_base(1e30);
  cluster.nvlink.bandwidth = Bandwidth::from_base(1e24);
  cluster.network.nic_bandwidth = Bandwidth::from_base(1e24);
  return cluster;
}

TEST(Muon, DiffersFromAdamWByItsPassesAlone) {
  // A parameter's gradient is read, its momentum read and written, a BF16 sum written; that is
  // read, its weight read and written. Of Newton-Schulz a rank has one matrix of h x 4h and two of
  // h x h, each 6 r c + 5 (14 r c + 16 r^2) bytes.
  const double h = kMuonHidden;
  const double newton_schulz = (6 + 5 * 14) * (4 + 2) * h * h + 5 * 16 * 3 * h * h;
  for (const int stage : {1, 2, 3}) {
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
      const double g = stage == 3 ? 4 : bytes_of(precision);
      const double muon = (g + 2 * 4 + 2) + (2 + 2 * 4);
      const double adamw = g + 6 * 4;
      const double bytes = (muon - adamw) * kMatrices / kMuonRanks + newton_schulz;
      const auto seconds = [&](Optimizer optimizer) {
        return step_time(
            only_memory(), deep_model(),
            {.optimizer = optimizer, .gradients = precision, .sharding = {.stage = stage}},
            sharded_scheme());
      };
      const double difference = seconds(Optimizer::muon) - seconds(Optimizer::adamw);
      EXPECT_NEAR(difference / (bytes / 2000e9), 1, 1e-6) << stage;
    }
  }
}

TEST(Muon, LeavesAdamWWhatIsNoMatrix) {
  const Schedule schedule =
      plan(small_cluster(), deep_model(), {.optimizer = Optimizer::muon}, sharded_scheme());
  const double seconds = work_seconds(
      schedule, 0, [&](const Operation& one) { return schedule.labels[one.label] == "adam"; });
  // The embedding of 1024 words, two norms a layer and the last one.
  const double rest = (1024 + 4 * 2 + 1) * kMuonHidden / kMuonRanks;
  EXPECT_DOUBLE_EQ(seconds, 28 * rest / 2000e9);
}

// Of rank 0, what it does from the clipping on.
std::vector<std::string> update_of(const Parallelism& parallelism) {
  const Schedule schedule = plan(small_cluster(), deep_model(), parallelism, sharded_scheme());
  std::vector<std::string> labels;
  for (const Operation& one : schedule.operations) {
    const std::string& label = schedule.labels[one.label];
    if (one.rank == 0 && (!labels.empty() || label == "clip")) labels.push_back(label);
  }
  return labels;
}

TEST(Muon, ComesBetweenClippingAndTheCastOfTheWeights) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(
      update_of({.tensor = 2, .optimizer = Optimizer::muon}),
      (Labels{"clip", "adam", "muon momentum", "all_gather momentum",
              "all_gather parts of momentum", "newton-schulz", "muon update", "cast weights"}));
  EXPECT_EQ(update_of({.optimizer = Optimizer::muon, .sharding = {.stage = 3}}),
            (Labels{"clip", "adam", "muon momentum", "all_to_all momentum", "newton-schulz",
                    "all_to_all updates", "muon update"}));
}

TEST(Muon, WaitsForWhatItExchanges) {
  // With nothing but transfers, the step grows by those of the momentum: on one node of four, three
  // quarters of it at 400 GBps.
  Cluster cluster = without_fixed_times(small_cluster(1, 4));
  cluster.gpu.bf16 = FlopRate::from_base(1e30);
  cluster.gpu.fp32 = FlopRate::from_base(1e30);
  cluster.gpu.memory_bandwidth = Bandwidth::from_base(1e24);
  const auto step = [&](Optimizer optimizer) {
    return reported_step(cluster, {.optimizer = optimizer}, sharded_scheme()).report;
  };
  const Report muon = step(Optimizer::muon);
  const Report adamw = step(Optimizer::adamw);
  const double gather = part_of_group(4) * 2 * kMatrices / 400e9;
  EXPECT_NEAR((muon.time_s - adamw.time_s) / gather, 1, 1e-6);
  EXPECT_NEAR(muon.time.exposed_by_phase_s.at(Phase::optimizer_comm) / gather, 1, 1e-6);
  EXPECT_DOUBLE_EQ(muon.step->wire_by_phase.at(Phase::optimizer_comm).intra_node,
                   part_of_group(4) * 2 * kMatrices);
  // Rows of the times and of the bytes: of the passes, and of what was exposed and sent.
  const std::string with = plain_text(to_table({{muon}}, 100));
  const std::string without = plain_text(to_table({{adamw}}, 100));
  EXPECT_NE(with.find("\n    optimizer  "), std::string::npos) << with;
  EXPECT_EQ(without.find("\n    optimizer  "), std::string::npos) << without;
  EXPECT_NE(to_json({{muon}}).find("\"optimizer_comm\""), std::string::npos);
}

TEST(Muon, OrthogonalisesNoSlowerOnMoreRanks) {
  for (const int stage : {1, 3}) {
    double before = 1e30;
    for (const int nodes : {1, 2, 3, 5, 8, 16}) {
      const Schedule schedule =
          plan(small_cluster(nodes), deep_model(),
               {.optimizer = Optimizer::muon, .sharding = {.stage = stage}}, sharded_scheme());
      const double now = work_seconds(schedule, 0, [&](const Operation& one) {
        return schedule.labels[one.label] == "newton-schulz";
      });
      EXPECT_GT(now, 0);
      EXPECT_LE(now, before) << nodes;
      before = now;
    }
  }
}

class MuonOf : public EveryScheme {};

TEST_P(MuonOf, EverySchemeSendsTheSame) {
  for (const int stage : scheme().zero) {
    if (stage == 0) continue;  // each rank has all of the momentum
    const Parallelism muon{.optimizer = Optimizer::muon, .sharding = {.stage = stage}};
    EXPECT_DOUBLE_EQ(
        all_sent(plan(small_cluster(), deep_model(), muon, scheme()), Phase::optimizer_comm),
        muon_sent_by(muon));
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, MuonOf, testing::ValuesIn(scheme_rows()), scheme_label);

}  // namespace
}  // namespace sim
