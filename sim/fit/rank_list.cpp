// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/rank_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/error.hpp"

namespace sim::fit {
namespace {

Machine machine_of_all(std::span<const ListedRank> ranks, const std::string& place) {
  std::map<std::string, int> hosts;
  for (const ListedRank& one : ranks) ++hosts[one.host];
  const int gpus = hosts.begin()->second;
  for (const auto& [host, count] : hosts) {
    if (count == gpus) continue;
    throw InputError(
        fmt::format("{}hosts have {} and {} GPUs; run the test on equally many GPUs of each", place,
                    gpus, count));
  }
  return {static_cast<int>(hosts.size()), gpus};
}

// Whether ranks fill one host of `gpus` after the other, each GPU with the device of its number.
bool fill_hosts(std::span<const ListedRank> ranks, int gpus) {
  std::map<int, std::string> hosts;
  std::map<std::string, int> nodes;
  return std::ranges::all_of(ranks, [&](const ListedRank& one) {
    const int node = one.rank / gpus;
    return one.device == one.rank % gpus &&
           hosts.try_emplace(node, one.host).first->second == one.host &&
           nodes.try_emplace(one.host, node).first->second == node;
  });
}

}  // namespace

Machine machine_of(std::span<const ListedRank> ranks, const std::string& place) {
  require(!ranks.empty(), "a list of ranks has ranks");
  const int total = ranks.back().rank + 1;
  if (static_cast<std::size_t>(total) == ranks.size()) return machine_of_all(ranks, place);
  int gpus = 0;
  for (const ListedRank& one : ranks) gpus = std::max(gpus, one.device.value_or(-1) + 1);
  if (gpus == 0 || total % gpus != 0 || !fill_hosts(ranks, gpus)) {
    throw InputError(fmt::format(
        "{}{} of {} ranks are listed, and their devices do not tell how many GPUs each host has; "
        "print all ranks",
        place, ranks.size(), total));
  }
  return {total / gpus, gpus};
}

}  // namespace sim::fit
