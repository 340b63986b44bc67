// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/shard.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

std::optional<int> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : sim::number_in<int>(text);
}

// The same; one that is no number would run the whole sweep.
std::optional<int> array_variable(const char* name) {
  const char* text = std::getenv(name);
  const std::optional<int> value = variable(name);
  if (text == nullptr || value) return value;
  throw sim::InputError(fmt::format(
      "--shard: {} is '{}', which is not a whole number; name the shard, e.g. --shard 1/4", name,
      sim::printable(text)));
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = sim::number_in<int>(std::string_view(text).substr(0, slash));
  const auto count =
      slash == text.size() ? std::nullopt : sim::number_in<int>(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count) {
    throw sim::InputError(
        fmt::format("--shard: '{}' is not K/N; write e.g. 1/4 for the first of four shards",
                    sim::printable(text)));
  }
  return {*number, *count};
}

std::optional<Shard> slurm_shard() {
  const auto id = array_variable("SLURM_ARRAY_TASK_ID");
  const auto first = array_variable("SLURM_ARRAY_TASK_MIN");
  const auto count = array_variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !first || !count) return std::nullopt;
  const int step = array_variable("SLURM_ARRAY_TASK_STEP").value_or(1);
  const int number = step < 1 ? 0 : (*id - *first) / step + 1;
  if (number >= 1 && number <= *count && (*id - *first) % step == 0) return Shard{number, *count};
  throw sim::InputError(
      fmt::format("--shard: task {} of Slurm's array of {} from {} is not one of 1 to {}, as the "
                  "array is incomplete; name the shard, e.g. --shard {}/N",
                  *id, *count, *first, *count, *id));
}

int slurm_task(int count) {
  const int task = variable("SLURM_ARRAY_TASK_ID").value_or(1);
  return task >= 1 && task <= count ? task : 1;
}

}  // namespace apps
