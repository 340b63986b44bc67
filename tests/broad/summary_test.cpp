// SPDX-License-Identifier: Apache-2.0
// What a report says of a step: rates, links, compression and cost follow from its time and bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/schedule/builder.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/report/sample_report.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

class Summary : public EveryScheme {};

std::string kind_of(const Wiring& wiring, const std::string& link) {
  return std::ranges::find(wiring.links, link, &Link::name)->kind;
}

// Of what the flows of the step moved over the wiring, by key and kind.
std::map<std::string, LinkUse> fullest_by_kind(const ReportedStep& step) {
  std::vector<double> bytes(step.wiring.links.size());
  for (const Operation& operation : step.schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const auto& [link, times] : step.wiring.routes[operation.route]) {
      bytes[link] += operation.bytes * times;
    }
  }
  std::map<std::string, LinkUse> fullest;
  for (std::size_t id = 0; id < bytes.size(); ++id) {
    const Link& link = step.wiring.links[id];
    const double busy = bytes[id] / link.rate_Bps / step.report.time_s;
    EXPECT_LE(busy, 1 + kRounded) << link.name;
    LinkUse& most = fullest[link.set_by + link.kind];
    if (busy >= most.busy) most = {link.name, link.kind, link.role, link.set_by, busy};
  }
  std::erase_if(fullest, [](const auto& one) { return one.second.busy == 0; });
  return fullest;
}

// With the links of these kinds `factor` times as fast.
double step_time_with(const ReportedStep& step, const std::set<std::string>& kinds, double factor) {
  Wiring wiring = step.wiring;
  for (Link& link : wiring.links) {
    if (kinds.contains(link.kind)) link.rate_Bps *= factor;
  }
  return simulate(step.schedule, wiring).makespan_s;
}

TEST_P(Summary, RatesAreWorkOverTheStepsTime) {
  for (const Parallelism& parallelism : reported_settings()) {
    const Report report = reported_step(small_cluster(), parallelism, scheme()).report;
    const auto batch = global_batch(small_cluster(), parallelism);
    EXPECT_EQ(report.gpus,
              report.step->data * report.parallelism.tensor * report.parallelism.pipeline);
    EXPECT_DOUBLE_EQ(report.tokens_per_s * report.time_s, static_cast<double>(batch) * 128);
    EXPECT_NEAR(report.step->tflops_per_gpu * 1e12 * report.gpus * report.time_s /
                    model_flop(deep_model(), batch).base(),
                1, 1e-12);
    EXPECT_DOUBLE_EQ(report.step->mfu, report.step->tflops_per_gpu / 400);
    EXPECT_LT(report.step->mfu, 1);
  }
}

TEST_P(Summary, OfCappedGpusHasTheMfuOfTheirDataSheet) {
  Cluster cluster = small_cluster();
  cluster.gpu = power_capped(cluster.gpu, 1.0 / 8);
  const Report report = reported_step(cluster, reported_settings().front(), scheme()).report;
  EXPECT_DOUBLE_EQ(report.step->mfu, report.step->tflops_per_gpu / 400);
}

TEST_P(Summary, BytesByPhaseAreAllBytes) {
  for (const Parallelism& parallelism : reported_settings()) {
    const Report report = reported_step(small_cluster(), parallelism, scheme()).report;
    WireBytes sum;
    for (const auto& [phase, wire] : report.step->wire_by_phase) {
      sum.intra_node += wire.intra_node;
      sum.inter_node += wire.inter_node;
    }
    EXPECT_DOUBLE_EQ(sum.intra_node, report.step->wire.intra_node);
    EXPECT_DOUBLE_EQ(sum.inter_node, report.step->wire.inter_node);
  }
}

TEST_P(Summary, NoLinkIsMoreThanFull) {
  Cluster capped = small_cluster();
  capped.fitted.communicator_bandwidth = 20_GBps;
  for (const Parallelism& parallelism : reported_settings()) {
    for (const Cluster& cluster : {small_cluster(), capped}) {
      const ReportedStep step = reported_step(cluster, parallelism, scheme());
      const std::map<std::string, LinkUse> fullest = fullest_by_kind(step);
      EXPECT_EQ(step.report.busiest_links.size(), fullest.size());
      double last = 1 + kRounded;
      for (const LinkUse& use : step.report.busiest_links) {
        EXPECT_LE(use.busy, last) << use.link;
        last = use.busy;
        EXPECT_DOUBLE_EQ(use.busy, fullest.at(use.set_by + kind_of(step.wiring, use.link)).busy);
      }
    }
  }
}

TEST_P(Summary, CompressionIsFp32RingsOverWhatIsSent) {
  const Report report = reported_step(small_cluster(), {}, scheme()).report;
  // 7/8 of weights and of gradients, 4 bytes each; of ZeRO-3 its layers' weights twice.
  const StageParameters held = stage_parameters(deep_model(), {}, 0);
  const double n = held.total();
  const Parallelism run = defined(scheme());
  const double again = run.sharding.stage == 3 ? 4 * held.layers : 0;
  EXPECT_NEAR(
      report.compression_ratio_fp32 * (report.step->wire.intra_node + report.step->wire.inter_node),
      7.0 / 8 * (n * (4 + 4) + again), 1e-6 * n);
  EXPECT_NEAR(report.compression_ratio_fp32 / report.compression_ratio_bf16, 2, 1e-12);
  EXPECT_GE(report.compression_ratio_fp32,
            reported_step(small_cluster(), run, twin()).report.compression_ratio_fp32);
}

