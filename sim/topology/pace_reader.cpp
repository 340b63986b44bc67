// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/pace_reader.hpp"

namespace sim {
namespace {

constexpr IntegerRange kChannels{.lowest = 1, .highest = 1'024};

std::optional<Seconds> read_time(TomlReader& reader, std::string_view key,
                                 std::optional<Seconds> by_transport) {
  if (!reader.has(key)) return by_transport;
  return reader.quantity<Seconds>(key, Zero::allowed);
}

}  // namespace

const NcclTransport* read_transport(TomlReader& reader, std::string_view key,
                                    std::span<const NcclTransport* const> rows) {
  return reader.has(key) ? reader.one_of(key, rows) : nullptr;
}

std::optional<LinkPace> read_pace(TomlReader& reader, const std::string& prefix,
                                  const std::optional<LinkPace>& by_transport, bool needed) {
  const std::string latency = prefix + "latency", efficiency = prefix + "efficiency";
  const bool given = reader.has(latency) || reader.has(efficiency);
  if (!by_transport && !given && !needed) return std::nullopt;
  LinkPace pace = by_transport.value_or(LinkPace{});
  if (!by_transport || reader.has(latency)) {
    pace.latency = reader.quantity<Seconds>(latency, Zero::allowed);
  }
  if (!by_transport || reader.has(efficiency)) pace.efficiency = reader.number(efficiency, kShare);
  return pace;
}

std::optional<LinkPace> simple_pace(const NcclTransport* transport) {
  if (transport == nullptr) return std::nullopt;
  return transport->simple;
}

SwitchSums read_switch_sums(TomlReader& reader, const NcclTransport* transport) {
  SwitchSums sums = transport == nullptr ? SwitchSums{} : transport->sums;
  if (reader.has("nvlink.nvls_channels")) {
    sums.channels = static_cast<int>(reader.integer("nvlink.nvls_channels", kChannels));
  }
  if (reader.has("nvlink.nvls_chunk_overhead")) {
    sums.chunk_overhead = reader.quantity<Bytes>("nvlink.nvls_chunk_overhead", Zero::allowed);
  }
  return sums;
}

std::optional<double> read_optional_efficiency(TomlReader& reader, std::string_view key,
                                               const std::optional<double>& by_transport) {
  if (reader.has(key)) return reader.number(key, kShare);
  return by_transport;
}

Collectives read_collectives(TomlReader& reader, const NcclTransport* nvlink) {
  constexpr EnumName<const CollectiveAlgorithm*> kAlgorithms[] = {
      {"auto", nullptr},
      {"ring", &algorithms::ring},
      {"tree", &algorithms::tree},
      {"nvls", &algorithms::nvls},
      {"nvls_tree", &algorithms::nvls_tree},
      {"sharp", &algorithms::sharp},
      {"pat", &algorithms::pat},
      {"recursive", &algorithms::recursive},
      {"hierarchical", &algorithms::hierarchical},
      {"pairwise", &algorithms::pairwise},
      {"rail", &algorithms::rail},
      {"copy_engine", &algorithms::copy_engine}};
  const auto launch = [&](const char* key, std::optional<Seconds> NcclTransport::*value) {
    return read_time(reader, key, of(nvlink, value));
  };
  Collectives collectives{
      .channels = static_cast<int>(reader.integer("collectives.channels", kChannels)),
      .launch = {},
      .ll_launch = launch("collectives.ll_launch", &NcclTransport::ll_launch),
      .ll128_launch = launch("collectives.ll128_launch", &NcclTransport::ll128_launch),
      .message = launch("collectives.message", &NcclTransport::message).value_or(Seconds())};
  const auto simple = of(nvlink, &NcclTransport::launch);
  // Without the table [nvlink] it is not known whether the key is missing.
  const bool known = reader.is_good("nvlink.kind") || !reader.is_good("collectives.channels");
  const bool needed = !simple && known;
  if (needed || reader.has("collectives.launch")) {
    collectives.launch = reader.quantity<Seconds>("collectives.launch", Zero::allowed);
  } else {
    collectives.launch = simple.value_or(Seconds());
  }
  if (reader.has("collectives.algorithm")) {
    collectives.algorithm =
        reader.one_of<const CollectiveAlgorithm*>("collectives.algorithm", kAlgorithms);
  }
  if (reader.has("collectives.protocol")) {
    collectives.protocol =
        reader.one_of<std::optional<Protocol>>("collectives.protocol", kProtocolNames);
  }
  return collectives;
}

}  // namespace sim
