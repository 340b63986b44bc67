// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_version.hpp"

namespace sim {

namespace {

// Of "2.26.2" and "2.26.2+cuda12.2", "2.26".
std::string_view without_patch(std::string_view text) {
  std::size_t end = text.find('.');
  if (end != std::string_view::npos) end = text.find_first_not_of("0123456789", end + 1);
  const bool has_patch = end != std::string_view::npos && (text[end] == '.' || text[end] == '+');
  return has_patch ? text.substr(0, end) : text;
}

}  // namespace

std::optional<NcclVersion> nccl_named(std::string_view text, std::string_view place) {
  return chosen(place, without_patch(text), kNcclNames);
}

NcclVersion nccl_or_newest(std::string_view text) {
  const std::span<const EnumName<std::optional<NcclVersion>>> names = kNcclNames;
  return value_named(without_patch(text), names).value_or(kNewestNccl).value_or(kNewestNccl);
}

}  // namespace sim
