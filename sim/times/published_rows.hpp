// SPDX-License-Identifier: Apache-2.0
// Which row of a table of kernels.toml applies to a GPU.
#pragma once

#include <algorithm>
#include <ranges>
#include <string_view>

#include "sim/topology/cluster.hpp"
#include "sim/topology/compute_efficiency.hpp"

namespace sim {

// The row that names the GPU, else the one that stands for its kind (its narrowest precision), else the first.
template <std::ranges::forward_range Rows>
[[nodiscard]] const auto& row_for(const Rows& rows, const Gpu& gpu) {
  const auto named =
      std::ranges::find_if(rows, [&](const auto& row) { return names_gpu(gpu.name, row.gpus); });
  if (named != std::ranges::end(rows)) return *named;
  const std::string_view kind = gpu.fp4 ? "fp4" : gpu.fp8 ? "fp8" : "older";
  const auto standing = std::ranges::find_if(rows, [&](const auto& row) {
    return std::ranges::find(row.stands_for, kind) != row.stands_for.end();
  });
  return standing == std::ranges::end(rows) ? *std::ranges::begin(rows) : *standing;
}

}  // namespace sim
