// SPDX-License-Identifier: Apache-2.0
#include "sim/program/exchange_times.hpp"

#include <algorithm>
#include <limits>

#include "sim/collectives/channels.hpp"
#include "sim/program/block_exchange.hpp"
#include "sim/schedule/least_time.hpp"

namespace sim {
namespace {

// By so much of its time a collective step by step may be faster than the folded one.
constexpr double kFolded = 1e-3;

std::vector<const Axis*> exchanging_axes(const Factoring& factoring) {
  std::vector<const Axis*> all;
  for (const Axis* axis : factoring.axes()) {
    if (axis->exchange != nullptr && factoring.size(*axis) > 1) all.push_back(axis);
  }
  return all;
}

// Of each stage the first one.
std::vector<std::vector<int>> groups_of_stages(const Factoring& factoring, const Axis& axis) {
  std::vector<std::vector<int>> firsts;
  std::vector<bool> has(static_cast<std::size_t>(factoring.size(axes::pipeline)));
  for (std::vector<int>& ranks : factoring.groups(axis)) {
    const auto stage =
        static_cast<std::size_t>(factoring.dense().place(ranks.front(), axes::pipeline));
    if (has[stage]) continue;
    has[stage] = true;
    firsts.push_back(std::move(ranks));
  }
  return firsts;
}

}  // namespace

ExchangeTimes::ExchangeTimes(const Cluster& cluster) : cluster_(cluster), topology_(cluster_) {}

ExchangeTimes::Exchange ExchangeTimes::at(const StepSizes& shape, Point point) {
  std::vector<Communication> together;
  const double bytes = bytes_between_layers(shape);
  for (const Axis* axis : exchanging_axes(factoring_of(cluster_, shape.parallelism))) {
    Communication one = axis->exchange->lay_out(shape, point, bytes);
    if (!one.parts.empty()) together.push_back(std::move(one));
  }
  return of(shape, together);
}

ExchangeTimes::Exchange ExchangeTimes::gather_again(const StepSizes& shape) {
  std::vector<Communication> together;
  for (const Axis* axis : exchanging_axes(factoring_of(cluster_, shape.parallelism))) {
    if (axis->exchange->gather_again == nullptr) continue;
    together.push_back(axis->exchange->gather_again(shape, bytes_between_layers(shape)));
  }
  return of(shape, together);
}

// Parts on one stream follow each other.
ExchangeTimes::Exchange ExchangeTimes::of(const StepSizes& shape,
                                          const std::vector<Communication>& together) {
  if (together.empty()) return {};
  const Factoring factoring = factoring_of(cluster_, shape.parallelism);
  Exchange exchange;
  std::map<Stream, double> busy_until;
  for (const Communication& one : together) {
    const auto groups = groups_of_stages(factoring, *one.axis);
    std::vector<double> ends;
    for (const auto& [what, after] : one.parts) {
      double seconds = std::numeric_limits<double>::infinity();
      if (const auto* transfer = std::get_if<Transfer>(&what)) {
        for (const std::vector<int>& ranks : groups) {
          seconds = std::min(seconds, least_s(ranks, *transfer));
          exchange.leaves_nodes |= count_nodes(cluster_, ranks) > 1;
        }
      } else {
        seconds = kernel_seconds(shape.context, std::get<Kernel>(what));
      }
      const Stream stream = std::visit([](const auto& part) { return part.stream; }, what);
      const double ready = after == kAtStart ? 0 : ends[static_cast<std::size_t>(after)];
      double& busy = busy_until[stream];
      ends.push_back(busy = std::max(busy, ready) + seconds);
      exchange.seconds = std::max(exchange.seconds, busy);
    }
  }
  return exchange;
}

double ExchangeTimes::least_s(const std::vector<int>& ranks, const Transfer& transfer) {
  if (ranks.size() < 2 || transfer.bytes <= 0) return 0;
  const Use use(transfer.collective, transfer.algorithm);
  auto group = groups_.find({ranks, use});
  if (group == groups_.end()) {
    group = groups_
                .try_emplace({ranks, use}, topology_, std::vector<std::vector<int>>{ranks},
                             Uses{use}, Detail::folded)
                .first;
  }
  const Order order = order_of(transfer);
  const auto [known, added] = seconds_.try_emplace({&group->second, order});
  if (!added) return known->second;
  const LoneGroups::Alone alone = group->second.run(order, "");
  if (alone.collective.schedule.approximate) return known->second = 0;
  return known->second = (1 - kFolded) * least_time(alone.collective.schedule, alone.wiring).base();
}

}  // namespace sim
