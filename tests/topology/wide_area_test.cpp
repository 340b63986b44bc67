// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wide_area.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/topology/topology.hpp"
#include "tests/input_errors.hpp"
#include "tests/topology/sample_area.hpp"

namespace {

using namespace sim;

constexpr double kTolerance = 1e-9;  // relative

TEST(WideArea, HasEveryValueOfItsFile) {
  const WideArea area = read_area(kSampleArea);
  EXPECT_EQ(area.name, "test");
  EXPECT_EQ(area.summary, "for tests");
  EXPECT_EQ(area.transport.kind, Transport::Kind::tcp);
  EXPECT_EQ(area.transport.sender, Transport::Sender::node);
  EXPECT_EQ(area.transport.tcp.streams, 3);
  EXPECT_EQ(area.transport.tcp.window, 5_MiB);
  EXPECT_EQ(area.transport.tcp.segment, 1448_B);
  EXPECT_EQ(area.transport.tcp.control, Tcp::Control::reno);
  ASSERT_EQ(area.sites.size(), 2u);
  EXPECT_EQ(area.sites[1].name, "west");
  EXPECT_EQ(area.sites[1].count, 1);
  EXPECT_EQ(area.sites[1].cluster.nodes, 16) << "all that its cluster has";
  EXPECT_EQ(area.sites[1].speed, 1);
  EXPECT_FALSE(area.sites[1].power_cap || area.sites[1].late || area.sites[1].drops_out ||
               area.sites[1].stays);
  EXPECT_TRUE(area.sites[1].variation.changes.empty());
  EXPECT_EQ(area.sites[1].setup, SiteSetup{});
}

TEST(WideArea, HasEveryValueOfASite) {
  const Site site = read_area(kSampleArea).sites[0];
  EXPECT_EQ(site.name, "east");
  EXPECT_EQ(site.count, 2);
  EXPECT_EQ(site.cluster.name, "dgx_a100_x16");
  EXPECT_EQ(site.cluster.nodes, 4);
  EXPECT_EQ(site.cluster.gpus_per_node, 8);
  EXPECT_EQ(site.power_cap, Watts::from_base(6400));
  EXPECT_EQ(site.uplink, 10_Gbps);
  EXPECT_EQ(site.downlink, 20_Gbps);
  EXPECT_NEAR(site.egress.base(), 0.05e-9, 1e-18);
  EXPECT_EQ(site.region, "atlantic");
  EXPECT_EQ(site.speed, 0.5);
  EXPECT_EQ(site.late, 7_s);
  EXPECT_EQ(site.drops_out, 90_s);
  EXPECT_EQ(site.stays, Seconds::from_base(8 * kHour_s));
  EXPECT_EQ(site.returns_after, Seconds::from_base(3 * kHour_s));
  EXPECT_EQ(site.setup, (SiteSetup{.micro_batch = 21,
                                   .accumulation = 22,
                                   .tensor = 23,
                                   .pipeline = 24,
                                   .zero = 1,
                                   .inner_scheme = "sdp4bit",
                                   .inner_steps = 25}));
  EXPECT_EQ(read_area(kSampleArea).detection, 4_s);
  EXPECT_EQ(read_area(kSampleArea).checkpoints,
            (OuterCheckpoints{.rounds = 26, .bandwidth = 11_Gbps}));
  ASSERT_EQ(site.variation.changes.size(), 3u);
  EXPECT_EQ(site.variation.changes[0].at, 100_s);
  EXPECT_EQ(site.variation.changes[0].share, 0.5);
  EXPECT_EQ(site.variation.changes[1].share, 0);
  EXPECT_EQ(site.variation.changes[2].at, 260_s);
  EXPECT_EQ(site.variation.repeats, 600_s);
}

TEST(WideArea, HasEveryValueOfItsPaths) {
  const WideArea area = read_area(kSampleArea);
  ASSERT_TRUE(area.backbone.has_value());
  EXPECT_FALSE(area.backbone->bandwidth.has_value()) << "no limit";
  EXPECT_EQ(area.backbone->latency, 8_ms);
  EXPECT_EQ(area.backbone->loss, 0.001);
  EXPECT_EQ(area.backbone->background, 0);
  ASSERT_EQ(area.links.size(), 1u);
  const WideLink& line = area.links[0];
  EXPECT_EQ(line.name, "line");
  EXPECT_EQ(line.between, (std::vector<std::string>{"east", "west"}));
  EXPECT_EQ(line.bandwidth, 50_Gbps);
  EXPECT_EQ(line.latency, 9_ms);
  EXPECT_EQ(line.loss, 0.002);
  EXPECT_EQ(line.background, 0.25);
  EXPECT_NEAR(line.price.base(), 6.0 / 3600, 1e-12);
  EXPECT_EQ(line.variation.changes.size(), 1u);
  EXPECT_FALSE(line.variation.repeats.has_value());
  EXPECT_FALSE(line.dead);
  ASSERT_TRUE(area.store.has_value());
  EXPECT_EQ(area.store->upload, 60_Gbps);
  EXPECT_EQ(area.store->download, 70_Gbps);
  EXPECT_EQ(area.store->request, 12_ms);
  EXPECT_EQ(area.store->latency, 13_ms);
  EXPECT_NEAR(area.store->egress.base(), 0.01e-9, 1e-18);
  ASSERT_TRUE(area.syncer.has_value());
  EXPECT_EQ(area.syncer->uplink, 80_Gbps);
  EXPECT_EQ(area.syncer->downlink, 90_Gbps);
  EXPECT_EQ(area.syncer->latency, 14_ms);
  EXPECT_NEAR(area.syncer->egress.base(), 0.02e-9, 1e-18);
  EXPECT_EQ(area.syncer->memory_bandwidth, 300_GBps);
}

TEST(WideArea, OfRdmaHasBuffersChannelsAndPairs) {
  const std::string text =
      sample_area_with({{"\"tcp\"", "\"rdma\""},
                        {"[tcp]\nstreams = 3\nwindow = \"5 MiB\"\nsegment = \"1448 B\"\n"
                         "congestion_control = \"reno\"\n",
                         "[rdma]\nbuffer = \"4 MiB\"\nchannels = 16\n"}});
  const Transport transport = read_area(text).transport;
  EXPECT_EQ(transport.kind, Transport::Kind::rdma);
  EXPECT_EQ(transport.rdma.buffer, 4_MiB);
  EXPECT_EQ(transport.rdma.channels, 16);
}

TEST(WideArea, MayHaveADeadLinkAroundWhichATableLeads) {
  EXPECT_TRUE(read_area(sample_area_with({{"dead = false", "dead = true"}})).links[0].dead)
      << "though nobody passes on what these two sites send";
  const std::string north =
      "[sites.north]\ncluster = \"dgx_h100_x16\"\nuplink = \"1 Gbps\"\ndownlink = \"1 Gbps\"\n"
      "egress = \"0 USD/GB\"\n";
  const WideArea area = read_area(sample_area_with({{"dead = false", "dead = true"}}) + north);
  EXPECT_TRUE(area.links[0].dead);
  EXPECT_TRUE(has_dead_link(area));
  EXPECT_TRUE(is_dead_between(area, 3, 0)) << "of east and west, on both sides of north";
  EXPECT_FALSE(is_dead_between(area, 0, 1));
  EXPECT_FALSE(is_dead_between(area, 2, 3));
}

TEST(WideArea, SettingsReplaceAndAddKeys) {
  const std::vector<Setting> settings{{"sites.west.nodes", "2"}, {"links.line.latency", "1 ms"}};
  const WideArea area = read_area(kSampleArea, settings);
  EXPECT_EQ(area.sites[1].cluster.nodes, 2);
  EXPECT_EQ(area.links[0].latency, 1_ms);
}

TEST(Places, AreTheSitesOfEachTableInTurn) {
  const WideArea area = read_area(kSampleArea);
  EXPECT_EQ(place_count(area), 3);
  EXPECT_EQ(place_name(area, 0), "east_0");
  EXPECT_EQ(place_name(area, 1), "east_1");
  EXPECT_EQ(place_name(area, 2), "west");
  EXPECT_EQ(site_of(area, 1).name, "east");
  EXPECT_EQ(site_of(area, 2).name, "west");
  EXPECT_THROW(static_cast<void>(site_of(area, 3)), std::logic_error);
}

TEST(Paths, AreThePairsOwnElseTheBackbone) {
  const WideArea area = read_area(kSampleArea);
  EXPECT_EQ(link_between(area, 0, 2), 0);
  EXPECT_EQ(link_between(area, 2, 1), 0) << "in either order";
  EXPECT_EQ(link_between(area, 0, 1), -1);
  EXPECT_EQ(path_between(area, 0, 2).latency, 9_ms);
  EXPECT_EQ(path_between(area, 0, 1).latency, 8_ms);
}

// What joined them goes too, so that nobody pays for it.
TEST(Places, OfWhichThereAreNoneAreLeftOut) {
  const auto with_east = [](const std::string& text, const char* count) {
    const std::vector<Setting> settings{{"sites.east.count", count}};
    return read_area(text, settings);
  };
  const WideArea west = with_east(kSampleArea, "0");
  EXPECT_EQ(place_count(west), 1);
  EXPECT_EQ(west.sites.front().name, "west");
  EXPECT_TRUE(west.links.empty());
  EXPECT_FALSE(west.backbone);
  const std::string looped = std::string(kSampleArea) +
                             "[links.loop]\nbetween = [\"east\", \"east\"]\nlatency = \"1 ms\"\n"
                             "loss = 0\n";
  EXPECT_EQ(read_area(looped).links.size(), 2u);
  const WideArea two = with_east(looped, "1");
  ASSERT_EQ(two.links.size(), 1u);
  EXPECT_EQ(two.links.front().name, "line");
  EXPECT_TRUE(two.backbone);
}

TEST(PowerCap, LowersTheArithmeticByTheSquareRootOfItsShare) {
  // 32 A100 of 400 W draw 12.8 kW; 6.4 kW are half, and the clock is 0.5^(1/2) = 0.707.
  const Cluster whole = read_cluster(sample_cluster_file("dgx_a100_x16"));
  const Gpu capped = read_area(kSampleArea).sites[0].cluster.gpu;
  const double clock = std::sqrt(0.5);
  EXPECT_NEAR(capped.bf16 / whole.gpu.bf16, clock, kTolerance);
  EXPECT_NEAR(capped.fp32 / whole.gpu.fp32, clock, kTolerance);
  EXPECT_NEAR(capped.power / whole.gpu.power, 0.5, kTolerance);
  EXPECT_EQ(capped.memory_bandwidth, whole.gpu.memory_bandwidth) << "its clock is its own";
}

TEST(PowerCap, LowersFp8AndFp4WhereTheGpuHasThem) {
  const Gpu gpu = read_cluster(sample_cluster_file("dgx_b200")).gpu;
  const Gpu capped = power_capped(gpu, 1.0 / 4);
  EXPECT_NEAR(*capped.fp8 / *gpu.fp8, 0.5, kTolerance);
  EXPECT_NEAR(*capped.fp4 / *gpu.fp4, 0.5, kTolerance);
  EXPECT_FALSE(power_capped(read_cluster(sample_cluster_file("dgx_a100_x16")).gpu, 0.5).fp8);
}

TEST(PowerCap, AboveWhatTheGpusDrawChangesNothing) {
  const Gpu gpu = read_cluster(sample_cluster_file("dgx_a100_x16")).gpu;
  for (const double share : {1.0, 3.0}) {
    EXPECT_EQ(power_capped(gpu, share).bf16, gpu.bf16);
    EXPECT_EQ(power_capped(gpu, share).power, gpu.power);
  }
  EXPECT_NEAR(power_capped(gpu, 1.0 / 4).bf16 / gpu.bf16, 0.5, kTolerance);
}

TEST(HasSites, WhereALineOpensOrAssignsToSitesOrWan) {
  for (const char* text :
       {"[sites.east]", "\n[sites.east]", "  [sites.east]", "\t[ sites . east ]", "[[sites]]",
        "[sites]", "sites.east.nodes = 4", "sites = {}", "a = 1\r\n[\"sites\".east]", "[wan]",
        "x = 1\n[[ sites ]]\n", "'sites' = 5"}) {
    EXPECT_TRUE(has_sites(text)) << text;
  }
  for (const char* text :
       {"", "sites", "[sitesx.east]", "[site.east]", "# [sites.east]", "summary = \"[sites.east]\"",
        "[cluster]\nsites_count = 3", "[wants]", "websites.east = 3", "[", "\n\n[ "}) {
    EXPECT_FALSE(has_sites(text)) << text;
  }
  for (const auto& file : shipped_files("topologies", ".toml")) {
    EXPECT_FALSE(has_sites(text_of(file))) << file;
  }
  for (const auto& file : shipped_files("topologies/wide_area", ".toml")) {
    EXPECT_TRUE(has_sites(text_of(file))) << file;
  }
}

}  // namespace