TEST_P(Summary, GradientExchangeIsPartOfTheStepAndNotShorterThanItsBytes) {
  const ReportedStep step = reported_step(small_cluster(), {}, scheme());
  const WireBytes& sent = step.report.step->wire_by_phase.at(Phase::gradient_comm);
  EXPECT_LT(step.report.step->gradient_exchange_s, step.report.time_s);
  EXPECT_GE(step.report.step->gradient_exchange_s, sent.intra_node / 400e9);
  EXPECT_GE(step.report.step->gradient_exchange_s, sent.inter_node / 50e9);
}

TEST_P(Summary, CostAndEnergyAreThoseOfAllGpus) {
  Cluster cluster = small_cluster();
  cluster.gpu.power = Watts::from_base(500);
  cluster.gpu.price = DollarRate::from_base(3.6 / 3600);
  const Report report = reported_step(cluster, {}, scheme()).report;
  EXPECT_DOUBLE_EQ(report.energy_j, 8 * 500 * report.time_s);
  EXPECT_NEAR(report.usd_per_million_tokens, 8 * 0.001 * report.time_s / (8 * 128) * 1e6, 1e-12);
}

TEST_P(Summary, SaysWhetherTheStepFits) {
  Cluster cluster = small_cluster();
  const double needed = reported_step(cluster, {}, scheme()).report.memory.total();
  cluster.gpu.memory = {static_cast<std::int64_t>(needed) + 1};
  EXPECT_TRUE(reported_step(cluster, {}, scheme()).report.fits_memory);
  cluster.gpu.memory = {static_cast<std::int64_t>(needed) - 1};
  EXPECT_FALSE(reported_step(cluster, {}, scheme()).report.fits_memory);
}

// Where nothing overlaps and every node has a leaf of its own, all that leaves a node crosses each
// kind of link on the way: the fullest of them, and it alone, is what the step waits for.
TEST(BusiestLink, IsTheOneThatBinds) {
  for (const char* name : {"sharded", "sharded_all_to_all", "qwd"}) {
    for (const double cap_GBps : {0.0, 30.0, 170.0}) {
      for (const double oversubscription : {1.0, 3.0}) {
        SCOPED_TRACE(testing::Message() << name << " " << cap_GBps << " " << oversubscription);
        Cluster cluster = sample_cluster({.nodes = 3,
                                          .gpus = 4,
                                          .nics = 4,
                                          .fabric = &fabrics::fat_tree_2level,
                                          .oversubscription = oversubscription,
                                          .nodes_per_leaf = 1});
        if (cap_GBps > 0) cluster.fitted.communicator_bandwidth = 1_GBps * cap_GBps;
        const ReportedStep step = reported_step(cluster, {}, scheme_named(name));
        std::set<std::string> full, free;
        double most = 0;
        for (const LinkUse& use : step.report.busiest_links) {
          if (use.set_by == "nvlink.bandwidth") continue;
          most = std::max(most, use.busy);
          if (use.busy > 0.999 * most) full.insert(kind_of(step.wiring, use.link));
          if (use.busy < 0.9 * most) free.insert(kind_of(step.wiring, use.link));
        }
        const double step_s = step.report.time_s;
        EXPECT_NEAR(step_time_with(step, free, 4) / step_s, 1, 1e-9);
        EXPECT_NEAR(step_time_with(step, free, 0.9) / step_s, 1, 1e-9);
        EXPECT_LT(step_time_with(step, full, 1.1), step_s * (1 - 0.05 * most));
        EXPECT_GT(step_time_with(step, full, 0.9), step_s * (1 + 0.1 * most));
        EXPECT_EQ(full.contains("communicator"), cap_GBps > 0 && cap_GBps < 200 / oversubscription);
      }
    }
  }
}

TEST(BusiestLink, IsSetByTheKeyThatItNames) {
  const std::map<std::string, const char*> keys{{"nvlink.bandwidth", "100 GBps"},
                                                {"network.nic_bandwidth", "10 GBps"},
                                                {"network.oversubscription", "2"},
                                                {"network.pod_oversubscription", "3"},
                                                {"fitted.communicator_bandwidth", "30 GBps"}};
  ScheduleBuilder builder(16 * 8);
  builder.add_route({.hops = {{0, 127, 0, 0}}, .communicator = 1});
  const Schedule schedule = std::move(builder).finish();
  const auto wired = [&](const std::string& changed) {
    std::vector<Setting> settings{{"network.fabric", "fat_tree_3level"},
                                  {"network.nodes_per_leaf", "2"},
                                  {"network.leaves_per_pod", "2"}};
    for (const auto& [key, value] : keys) {
      const std::string text = value;
      settings.push_back({key, key == changed ? text.substr(0, 1) + "5" + text.substr(1) : text});
    }
    return wire(schedule,
                read_cluster(source_directory() / "topologies/dgx_h100_x16.toml", settings));
  };
  const Wiring before = wired("");
  std::set<std::string> named;
  for (const Link& link : before.links) named.insert(link.set_by);
  EXPECT_EQ(named.size(), keys.size());
  for (const std::string& key : named) {
    const Wiring after = wired(key);
    for (std::size_t id = 0; id < before.links.size(); ++id) {
      if (before.links[id].set_by != key) continue;
      EXPECT_NE(after.links[id].rate_Bps, before.links[id].rate_Bps) << key;
    }
  }
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
      reported_step(small_cluster(), {}, scheme_named("sharded")).report.step->gradient_exchange_s,
      scale_s + latency_s + bytes_s, 1e-9);
}

}  // namespace
}  // namespace sim
