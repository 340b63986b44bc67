// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

// The tuner's: base latencies; a ring's hardware latencies over NVLink; 20 of a link's 25 GB/s
// (SM70_NVLINK_BW); at most 39 GB/s of all channels by LL; 120 of 128 B, times 0.98, by LL128.
// What each message of an all_to_all costs, whatever the links: the host or the network's proxy posts
// it. The others of 36 and 72 GPUs are within 35 % of it.
constexpr Seconds kMessage = 0.76_us;

constexpr NcclTransport kNvlink2{.name = "nvlink2",
                                 .summary = "NVLink 2 with NVSwitch: V100",
                                 .source = "published: NCCL 2.30.7, src/graph/tuning.cc, topo.h",
                                 .simple = {3.4_us, 0.8},
                                 .ll = LinkPace{0.6_us, 0.26},
                                 .ll128 = LinkPace{1.9_us, 0.736},
                                 .launch = 8.4_us,
                                 .ll_launch = 6.6_us,
                                 .ll128_launch = 14.0_us,
                                 .message = kMessage};

// The tuner's: base latencies; a ring's hardware latencies over PCIe; 12, 24 and 48 of the 15.75, 31.5
// and 63 GB/s of 16 lanes of the third, fourth and fifth generation (kvDictPciGen in topo.cc), half
// of it by LL. It does not use LL128 over PCIe.
constexpr NcclTransport kPcie{.name = "pcie",
                              .summary = "PCIe 3 to 5, without NVLink",
                              .source = "published: NCCL 2.30.7, src/graph/tuning.cc, topo.cc",
                              .simple = {5.7_us, 0.762},
                              .ll = LinkPace{1.0_us, 0.381},
                              .launch = 8.4_us,
                              .ll_launch = 6.6_us};

// What channels by size change.
struct ChannelPaces {
  LinkPace simple, ll, ll128;
  Seconds launch, ll_launch, ll128_launch;
  std::optional<LinkPace> nvls = {};
  Bytes chunk_overhead = {};
};

constexpr NcclTransport with_paces(NcclTransport row, const ChannelPaces& paces) {
  row.simple = paces.simple;
  row.ll = paces.ll;
  row.ll128 = paces.ll128;
  row.nvls = paces.nvls;
  row.sums.chunk_overhead = paces.chunk_overhead;
  row.launch = paces.launch;
  row.ll_launch = paces.ll_launch;
  row.ll128_launch = paces.ll128_launch;
  return row;
}

constexpr NcclTransport kNvlink3Alone{.name = "nvlink3",
                                      .summary = "NVLink 3 with NVSwitch: A100",
                                      .source = "fitted on the logs a100_{2,4,8}_nccl2.27.3",
                                      .simple = {1.86_us, 0.706},
                                      .ll = LinkPace{0.908_us, 0.0241},
                                      .ll128 = LinkPace{0.881_us, 0.323},
                                      .pairs = LinkPace{30.0_us, 0.706},
                                      .ll_pairs = LinkPace{12.8_us, 0.215},
                                      .launch = 32.8_us,
                                      .ll_launch = 8.10_us,
                                      .ll128_launch = 10.9_us,
                                      .message = kMessage};

// With channels by size, as NCCL takes them, fitted on the same logs by protocol, to the rows where
// NCCL's tuner takes it (docs/validation.md, "Collectives"). LL then has the bandwidth that its flags
// leave, and NVLS starts after what the tuner says.
constexpr NcclTransport kNvlink3ByChannels = with_paces(kNvlink3Alone, {.simple = {5.13_us, 0.717},
                                                                        .ll = {0.617_us, 0.344},
                                                                        .ll128 = {0.412_us, 0.504},
                                                                        .launch = 25.7_us,
                                                                        .ll_launch = 9.23_us,
                                                                        .ll128_launch = 22.7_us});
constexpr NcclTransport kNvlink3 = with_channels(kNvlink3Alone, kNvlink3ByChannels);

