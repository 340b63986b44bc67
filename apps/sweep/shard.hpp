// Shards: the K-th of N equal parts of a sweep, so that N machines do it together.
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
// That of the task of a job array that Slurm says we are; none outside one. Throws InputError where
// the array's tasks have gaps, which are then no numbering of parts.
[[nodiscard]] std::optional<Shard> slurm_shard();

// The cores that this process may use: those of the task, where Slurm says how many.
[[nodiscard]] int usable_cores();

}  // namespace apps
