// SPDX-License-Identifier: Apache-2.0
// The ranks that nccl-tests lists under "Using devices", and the machine that they tell of.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace sim::fit {

struct ListedRank {
  int rank = 0;
  std::string host;
  std::optional<int> device;  // its number on the host
};

struct Machine {
  int nodes = 1, gpus_per_node = 0;
};

// From ranks that ascend and end with the last one. Where some are left out, the devices of the others
// must tell how many GPUs each host has. Throws an InputError that begins with `place` if they do not,
// or if hosts differ.
[[nodiscard]] Machine machine_of(std::span<const ListedRank> ranks, const std::string& place);

}  // namespace sim::fit
