// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

constexpr NcclTransport kInfinibandAlone{
    .name = "infiniband",
    .summary = "InfiniBand with GPUDirect RDMA, HDR and NDR",
    .source =
        "fitted on the log azure_nd96asr_v4_2x8 with its efficiency of large buffers; latency by "
        "LL128 published: NCCL 2.30.7, src/graph/tuning.cc, of trees",
    .simple = {20.8_us, 0.938},
    .ll = LinkPace{8.12_us, 0.0020},
    .ll128 = LinkPace{8.5_us, 0.764}};

// With channels by size, as NCCL takes them: LL then has a quarter of the bandwidth, as NCCL's tuner
// rated it up to 2.20.
constexpr NcclTransport kInfinibandByChannels = [] {
  NcclTransport row = kInfinibandAlone;
  row.ll = LinkPace{8.1_us, 0.25};
  return row;
}();
constexpr NcclTransport kInfiniband = with_channels(kInfinibandAlone, kInfinibandByChannels);

// NCCL drives RoCE by the same code as InfiniBand (src/transport/net_ib), on the same adapters. Of a
// packet of 4096 B, RoCE v2 sends 82 B more on the wire and InfiniBand 26: 1.3 % less is left.
constexpr NcclTransport kRoce{.name = "roce",
                              .summary = "RoCE v2 with GPUDirect RDMA",
                              .source = "from infiniband, less 1.3 % for longer headers",
                              .simple = {20.8_us, 0.926},
                              .ll = LinkPace{8.12_us, 0.0020},
                              .ll128 = LinkPace{8.5_us, 0.754}};

// Its NICs are ConnectX-5 on Ethernet.
constexpr NcclTransport kSlingshot10{.name = "slingshot10",
                                     .summary = "Slingshot 10: 100 Gb/s NICs driven as RoCE",
                                     .source = "from roce",
                                     .simple = kRoce.simple,
                                     .ll = kRoce.ll,
                                     .ll128 = kRoce.ll128};

constexpr NcclTransport kSlingshot11{.name = "slingshot11",
                                     .summary = "Slingshot 11: 200 Gb/s NICs by way of libfabric",
                                     .source = "from roce, for lack of a published log",
                                     .simple = kRoce.simple,
                                     .ll = kRoce.ll,
                                     .ll128 = kRoce.ll128};

// kNetworkMessageSource: 0.41 and 0.40 us. Of the other generations of EFA for lack of their own.
constexpr Seconds kEfaMessage = 0.40_us;

// aws-ofi-nccl's SENDRECV, whose order of bytes LL and LL128 cannot rely on: Simple alone.
constexpr NcclTransport kEfav1{
    .name = "efav1",
    .summary = "Amazon's EFA of p4d and p4de",
    .source =
        "latency from 176 us of an all_reduce of 8 B on 2 x 8 A100 (dstackai/dstack pull "
        "request 3865); efficiency from infiniband",
    .simple = {58.7_us, 0.938},
    .message = kEfaMessage};

constexpr NcclTransport kEfav2{
    .name = "efav2",
    .summary = "Amazon's EFA of p5",
    .source =
        "published: aws-ofi-nccl @2daf7d30, src/tuner/nccl_ofi_model.cpp, 20 us a step and 3 us "
        "more by Simple; efficiencies from infiniband",
    .simple = {23.0_us, 0.938},
    .ll = LinkPace{20.0_us, 0.0020},
    .ll128 = LinkPace{20.0_us, 0.764},
    .message = kEfaMessage};

constexpr NcclTransport kEfav3{
    .name = "efav3",
    .summary = "Amazon's EFA of p5en; of p6 too, for lack of figures",
    .source =
        "published: aws-ofi-nccl @2daf7d30, src/tuner/nccl_ofi_model.cpp, 18 us a step and 3 us "
        "more by Simple; efficiencies from infiniband",
    .simple = {21.0_us, 0.938},
    .ll = LinkPace{18.0_us, 0.0020},
    .ll128 = LinkPace{18.0_us, 0.764},
    .message = kEfaMessage};

// Google's settings for it are NCCL_PROTO=Simple.
constexpr NcclTransport kTcpx{
    .name = "tcpx",
    .summary = "GPUDirect-TCPX of Google Cloud's a3-highgpu",
    .source =
        "latency from 627 us of an all_gather of 1 MiB on 2 x 8 H100 (dstackai/dstack pull "
        "request 2587); efficiency from tcpxo",
    .simple = {312_us, 0.941}};

constexpr NcclTransport kTcpxo{.name = "tcpxo",
                               .summary = "GPUDirect-TCPXO of Google Cloud's a3-megagpu",
                               .source = "fitted on the log gcp_a3_mega_2x8",
                               .simple = {51.6_us, 0.941},
                               .ll = LinkPace{38.9_us, 0.296}};

// A full frame of Ethernet carries 1448 B in 1538 B of the line's time: 20 of IP, 32 of TCP with its
// time stamp, 18 of Ethernet, 8 of preamble and 12 of gap (RFC 791, RFC 7323, IEEE 802.3). Headers
// limit slow lines, copies through the host's memory fast ones, whatever the line.
constexpr double kFullFrame = 1448.0 / 1538;

constexpr NcclTransport kTcp{
    .name = "tcp",
    .summary = "TCP sockets through the host's memory",
    .source =
        "latency from 45.8 us of a broadcast of 8 B to one node (NVIDIA/nccl-tests issue 82), "
        "less NCCL's base latency; efficiency: 1448 of 1538 B of a frame; copies: 4 to 6 of 12.5 "
        "GB/s (NVIDIA/nccl issue 450)",
    .simple = {37.4_us, kFullFrame},
    .copy_bandwidth = 5_GBps};

constexpr const NcclTransport* kBetweenNodes[] = {
    &kInfiniband, &kRoce,  &kSlingshot10, &kSlingshot11, &kEfav1,
    &kEfav2,      &kEfav3, &kTcpx,        &kTcpxo,       &kTcp};

}  // namespace

std::span<const NcclTransport* const> network_transports() { return kBetweenNodes; }

}  // namespace sim
