// SPDX-License-Identifier: Apache-2.0
// Reads what protocols reach from a cluster file: its own keys, or those of the transport it names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/toml_reader.hpp"
#include "sim/topology/nccl_transports.hpp"

namespace sim {

// Of [nvlink] or [network]; null if the file names none.
[[nodiscard]] const NcclTransport* read_transport(TomlReader& reader, std::string_view key,
                                                  std::span<const NcclTransport* const> rows);

// The keys PREFIXlatency and PREFIXefficiency, either of which may be the transport's. Nothing if
// neither is known, which is an error where they are needed.
[[nodiscard]] std::optional<LinkPace> read_pace(TomlReader& reader, const std::string& prefix,
                                                const std::optional<LinkPace>& by_transport,
                                                bool needed);

// A transport's value; nothing without one.
template <class Value>
[[nodiscard]] std::optional<Value> of(const NcclTransport* transport,
                                      std::optional<Value> NcclTransport::*value) {
  return transport == nullptr ? std::nullopt : transport->*value;
}
[[nodiscard]] std::optional<LinkPace> simple_pace(const NcclTransport* transport);

}  // namespace sim
