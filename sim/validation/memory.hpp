// SPDX-License-Identifier: Apache-2.0
// Published peaks of a GPU's memory (traces/published/memory.csv, and torchtitan's in
// fsdp_h100_torchtitan.csv), as runs whose memory is to be predicted.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/workload/memory.hpp"

namespace sim::validation {

struct MemoryRow {
  std::string id;
  std::string topology, model;  // shipped names
  std::string flags;            // of `run`
  bool reserved = false;        // by the allocator; else what it has allocated
  double published_bytes = 0;
};
// From the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<MemoryRow> read_memory_rows(const std::filesystem::path& folder);

// What the row's counter would say.
[[nodiscard]] double counted_bytes(const MemoryRow& row, const MemoryUse& use);

}  // namespace sim::validation
