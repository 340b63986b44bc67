// SPDX-License-Identifier: Apache-2.0
#include "apps/search/set_flag.hpp"

#include <fmt/format.h>

namespace apps {

std::string set_flag(std::string_view key, sim::Bandwidth value) {
  return fmt::format("--set {}={:.6g}Gbps", key, value.base() * 8 / 1e9);
}

std::string set_flag(std::string_view key, sim::Seconds value) {
  return fmt::format("--set {}={:.6g}us", key, value.base() * 1e6);
}

std::string set_flag(std::string_view key, sim::FlopRate value) {
  return fmt::format("--set {}={:.6g}TFLOPs", key, value.base() / 1e12);
}

std::string set_flag(std::string_view key, double value) {
  return fmt::format("--set {}={:.6g}", key, value);
}

}  // namespace apps
