// SPDX-License-Identifier: Apache-2.0
// HopMap: values by hop, for groups of many ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "sim/topology/hop.hpp"

namespace sim {

struct HopHash {
  std::size_t operator()(const Hop& hop) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    const auto ranks =
        static_cast<std::uint64_t>(hop.source) << 32 ^ static_cast<std::uint32_t>(hop.destination);
    return ((ranks + static_cast<std::uint16_t>(hop.nic_out)) * kSpread) >> 20;
  }
};

template <class Value>
using HopMap = std::unordered_map<Hop, Value, HopHash>;

}  // namespace sim
