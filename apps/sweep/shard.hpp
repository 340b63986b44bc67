// SPDX-License-Identifier: Apache-2.0
// The shard of this process, from flags and from Slurm.
#pragma once

#include <optional>
#include <string>

#include "sim/study/sweep/points.hpp"

namespace apps {

using sim::sweep::Shard;

// "K/N". Throws InputError.
[[nodiscard]] Shard parse_shard(const std::string& text);
// The shard of this process's task in a Slurm job array; none outside an array. Throws InputError
// if the array's task numbers have gaps, since they then do not number the parts.
[[nodiscard]] std::optional<Shard> slurm_shard();
// The number of this process's task in its array if it can number one of `count` parts, else 1.
[[nodiscard]] int slurm_task(int count);

}  // namespace apps
