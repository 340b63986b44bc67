// SPDX-License-Identifier: Apache-2.0
// Outer state on hosts: limits in which it changes nothing, and the closed forms of its bytes and
// copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>

#include "sim/rounds/host_copies.hpp"
#include "sim/rounds/round_remedies.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/times/roofline.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

constexpr int kGpus = 8;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Three nodes of 8 H100, with a link to the host that takes so many bytes a second.
class HostState : public testing::Test {
 protected:
  static WideArea nodes(double host_Bps, int count = 3) {
    WideArea area = equal_sites(count, 1e9);
    Cluster& cluster = area.sites.front().cluster;
    const auto file = source_directory() / "topologies/dgx_h100_x16.toml";
    cluster = part_of(read_cluster(file), 1, kGpus);
    cluster.gpu.host_bandwidth = Bandwidth::from_base(host_Bps);
    cluster.gpu.host_efficiency = 1;
    area.store = Store{.upload = Bandwidth::from_base(1e9), .download = Bandwidth::from_base(1e9)};
    return area;
  }
  static std::vector<Calibration> with_host_codecs() {
    Calibration table = roofline();
    table.host_codecs = std::make_shared<const Calibration>(
        read_host_codecs(source_directory() / "traces/host_codecs/amd_epyc_milan.json"));
    return {table};
  }
  // In rounds of ten steps, with at most as many fragments.
  static Scheme kept(std::string_view name, OuterState outer_state) {
    Scheme scheme = scheme_named(name);
    scheme.between_sites->inner_steps = 10;
    scheme.between_sites->fragments = std::min(scheme.between_sites->fragments, 10);
    scheme.between_sites->outer_state = outer_state;
    return scheme;
  }
  static std::vector<std::string> names_of_rounds() {
    std::vector<std::string> names;
    for (const Scheme* one : all_schemes(SchemeKind::between_sites)) {
      if (!one->between_sites->gradients) names.push_back(one->name);
    }
    return names;
  }
  RoundContext context(const WideArea& area, const Scheme& scheme,
                       const std::vector<Calibration>& tables) const {
    return {area, model_, tables, optimized_for(scheme), scheme_named("sharded")};
  }
  RoundContext context(const WideArea& area, const Scheme& scheme) const {
    return context(area, scheme, calibrations_);
  }
  RoundResult round(const WideArea& area, const Scheme& scheme) const {
    return simulate_round(context(area, scheme), scheme);
  }
  double shard(const WideArea& area, const Scheme& scheme, int fragments = 1) const {
    const auto sizes = shard_sizes(context(area, scheme), 0, fragments);
    return static_cast<double>(sizes.front().elements);
  }

  const Model model_ = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_{roofline()};
};

TEST_F(HostState, OverAnInfiniteLinkTakesTheTimeOfStateOnGpus) {
  const WideArea area = nodes(kInfinite);
  for (const std::string& name : names_of_rounds()) {
    const RoundResult on_gpu = round(area, kept(name, OuterState::gpu));
    const RoundResult on_host = round(area, kept(name, OuterState::host));
    EXPECT_EQ(on_host.round_s, on_gpu.round_s) << name;
    EXPECT_EQ(on_host.plan.schedule.operations.size(), on_gpu.plan.schedule.operations.size());
  }
}

TEST_F(HostState, LeavesTheGpusMemory) {
  const WideArea area = nodes(50e9);
  for (const std::string& name : names_of_rounds()) {
    const Scheme on_gpu = kept(name, OuterState::gpu), on_host = kept(name, OuterState::host);
    const SiteExchange& exchange = *on_gpu.between_sites;
    const double state = exchange.state_bytes * shard(area, on_gpu);
    const SiteMemory memory(context(area, on_gpu), 0);
    const double left = exchange.overlaps() ? state / exchange.fragments : 0;
    EXPECT_EQ(memory.with(on_gpu).outer_state, state) << name;
    EXPECT_EQ(memory.with(on_host).outer_state, left) << name;
    EXPECT_NEAR(memory.with(on_gpu).allocated() - memory.with(on_host).allocated(), state - left, 1)
        << name;
    EXPECT_EQ(memory.host_bytes(on_gpu), 0) << name;
    EXPECT_EQ(memory.host_bytes(on_host), kGpus * state) << name;
  }
}

// Where nothing overlaps, the state goes in and out in pieces, the outer weights in twice: for the
// change and for the update.
TEST_F(HostState, IsCopiedThereAndBack) {
  constexpr double kRate = 1e9;
  const WideArea area = nodes(kRate);
  for (const std::string& name : names_of_rounds()) {
    const Scheme on_gpu = kept(name, OuterState::gpu), on_host = kept(name, OuterState::host);
    const SiteExchange& exchange = *on_gpu.between_sites;
    if (exchange.overlaps()) continue;
    const double copies_s = (2 * exchange.state_bytes + 4) * shard(area, on_gpu) / kRate;
    const double added_s = round(area, on_host).round_s - round(area, on_gpu).round_s;
    EXPECT_NEAR(added_s / copies_s, 1, 1e-6) << name;
  }
}

