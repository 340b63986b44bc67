// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/csv.hpp"
#include "sim/validation/training.hpp"

namespace sim::validation {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// The run of that id in training.csv.
void take_run(const std::vector<TrainingRow>& runs, const CsvRow& line, MemoryRow& row) {
  const auto found = std::ranges::find(runs, row.id, &TrainingRow::id);
  if (found == runs.end()) {
    line.fail(fmt::format("id: '{}' is no run of training.csv; write its topology", row.id));
  }
  row.topology = found->topology;
  row.model = found->model;
  row.flags = found->flags;
}

// torchtitan prints max_memory_reserved().
MemoryRow torchtitans(const std::vector<TrainingRow>& runs, const CsvRow& line) {
  MemoryRow row{.id = fmt::format("titan_fsdp/8b_{}/{}", line.text("variant"), line.text("gpus")),
                .reserved = true,
                .published_bytes = line.number("peak_memory_gib") * kGibibyte};
  take_run(runs, line, row);
  return row;
}

MemoryRow row_of(const std::vector<TrainingRow>& runs, const CsvRow& line) {
  const std::string counted = line.text("counted");
  if (counted != "allocated" && counted != "reserved") {
    line.fail("counted: is neither allocated nor reserved");
  }
  MemoryRow row{.id = line.text("id"),
                .topology = line.text("topology"),
                .model = line.text("model"),
                .flags = line.text("flags"),
                .reserved = counted == "reserved",
                .published_bytes = line.number("peak_gib") * kGibibyte};
  if (row.topology.empty()) take_run(runs, line, row);
  return row;
}

}  // namespace

std::vector<MemoryRow> read_memory_rows(const std::filesystem::path& folder) {
  const std::vector<TrainingRow> runs = read_training(folder);
  const std::filesystem::path published = folder / "traces" / "published";
  std::vector<MemoryRow> rows;
  for (const CsvRow& line : read_csv(published / "fsdp_h100_torchtitan.csv")) {
    rows.push_back(torchtitans(runs, line));
  }
  for (const CsvRow& line : read_csv(published / "memory.csv")) rows.push_back(row_of(runs, line));
  return rows;
}

double counted_bytes(const MemoryRow& row, const MemoryUse& use) {
  return row.reserved ? use.reserved() : use.allocated();
}

}  // namespace sim::validation
