// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_transports.hpp"

namespace sim {

std::optional<Protocol> protocol_named(std::string_view name, std::string_view place) {
  const std::span<const EnumName<std::optional<Protocol>>> names = kProtocolNames;
  const auto found = value_named(name, names);
  if (!found) refuse_name(place, name, names_of(names));
  return *found;
}

}  // namespace sim