TEST_F(HostState, OfFragmentsIsCopiedByFragment) {
  constexpr double kRate = 1e9;
  const WideArea area = nodes(kRate);
  Scheme on_gpu = kept("diloco", OuterState::gpu), on_host = kept("diloco", OuterState::host);
  for (Scheme* scheme : {&on_gpu, &on_host}) scheme->between_sites->fragments = 5;
  const double copies_s = 5 * (2 * 8 + 4) * shard(area, on_gpu, 5) / kRate;
  EXPECT_NEAR((round(area, on_host).round_s - round(area, on_gpu).round_s) / copies_s, 1, 1e-6);
}

// Beside inner steps, copies that are shorter than these cost nothing; a link that is full sets the
// time of the round.
TEST_F(HostState, IsCopiedBesideStepsThatOverlap) {
  for (const char* name : {"streaming_diloco", "streaming_diloco_bf16", "eager_diloco"}) {
    const Scheme on_gpu = kept(name, OuterState::gpu), on_host = kept(name, OuterState::host);
    WideArea fast = nodes(1e15);
    fast.sites.front().uplink = fast.sites.front().downlink = Bandwidth::from_base(1e15);
    EXPECT_NEAR(round(fast, on_host).round_s / round(fast, on_gpu).round_s, 1, 1e-3) << name;
    const double state = on_gpu.between_sites->state_bytes * shard(fast, on_gpu);
    const double rate = 2 * state / (10 * round(fast, on_gpu).round_s);
    WideArea slow = fast;
    slow.sites.front().cluster.gpu.host_bandwidth = Bandwidth::from_base(rate);
    EXPECT_GE(round(slow, on_host).round_s, 2 * state / rate * (1 - 1e-3)) << name;
  }
}

// OpenDiLoCo's form: weights to the host, where they are read, summed and updated, and back.
TEST_F(HostState, OfHostsThatEncodeIsUpdatedThere) {
  constexpr double kRate = 1e9;
  const std::vector<Calibration> tables = with_host_codecs();
  const WideArea area = nodes(kRate);
  const Scheme on_gpu = kept("diloco_int8", OuterState::gpu);
  const Scheme on_host = kept("diloco_int8", OuterState::host);
  const double elements = shard(area, on_gpu);
  const SiteWork before = exchange_kernels(*on_gpu.between_sites, area.sites[0].cluster, tables[0],
                                           static_cast<std::size_t>(elements), 3);
  const SiteWork after = exchange_kernels(*on_host.between_sites, area.sites[0].cluster, tables[0],
                                          static_cast<std::size_t>(elements), 3);
  const double host_Bps = tables[0].host_codecs->copy_bandwidth->base();
  const Roofline gpu(area.sites[0].cluster.gpu, 1, tables[0]);
  const double weights_s = 4 * elements / kRate;
  EXPECT_EQ(after.copies, (HostCopies{.fetch_s = weights_s, .weights_s = weights_s}));
  EXPECT_NEAR(after.encode_s - before.encode_s, 12 * elements / host_Bps - gpu.pass(12 * elements),
              1e-9);
  EXPECT_NEAR(after.update_s - before.update_s, 28 * elements / host_Bps - gpu.pass(28 * elements),
              1e-9);
  const RoundContext given = context(area, on_gpu, tables);
  const double round_s = simulate_round(given, on_host).round_s;
  const double added_s =
      after.copies.total_s() + after.encode_s - before.encode_s + after.update_s - before.update_s;
  EXPECT_NEAR(round_s - simulate_round(given, on_gpu).round_s, added_s, 1e-6 * added_s);
}

// The GPUs then hold neither state nor wires.
TEST_F(HostState, OfHostsThatEncodeHasTheWiresBesideIt) {
  const std::vector<Calibration> tables = with_host_codecs();
  const WideArea area = nodes(50e9);
  for (const char* name : {"diloco_int8", "sparseloco_store", "streaming_diloco"}) {
    const Scheme on_gpu = kept(name, OuterState::gpu), on_host = kept(name, OuterState::host);
    const SiteMemory memory(context(area, on_gpu, tables), 0);
    const MemoryUse with_all = memory.with(on_gpu), with_none = memory.with(on_host);
    EXPECT_EQ(with_none.outer_state, 0) << name;
    EXPECT_EQ(with_none.codec, 0) << name;
    EXPECT_NEAR(memory.host_bytes(on_host), kGpus * (with_all.outer_state + with_all.codec), 1)
        << name;
  }
}

TEST_F(HostState, IsReportedWithItsCopies) {
  const WideArea area = nodes(1e9);
  const Scheme on_host = kept("diloco", OuterState::host);
  const Report report = summarize(context(area, on_host), on_host, round(area, on_host));
  EXPECT_NEAR(report.time.other_s, (2 * 8 + 4) * shard(area, on_host) / 1e9, 1e-6);
  EXPECT_EQ(report.time.host_s, 0);
  EXPECT_EQ(report.round->by_site[0].host_memory_bytes, kGpus * 8 * shard(area, on_host));
}

