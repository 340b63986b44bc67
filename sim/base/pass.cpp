// SPDX-License-Identifier: Apache-2.0
#include "sim/base/pass.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sim {
namespace {

// In the order of Pass.
constexpr std::array<std::string_view, 17> kNames{
    "",
    "zero gradients",
    "copy weights",
    "cast weights",
    "unpack weights",
    "keep secondary shard",
    "accumulate gradients",
    "pack gradients",
    "scale gradients",
    "gradient norm",
    "clip",
    "adam",
    "muon momentum",
    "newton-schulz",
    "muon update",
    "fetch weights",
    "copy optimizer state",
};
static_assert(kNames.size() == static_cast<std::size_t>(Pass::copy_optimizer) + 1);

}  // namespace

std::string_view name_of(Pass pass) { return kNames[static_cast<std::size_t>(pass)]; }

std::optional<Pass> pass_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (name.empty() || found == kNames.end()) return {};
  return static_cast<Pass>(found - kNames.begin());
}

}  // namespace sim
