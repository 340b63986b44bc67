// SPDX-License-Identifier: Apache-2.0
// Transports as NCCL drives them, a row each: what a generation of NVLink or a kind of network
// reaches by each protocol. A cluster file names one, and may set any of its values itself.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/base/names.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

struct NcclTransport {
  std::string_view name;
  std::string_view summary;
  // Where the values are from. Those fitted on a log of `validate nccl` name it: it does not count.
  std::string_view source;
  LinkPace simple;
  std::optional<LinkPace> ll = {}, ll128 = {};
  std::optional<LinkPace> nvls = {}, pairs = {}, ll_pairs = {};           // of NVLink
  SwitchSums sums = {};                                                   // of NVLink
  std::optional<double> pairs_channel_efficiency = {};                    // of NVLink
  std::optional<double> ll_pairs_channel_efficiency = {};                 // of NVLink
  std::optional<Seconds> launch = {}, ll_launch = {}, ll128_launch = {};  // of NVLink
  // Of NVLink: Collectives::message. Of networks: Network::message.
  std::optional<Seconds> message = {};
  std::optional<Bandwidth> copy_bandwidth = {};  // of networks: Network::copy_bandwidth
  // The same where collectives take channels by size (`collectives.nccl`); null: this one.
  const NcclTransport* by_channels = nullptr;
};

// The row, with that of channels by size.
[[nodiscard]] constexpr NcclTransport with_channels(NcclTransport row,
                                                    const NcclTransport& by_channels) {
  row.by_channels = &by_channels;
  return row;
}

// Where `message` is from, inside a node and between nodes.
inline constexpr std::string_view kMessageSource =
    "fitted on the logs gb200_64_xla and gb200_32x2_xla: 54 us of 63 messages, 21 us of 31";
inline constexpr std::string_view kNetworkMessageSource =
    "verbs between rails of 2 x 8 H100 over EFA (uccl-project/uccl @da914a20, ep/bench/alltoall, "
    "efa_alltoall_results.md): 13.8 GB/s a GPU by 8 KiB and 21.1 by 16, less the bytes at the 43.7 "
    "GB/s of 4 MiB";

// Inside a node, and between nodes.
[[nodiscard]] std::span<const NcclTransport* const> nvlink_transports();
[[nodiscard]] std::span<const NcclTransport* const> network_transports();

// Values of collectives.protocol.
inline constexpr EnumName<std::optional<Protocol>> kProtocolNames[] = {
    {"auto", std::nullopt},
    {"ll", Protocol::ll},
    {"ll128", Protocol::ll128},
    {"simple", Protocol::simple}};

// That of the name. Throws an InputError that begins with `place`.
[[nodiscard]] std::optional<Protocol> protocol_named(std::string_view name, std::string_view place);

}  // namespace sim
