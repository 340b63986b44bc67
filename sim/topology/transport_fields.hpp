// SPDX-License-Identifier: Apache-2.0
// The key `transport` of [nvlink] and [network]: what it gives is usual for the keys after it.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/fields.hpp"
#include "sim/topology/nccl_transports.hpp"

namespace sim {

void drive(const NcclTransport& transport, Nvlink& nvlink);
void drive(const NcclTransport& transport, Network& network);
// By the transport of [nvlink].
void drive(const NcclTransport& transport, Collectives& collectives);

// No member: it sets others.
template <class T, auto& transports>
constexpr Field<T> transport_field(std::string_view meaning) {
  return {.name = "transport",
          .usual = left_out("none"),
          .meaning = meaning,
          .value = [](const NumberRange&) { return field_values::one_of(transports()); },
          .read = [](TomlReader& reader, std::string_view key, const Field<T>&,
                     T& into) { drive(*reader.one_of(key, transports()), into); },
          .write = [](const T&, const NumberRange&) { return std::string(); },
          .presets = true};
}

}  // namespace sim
