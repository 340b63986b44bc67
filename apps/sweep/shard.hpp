// SPDX-License-Identifier: Apache-2.0
// Shards: the K-th of N equal parts of a sweep, so that N machines can share it.
#pragma once

#include <optional>
#include <string>

namespace apps {

struct Shard {
  int number = 1;  // 1 to count
  int count = 1;

  [[nodiscard]] std::string text() const {
    return std::to_string(number) + "/" + std::to_string(count);
  }
};

// "K/N". Throws InputError.
[[nodiscard]] Shard parse_shard(const std::string& text);
// The shard of this process's task in a Slurm job array; none outside an array. Throws InputError
// if the array's task numbers have gaps, since they then do not number the parts.
[[nodiscard]] std::optional<Shard> slurm_shard();

// The cores available to this process: those of the task, if Slurm gives their number.
[[nodiscard]] int usable_cores();

}  // namespace apps