// In each inner step to the GPUs and back; the hosts keep it beside the outer state.
TEST_F(HostState, IsJoinedByTheInnerOptimizers) {
  constexpr double kRate = 1e9;
  const WideArea area = nodes(kRate);
  const Scheme on_gpu = kept("diloco", OuterState::gpu);
  const RoundContext before = context(area, on_gpu);
  RoundContext after = before;
  after.parallelism.optimizer_state = OptimizerState::host;
  const double bytes = optimizer_bytes(area.sites[0].cluster, model_, after.parallelism, 0);
  const double added_s =
      simulate_round(after, on_gpu).round_s - simulate_round(before, on_gpu).round_s;
  EXPECT_NEAR(added_s / (10 * 2 * bytes / kRate), 1, 1e-6);
  const SiteMemory memory(after, 0);
  EXPECT_NEAR(SiteMemory(before, 0).with(on_gpu).allocated() - memory.with(on_gpu).allocated(),
              bytes, 1);
  EXPECT_NEAR(memory.host_bytes(on_gpu), kGpus * bytes, 1);
  const Scheme on_host = kept("diloco", OuterState::host);
  EXPECT_NEAR(memory.host_bytes(on_host), kGpus * (bytes + 8 * shard(area, on_host)), 1);
}

TEST_F(HostState, NeedsALinkToTheHost) {
  WideArea area = nodes(1e9);
  area.sites.front().cluster.gpu.host_bandwidth.reset();
  const Scheme on_host = kept("diloco", OuterState::host);
  EXPECT_EQ(problem(context(area, on_host), on_host),
            "`scheme`: diloco keeps its outer state on hosts, but dgx_h100_x16 lacks "
            "gpu.host_bandwidth; add it to that cluster's file");
  EXPECT_EQ(problem(context(area, on_host), kept("diloco", OuterState::gpu)), "");
}

// GPUs of one PCIe switch share its link to the host.
TEST(HostLink, IsSharedOverPcieSwitches) {
  Cluster cluster = read_cluster(source_directory() / "topologies/pcie_rtx_pro_5000.toml");
  cluster.gpu.host_bandwidth = 60_GBps;
  cluster.gpu.host_efficiency = 0.5;
  cluster.nvlink.bridge_bandwidth = 80_GBps;
  for (const auto& [gpus, rate] : {std::pair{1, 30_GBps}, {2, 20_GBps}, {4, 10_GBps}}) {
    cluster.nvlink.gpus_per_bridge = gpus;
    EXPECT_EQ(host_copy_rate(cluster), rate);
  }
}

// Gigabytes that a remedy ends with: "`recompute` full (12.3 GB)".
double bytes_of(const std::string& remedy) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(remedy, match, std::regex(R"(\(([0-9.]+) GB\)$)"))) << remedy;
  return 1e9 * std::stod(match[1]);
}

class RoundRemedies : public HostState {
 protected:
  // For GPUs of so much memory.
  std::vector<std::string> remedies(const Scheme& scheme, int sites, double bytes) const {
    WideArea area = nodes(50e9, sites);
    area.sites.front().cluster.gpu.memory = Bytes{static_cast<std::int64_t>(bytes)};
    return what_would_fit(context(area, scheme), 0, scheme, {});
  }
  MemoryUse memory(const Scheme& scheme, int sites) const {
    const WideArea area = nodes(50e9, sites);
    return site_memory(context(area, scheme), 0, scheme);
  }
};

TEST_F(RoundRemedies, FitWithEverythingThatAGpuHolds) {
  for (const char* name : {"diloco", "sparseloco", "sparseloco_store", "streaming_diloco"}) {
    const Scheme scheme = kept(name, OuterState::gpu);
    for (const int sites : {2, 100, 10'000}) {
      for (const double share : {0.99, 0.7, 0.5, 0.2}) {
        const double capacity = share * memory(scheme, sites).total();
        for (const std::string& remedy : remedies(scheme, sites, capacity)) {
          EXPECT_LE(bytes_of(remedy), capacity + 0.05e9) << name << " at " << sites;
        }
      }
    }
  }
}

TEST_F(RoundRemedies, KnowThatHostsCanKeepTheState) {
  const Scheme scheme = kept("diloco", OuterState::gpu);
  const MemoryUse use = memory(scheme, 2);
  const auto fitting = remedies(scheme, 2, use.total() - 0.5 * use.outer_state);
  ASSERT_FALSE(fitting.empty());
  EXPECT_TRUE(fitting.front().starts_with("`set` scheme.outer_state=host (")) << fitting.front();
  for (const std::string& remedy : remedies(kept("diloco", OuterState::host), 2, use.total() / 2)) {
    EXPECT_EQ(remedy.find("outer_state"), std::string::npos) << remedy;
  }
}

// What arrives from 10 000 peers for one sum stays, whatever else is changed.
TEST_F(RoundRemedies, DoNotFreeWhatArrives) {
  const Scheme scheme = kept("sparseloco_store", OuterState::gpu);
  EXPECT_TRUE(remedies(scheme, 10'000, 0.9 * memory(scheme, 10'000).codec).empty());
}

}  // namespace
}  // namespace sim
