// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "sim/base/error.hpp"

namespace sim::fit {
namespace {

// A group of all GPUs of some nodes, laid out for one collective.
Communicator lay_out(const Topology& topology, ScheduleBuilder& builder, CollectiveKind kind) {
  std::vector<int> ranks(static_cast<std::size_t>(rank_count(topology.cluster())));
  std::iota(ranks.begin(), ranks.end(), 0);
  return make_communicator(topology, builder, std::move(ranks), Detail::folded, {kind});
}

double time_of(const Communicator& group, CollectiveKind kind, double bytes) {
  Order order{.collective = kind, .bytes = bytes, .buffers = Buffers::out_of_place};
  const Choice choice = choose(group, order);
  order.protocol = choice.protocol;
  return choice.laid->estimate(order).value().seconds();
}

}  // namespace

std::vector<double> predicted_s(const Cluster& cluster, std::span<const Log> logs) {
  std::map<std::pair<int, int>, Topology> topologies;
  std::vector<double> times;
  for (const Log& log : logs) {
    const std::pair shape{log.nodes, log.gpus_per_node};
    auto topology = topologies.find(shape);
    if (topology == topologies.end()) {
      topology = topologies.emplace(shape, part_of(cluster, log.nodes, log.gpus_per_node)).first;
    }
    ScheduleBuilder builder(log.gpus());
    const CollectiveKind kind = log.collective->collective;
    const Communicator group = lay_out(topology->second, builder, kind);
    for (const LogTime& time : log.times) times.push_back(time_of(group, kind, time.bytes));
  }
  return times;
}

void check_shape(const Cluster& cluster, const Log& log) {
  if (log.nodes <= cluster.nodes && log.gpus_per_node <= cluster.gpus_per_node) return;
  throw InputError(
      fmt::format("{}: ran on {} {} of {} GPUs, but {} has {} of {}; choose a `topology` of that "
                  "shape",
                  log.name, log.nodes, log.nodes == 1 ? "node" : "nodes", log.gpus_per_node,
                  cluster.name, cluster.nodes, cluster.gpus_per_node));
}

std::vector<double> measured_s(std::span<const Log> logs) {
  std::vector<double> times;
  for (const Log& log : logs) {
    for (const LogTime& time : log.times) times.push_back(time.seconds);
  }
  return times;
}

std::vector<double> bytes_of(std::span<const Log> logs) {
  std::vector<double> bytes;
  for (const Log& log : logs) {
    for (const LogTime& time : log.times) bytes.push_back(time.bytes);
  }
  return bytes;
}

Errors errors_of(std::span<const double> predicted, std::span<const double> measured,
                 std::span<const double> bytes) {
  require(predicted.size() == measured.size() && bytes.size() == measured.size(), "a time each");
  Errors errors{.count = static_cast<int>(
                    std::ranges::count_if(predicted, [](double one) { return one > 0; }))};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (predicted[i] == 0) continue;
    const double error = predicted[i] / measured[i] - 1;
    errors.mean += std::abs(error) / errors.count;
    if (std::abs(error) <= std::abs(errors.worst)) continue;
    errors.worst = error;
    errors.worst_bytes = bytes[i];
  }
  return errors;
}

}  // namespace sim::fit