constexpr NcclTransport kNvlink4Alone{
    .name = "nvlink4",
    .summary = "NVLink 4 with NVSwitch and sums in it: H100, H200",
    .source = "fitted on the logs h100_{2,4,8}_nccl2.29.2",
    .simple = {0.743_us, 0.753},
    .ll = LinkPace{0.800_us, 0.0317},
    .ll128 = LinkPace{0.858_us, 0.372},
    .nvls = LinkPace{48.6_us, 0.604},
    .pairs = LinkPace{12.9_us, 0.717},
    .ll_pairs = LinkPace{7.03_us, 0.0238},
    .sums = {.channels = 16, .chunk_overhead = {2'215}},
    .launch = 19.3_us,
    .ll_launch = 4.53_us,
    .ll128_launch = 5.42_us,
    .message = kMessage};

constexpr NcclTransport kNvlink4ByChannels =
    with_paces(kNvlink4Alone, {.simple = {1.87_us, 0.758},
                               .ll = {0.625_us, 0.379},
                               .ll128 = {0.93_us, 0.71},
                               .launch = 16.7_us,
                               .ll_launch = 5.00_us,
                               .ll128_launch = 14.0_us,
                               .nvls = LinkPace{7.4_us, 0.713},
                               .chunk_overhead = {22'119}});
constexpr NcclTransport kNvlink4 = with_channels(kNvlink4Alone, kNvlink4ByChannels);

constexpr NcclTransport kNvlink5Alone{
    .name = "nvlink5",
    .summary = "NVLink 5 with NVSwitch and sums in it: B200, B300",
    .source = "fitted on the logs b200_{2,4,8}_nccl2.29.2",
    .simple = {5.22_us, 0.729},
    .ll = LinkPace{1.26_us, 0.0141},
    .ll128 = LinkPace{1.28_us, 0.297},
    .nvls = LinkPace{10.4_us, 0.646},
    .pairs = LinkPace{17.3_us, 0.588},
    .ll_pairs = LinkPace{10.1_us, 0.0202},
    .sums = {.channels = 24, .chunk_overhead = {36'010}},
    .pairs_channel_efficiency = 0.0302,
    .launch = 15.8_us,
    .ll_launch = 7.51_us,
    .ll128_launch = 8.44_us,
    .message = kMessage};

// LL128 starts late on Blackwell: 8 to 256 MiB take 70 us and then 0.58 of the links.
constexpr NcclTransport kNvlink5ByChannels =
    with_paces(kNvlink5Alone, {.simple = {5.44_us, 0.742},
                               .ll = {1.07_us, 0.297},
                               .ll128 = {0.05_us, 0.583},
                               .launch = 16.7_us,
                               .ll_launch = 8.17_us,
                               .ll128_launch = 68.0_us,
                               .nvls = LinkPace{12.8_us, 0.715},
                               .chunk_overhead = {44'645}});
constexpr NcclTransport kNvlink5 = with_channels(kNvlink5Alone, kNvlink5ByChannels);

constexpr NcclTransport kNvlink5RackAlone{
    .name = "nvlink5_rack",
    .summary = "NVLink 5 through the switches of a rack, 72 GPUs: GB200, GB300",
    .source = "fitted on the logs gb200_{2,4}_nccl2.29.2, gb200_64_xla and gb200_32x2_xla",
    .simple = {1.88_us, 0.747},
    .ll = LinkPace{1.36_us, 0.0145},
    .ll128 = LinkPace{1.35_us, 0.274},
    .nvls = LinkPace{28.6_us, 0.718},
    .pairs = LinkPace{20.1_us, 0.641},
    .ll_pairs = LinkPace{10.7_us, 0.0150},
    .sums = {.channels = 24, .chunk_overhead = {35'630}},
    .pairs_channel_efficiency = 0.0310,
    .ll_pairs_channel_efficiency = 0.0056,
    .launch = 26.0_us,
    .ll_launch = 7.92_us,
    .ll128_launch = 8.61_us,
    .message = kMessage};

constexpr NcclTransport kNvlink5RackByChannels =
    with_paces(kNvlink5RackAlone, {.simple = {3.87_us, 0.774},
                                   .ll = {1.20_us, 0.339},
                                   .ll128 = {0.05_us, 0.583},
                                   .launch = 21.1_us,
                                   .ll_launch = 8.46_us,
                                   .ll128_launch = 74.0_us,
                                   .nvls = LinkPace{33.5_us, 0.677},
                                   .chunk_overhead = {32'613}});
constexpr NcclTransport kNvlink5Rack = with_channels(kNvlink5RackAlone, kNvlink5RackByChannels);

constexpr const NcclTransport* kInNodes[] = {&kNvlink2, &kNvlink3,     &kNvlink4,
                                             &kNvlink5, &kNvlink5Rack, &kPcie};

}  // namespace

std::span<const NcclTransport* const> nvlink_transports() { return kInNodes; }

}  // namespace sim
