// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/pace_reader.hpp"

namespace sim {
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

}  // namespace sim
