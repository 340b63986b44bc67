// What a report says of a step: rates, links, compression and cost follow from its time and bytes.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

class Summary : public EveryScheme {};

TEST_P(Summary, RatesAreWorkOverTheStepsTime) {
  for (const Parallelism& parallelism : reported_settings()) {
    const StepReport report = reported_step(small_cluster(), parallelism, scheme()).report;
    const auto batch = global_batch(small_cluster(), parallelism);
    EXPECT_EQ(report.gpus, report.data * report.tensor * report.pipeline);
    EXPECT_DOUBLE_EQ(report.tokens_per_s * report.step_time_s, static_cast<double>(batch) * 128);
    EXPECT_NEAR(report.tflops_per_gpu * 1e12 * report.gpus * report.step_time_s /
                    model_flop(deep_model(), batch).base(),
                1, 1e-12);
    EXPECT_DOUBLE_EQ(report.mfu, report.tflops_per_gpu / 400);
    EXPECT_LT(report.mfu, 1);
  }
}

TEST_P(Summary, BytesByPhaseAreAllBytes) {
  for (const Parallelism& parallelism : reported_settings()) {
    const StepReport report = reported_step(small_cluster(), parallelism, scheme()).report;
    WireBytes sum;
    for (const auto& [phase, wire] : report.wire_by_phase) {
      sum.intra_node += wire.intra_node;
      sum.inter_node += wire.inter_node;
    }
    EXPECT_DOUBLE_EQ(sum.intra_node, report.wire.intra_node);
    EXPECT_DOUBLE_EQ(sum.inter_node, report.wire.inter_node);
  }
}

TEST_P(Summary, NoLinkIsMoreThanFull) {
  for (const Parallelism& parallelism : reported_settings()) {
    const StepReport report = reported_step(small_cluster(), parallelism, scheme()).report;
    ASSERT_FALSE(report.busiest_links.empty());
    for (std::size_t i = 0; i < report.busiest_links.size(); ++i) {
      EXPECT_GT(report.busiest_links[i].busy, 0);
      EXPECT_LE(report.busiest_links[i].busy, i == 0 ? 1 : report.busiest_links[i - 1].busy);
    }
  }
}

TEST_P(Summary, CompressionIsFp32RingsOverWhatIsSent) {
  const StepReport report = reported_step(small_cluster(), {}, scheme()).report;
  // 7/8 of weights and of gradients, 4 bytes each; of ZeRO-3 its layers' weights twice.
  const StageParameters held = stage_parameters(deep_model(), {}, 0);
  const double n = held.total();
  const Parallelism run = defined(scheme());
  const double again = run.sharding.stage == 3 ? 4 * held.layer * held.layers : 0;
  EXPECT_NEAR(report.compression_ratio_fp32 * (report.wire.intra_node + report.wire.inter_node),
              7.0 / 8 * (n * (4 + 4) + again), 1e-6 * n);
  EXPECT_NEAR(report.compression_ratio_fp32 / report.compression_ratio_bf16, 2, 1e-12);
  EXPECT_GE(report.compression_ratio_fp32,
            reported_step(small_cluster(), run, twin()).report.compression_ratio_fp32);
}

TEST_P(Summary, GradientExchangeIsPartOfTheStepAndNotShorterThanItsBytes) {
  const ReportedStep step = reported_step(small_cluster(), {}, scheme());
  const WireBytes& sent = step.report.wire_by_phase.at(Phase::gradient_comm);
  EXPECT_LT(step.report.gradient_exchange_s, step.report.step_time_s);
  EXPECT_GE(step.report.gradient_exchange_s, sent.intra_node / 400e9);
  EXPECT_GE(step.report.gradient_exchange_s, sent.inter_node / 50e9);
}

TEST_P(Summary, CostAndEnergyAreThoseOfAllGpus) {
  Cluster cluster = small_cluster();
  cluster.gpu.power = Watts::from_base(500);
  cluster.gpu.price = DollarRate::from_base(3.6 / 3600);
  const StepReport report = reported_step(cluster, {}, scheme()).report;
  EXPECT_DOUBLE_EQ(report.energy_j, 8 * 500 * report.step_time_s);
  EXPECT_NEAR(report.usd_per_million_tokens, 8 * 0.001 * report.step_time_s / (8 * 128) * 1e6,
              1e-12);
}

TEST_P(Summary, SaysWhetherTheStepFits) {
  Cluster cluster = small_cluster();
  const double needed = reported_step(cluster, {}, scheme()).report.memory.total();
  cluster.gpu.memory = {static_cast<std::int64_t>(needed) + 1};
  EXPECT_TRUE(reported_step(cluster, {}, scheme()).report.fits_memory);
  cluster.gpu.memory = {static_cast<std::int64_t>(needed) - 1};
  EXPECT_FALSE(reported_step(cluster, {}, scheme()).report.fits_memory);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Summary, testing::ValuesIn(scheme_rows()), scheme_label);

TEST(GradientExchange, OfARingIsItsPassOverTheGradientsAndItsReduceScatter) {
  const double n = stage_parameters(deep_model(), {}, 0).total();
  const double scale_s = 2 * 4 * n / 2000e9;
  // 8 rings over 4 NICs a node: of what each of 4 GPUs sends, a quarter leaves on each NIC. A
  // ring's step has the mean latency of 6 hops of NVLink and 2 of NICs.
  const double latency_s = 10e-6 + 7 * (6 * 2e-6 + 2 * 5e-6) / 8;
  const double bytes_s = 7.0 / 8 * 4 * n / 4 / 50e9;
  EXPECT_NEAR(
      reported_step(small_cluster(), {}, scheme_named("sharded")).report.gradient_exchange_s,
      scale_s + latency_s + bytes_s, 1e-9);
}

}  // namespace
}  // namespace sim
