// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/knobs.hpp"

namespace apps_tests {
namespace {

using enum Direction;

// Two sites, a line of 10 Gb/s and 1 ms.
constexpr std::string_view kTwo = "--topology two_sites_10g --model gpt_125m --scheme diloco";
// 80 ms apart: a stream gets a window of 6 MiB each 160 ms, 39 MB/s.
constexpr std::string_view kFar =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set links.line.latency=80ms";
constexpr std::string_view kOneSender =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set links.line.latency=80ms "
    "--set wan.sender=site";
constexpr std::string_view kLossy =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set links.line.latency=80ms "
    "--set wan.sender=site --set links.line.loss=0.0001";
// With another path, for sites of one table or for those whose link is moved.
constexpr std::string_view kBackbone =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.count=2 "
    "--set backbone.latency=100ms --set backbone.loss=0";
constexpr std::string_view kCountless =
    "--topology two_sites_10g --model gpt_125m --scheme diloco "
    "--set backbone.latency=100ms --set backbone.loss=0";
constexpr std::string_view kLate =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.late=100s";
// Half a second of each period at the whole rate, or of all time.
constexpr std::string_view kSlowAccess =
    "--topology two_sites_10g --model gpt_125m --scheme diloco "
    "--set sites.east.changes=[\"500ms:0.001\"]";
constexpr std::string_view kSlowLine =
    "--topology two_sites_10g --model gpt_125m --scheme diloco "
    "--set links.line.changes=[\"500ms:0.001\"]";
constexpr std::string_view kMixed = "--topology four_sites_mixed --model gpt_125m --scheme diloco";
// The link joins two sites of one table, and the backbone both to the third.
constexpr std::string_view kJoined =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.count=2 "
    "--set backbone.latency=100ms --set backbone.loss=0 "
    "--set links.line.between=[\"east\",\"east\"]";
constexpr std::string_view kSlowBackbone =
    "--topology four_sites_mixed --model gpt_125m --scheme diloco "
    "--set backbone.changes=[\"500ms:0.0001\"]";
constexpr std::string_view kRdma =
    "--topology two_sites_rdma_1000km --model gpt_125m --scheme diloco --set wan.sender=site";
constexpr std::string_view kStore =
    "--topology twenty_peers_b200 --model gpt_125m --scheme sparseloco_store";

constexpr std::string_view kSyncer =
    "--topology four_regions_syncer --model gpt_125m --scheme decoupled_diloco";

constexpr std::string_view kSparse =
    "--topology two_sites_10g --model gpt_125m --scheme sparseloco";

// Where the other site names a region: both are alone, or in one.
constexpr std::string_view kRegions =
    "--topology two_sites_10g --model gpt_125m --scheme hierarchical_diloco "
    "--set sites.west.region=coast";

// At half the speed of the other.
constexpr std::string_view kUnlike =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.speed=0.5";

// One of the two comes and goes.
constexpr std::string_view kComes =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.stays=10h "
    "--set sites.east.returns_after=1h --set membership.detection=6s";

constexpr std::string_view kSaves =
    "--topology two_sites_10g --model gpt_125m --scheme diloco --set sites.east.stays=10h "
    "--set sites.east.returns_after=1h --set membership.detection=6s "
    "--set membership.checkpoint_rounds=100 --set membership.checkpoint_bandwidth=1Gbps";

constexpr std::string_view kKept = "/kept_tokens_per_s";
constexpr std::string_view kRound = "/round_time_s";
constexpr std::string_view kInner = "/by_site/0/inner_step_s";

constexpr Knob kKnobs[] = {
    {"--deadline", kLate, "50s", "/outcome", changed},
    {"--inner-scheme", kTwo, "sdp4bit", kInner, changed},
    {"--balance", kUnlike, "steps", kRound, down},
    {"--host-codecs", kSparse, "amd_epyc_milan", kRound, up},

    {"summary", kTwo, "another", "/sources/sites", changed},
    {"wan.sender", kFar, "site", kRound, up},
    {"tcp.streams", kOneSender, "8", kRound, down},
    {"tcp.window", kOneSender, "12MiB", kRound, down},
    {"tcp.segment", kLossy, "8948B", kRound, down},
    {"tcp.congestion_control", kLossy, "reno", kRound, up},
    {"rdma.buffer", kRdma, "1MiB", kRound, up},
    {"rdma.channels", kRdma, "8", kRound, up},

    {"sites.east.count", kCountless, "2", "/gpus", up},
    {"sites.east.cluster", kTwo, "dgx_a100_x16", kInner, up},
    {"sites.east.nodes", kTwo, "2", "/gpus", down},
    {"sites.east.power_cap", kTwo, "10kW", kInner, up},
    {"sites.east.power_cap", kTwo, "10kW", "/energy_j", down},
    {"sites.east.uplink", kTwo, "1Gbps", kRound, up},
    {"sites.east.downlink", kTwo, "1Gbps", kRound, up},
    {"sites.east.egress", kTwo, "0.1USD/GB", "/egress_usd", up},
    {"sites.east.region", kRegions, "coast", "/inner_steps", down},
    {"sites.east.speed", kTwo, "0.5", kInner, up},
    {"sites.east.micro_batch", kTwo, "2", kInner, up},
    {"sites.east.accumulation", kTwo, "2", kInner, up},
    {"sites.east.tp", kTwo, "2", kInner, changed},
    {"sites.east.pp", kTwo, "2", kInner, changed},
    {"sites.east.zero", kTwo, "2", "/by_site/0/memory_per_gpu_bytes", down},
    {"sites.east.inner_scheme", kTwo, "sdp4bit", kInner, changed},
    {"sites.east.inner_steps", kTwo, "1000", kRound, up},
    {"sites.east.late", kTwo, "100s", kRound, up},
    {"sites.east.drops_out", kTwo, "1s", "/outcome", changed},
    {"sites.east.stays", kComes, "5h", kKept, down},
    {"sites.east.returns_after", kComes, "2h", kKept, down},
    {"membership.detection", kComes, "1h", kKept, down},
    {"membership.checkpoint_rounds", kSaves, "1", "/saved_share", up},
    {"membership.checkpoint_bandwidth", kSaves, "1Mbps", kKept, down},
    {"membership.checkpoint_asynchronous", kSaves, "true", "/saved_share", down},
    {"--tokens", kComes, "1e12", "/training_days", changed},
    {"sites.east.changes", kTwo, "[\"1 ms: 0.01\"]", kRound, up},
    {"sites.east.repeats", kSlowAccess, "1s", kRound, down},

    {"links.line.between", kBackbone, "[\"east\", \"east\"]", kRound, changed},
    {"links.line.bandwidth", kTwo, "1Gbps", kRound, up},
    {"links.line.latency", kTwo, "10s", kRound, up},
    {"links.line.loss", kTwo, "0.1", kRound, up},
    {"links.line.background", kTwo, "0.9", kRound, up},
    {"links.line.price", kTwo, "5USD/h", "/link_usd", up},
    {"links.line.changes", kTwo, "[\"1 ms: 0.01\"]", kRound, up},
    {"links.line.repeats", kSlowLine, "1s", kRound, down},
    {"links.line.dead", kJoined, "true", kRound, changed},

    {"backbone.bandwidth", kMixed, "10Mbps", kRound, up},
    {"backbone.latency", kMixed, "10s", kRound, up},
    {"backbone.loss", kMixed, "0.1", kRound, up},
    {"backbone.background", kMixed, "0.999", kRound, up},
    {"backbone.price", kMixed, "5USD/h", "/link_usd", up},
    {"backbone.changes", kMixed, "[\"1 ms: 0.0001\"]", kRound, up},
    {"backbone.repeats", kSlowBackbone, "1s", kRound, down},

    {"store.upload", kStore, "1Mbps", kRound, up},
    {"store.download", kStore, "1Mbps", kRound, up},
    {"store.request", kStore, "10s", kRound, up},
    {"store.latency", kStore, "10s", kRound, up},
    {"store.egress", kStore, "0.1USD/GB", "/egress_usd", up},

    {"syncer.uplink", kSyncer, "10Mbps", kRound, up},
    {"syncer.downlink", kSyncer, "10Mbps", kRound, up},
    {"syncer.latency", kSyncer, "10s", kRound, up},
    {"syncer.egress", kSyncer, "0.1USD/GB", "/egress_usd", up},
    {"syncer.memory_bandwidth", kSyncer, "1MBps", kRound, up},
};

}  // namespace

std::span<const Knob> wide_area_knobs() { return kKnobs; }

}  // namespace apps_tests
