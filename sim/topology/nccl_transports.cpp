// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

constexpr Seconds us(double value) { return Seconds::from_base(value * 1e-6); }

constexpr NcclTransport kNvlink3{.name = "nvlink3",
                                 .summary = "NVLink 3 with NVSwitch: A100",
                                 .source = "fitted on the logs a100_{2,4,8}_nccl2.27.3",
                                 .simple = {us(1.86), 0.706},
                                 .ll = LinkPace{us(0.908), 0.0241},
                                 .ll128 = LinkPace{us(0.881), 0.323},
                                 .pairs = LinkPace{us(30.0), 0.706},
                                 .ll_pairs = LinkPace{us(12.8), 0.215},
                                 .launch = us(32.8),
                                 .ll_launch = us(8.10),
                                 .ll128_launch = us(10.9)};

constexpr NcclTransport kNvlink4{.name = "nvlink4",
                                 .summary = "NVLink 4 with NVSwitch and sums in it: H100, H200",
                                 .source = "fitted on the logs h100_{2,4,8}_nccl2.29.2",
                                 .simple = {us(0.743), 0.753},
                                 .ll = LinkPace{us(0.800), 0.0317},
                                 .ll128 = LinkPace{us(0.858), 0.372},
                                 .nvls = LinkPace{us(48.6), 0.604},
                                 .pairs = LinkPace{us(12.9), 0.717},
                                 .ll_pairs = LinkPace{us(7.03), 0.0238},
                                 .sums = {.channels = 16, .chunk_overhead = {2'215}},
                                 .launch = us(19.3),
                                 .ll_launch = us(4.53),
                                 .ll128_launch = us(5.42)};

constexpr NcclTransport kNvlink5{.name = "nvlink5",
                                 .summary = "NVLink 5 with NVSwitch and sums in it: B200, B300",
                                 .source = "fitted on the logs b200_{2,4,8}_nccl2.29.2",
                                 .simple = {us(5.22), 0.729},
                                 .ll = LinkPace{us(1.26), 0.0141},
                                 .ll128 = LinkPace{us(1.28), 0.297},
                                 .nvls = LinkPace{us(10.4), 0.646},
                                 .pairs = LinkPace{us(17.3), 0.588},
                                 .ll_pairs = LinkPace{us(10.1), 0.0202},
                                 .sums = {.channels = 24, .chunk_overhead = {36'010}},
                                 .pairs_channel_efficiency = 0.0302,
                                 .launch = us(15.8),
                                 .ll_launch = us(7.51),
                                 .ll128_launch = us(8.44)};

constexpr NcclTransport kNvlink5Rack{
    .name = "nvlink5_rack",
    .summary = "NVLink 5 through the switches of a rack, 72 GPUs: GB200, GB300",
    .source = "fitted on the logs gb200_{2,4}_nccl2.29.2 and gb200_64_xla",
    .simple = {us(1.88), 0.747},
    .ll = LinkPace{us(1.36), 0.0145},
    .ll128 = LinkPace{us(1.35), 0.274},
    .nvls = LinkPace{us(28.6), 0.718},
    .pairs = LinkPace{us(20.1), 0.641},
    .ll_pairs = LinkPace{us(10.7), 0.0150},
    .sums = {.channels = 24, .chunk_overhead = {35'630}},
    .pairs_channel_efficiency = 0.0310,
    .launch = us(26.0),
    .ll_launch = us(7.92),
    .ll128_launch = us(8.61)};

constexpr NcclTransport kInfiniband{
    .name = "infiniband",
    .summary = "InfiniBand with GPUDirect RDMA; RoCE and Slingshot until there are logs of theirs",
    .source = "fitted on the log azure_nd96asr_v4_2x8 with its efficiency of large buffers",
    .simple = {us(20.8), 0.938},
    .ll = LinkPace{us(8.12), 0.0020},
    .ll128 = LinkPace{us(21.9), 0.764}};

constexpr NcclTransport kTcpxo{.name = "tcpxo",
                               .summary = "GPUDirect-TCPXO of Google Cloud's a3-megagpu",
                               .source = "fitted on the log gcp_a3_mega_2x8",
                               .simple = {us(51.6), 0.941},
                               .ll = LinkPace{us(38.9), 0.296}};

constexpr const NcclTransport* kInNodes[] = {&kNvlink3, &kNvlink4, &kNvlink5, &kNvlink5Rack};
constexpr const NcclTransport* kBetweenNodes[] = {&kInfiniband, &kTcpxo};

}  // namespace

std::optional<Protocol> protocol_named(std::string_view name, std::string_view place) {
  const std::span<const EnumName<std::optional<Protocol>>> names = kProtocolNames;
  const auto found = value_named(name, names);
  if (!found) refuse_name(place, name, names_of(names));
  return *found;
}

std::span<const NcclTransport* const> nvlink_transports() { return kInNodes; }
std::span<const NcclTransport* const> network_transports() { return kBetweenNodes; }

}  // namespace sim
