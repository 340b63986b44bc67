// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/set_field.hpp"

#include <fmt/format.h>

namespace sim::study {

std::string set_field(std::string_view key, Bandwidth value) {
  return fmt::format("`set` {}={:.6g}Gbps", key, value.base() * 8 / 1e9);
}

std::string set_field(std::string_view key, Seconds value) {
  return fmt::format("`set` {}={:.6g}us", key, value.base() * 1e6);
}

std::string set_field(std::string_view key, FlopRate value) {
  return fmt::format("`set` {}={:.6g}TFLOPs", key, value.base() / 1e12);
}

std::string set_field(std::string_view key, double value) {
  return fmt::format("`set` {}={:.6g}", key, value);
}

}  // namespace sim::study
