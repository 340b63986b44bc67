// SPDX-License-Identifier: Apache-2.0
// Price list: what one pays for GPUs by the hour and for what comes with them, as a file says.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"

namespace sim {

// [gpus.NAME]: an hour of a GPU.
struct GpuPrice {
  std::string gpu;  // a part of gpu.name in the files of clusters, in any case: "H100"
  DollarRate price;
  // Of an instance that may be taken back, the mean time that a node of it is kept, and until there is another.
  std::optional<DollarRate> spot_price = {};
  std::optional<Seconds> spot_kept = {}, spot_wait = {};
};

struct PriceList {
  std::string name;                 // the file's stem
  std::filesystem::path file = {};  // for messages
  std::string as_of;                // of all prices: "November 2026"
  EnergyPrice electricity;          // 0: not counted
  DollarRate storage;               // of all that the job stores; 0: not counted
  double idle = 0;                  // share of the hours paid for in which nothing trains
  std::vector<GpuPrice> gpus;
};

[[nodiscard]] std::span<const TomlKey> price_list_keys();
// Throws an InputError that reports every wrong, missing and unknown key.
[[nodiscard]] PriceList read_price_list(const std::filesystem::path& file);
[[nodiscard]] PriceList parse_price_list(std::string_view text, const std::filesystem::path& file);

// The row whose `gpu` is the longest part of this gpu.name; nullptr if there is none.
[[nodiscard]] const GpuPrice* price_of(const PriceList& prices, std::string_view gpu);

}  // namespace sim
