// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/builder.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {

namespace {

std::vector<std::vector<int>> themselves(int ranks) {
  std::vector<std::vector<int>> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back({rank});
  return all;
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(int ranks) : ScheduleBuilder(themselves(ranks)) {}

ScheduleBuilder::ScheduleBuilder(std::vector<std::vector<int>> alike)
    : last_(alike.size() * kStreams, kNoOperation) {
  schedule_.ranks = static_cast<int>(alike.size());
  schedule_.alike = std::move(alike);
  schedule_.occupancies.emplace_back();
  schedule_.parts.push_back({KernelPart{}});
}

void ScheduleBuilder::expect(std::size_t operations) {
  schedule_.operations.reserve(operations);
  schedule_.dependencies.reserve(2 * operations);
}

OperationId ScheduleBuilder::work(int rank, Stream stream, Phase phase, std::string_view text,
                                  double seconds, std::span<const KernelPart> parts,
                                  std::span<const OperationId> after, Pass pass) {
  OperationId& last = last_slot(rank, stream);
  const bool waits =
      std::any_of(after.begin(), after.end(), [](OperationId id) { return id != kNoOperation; });
  if (seconds == 0 && !waits) return last;
  Operation operation{.kind = OperationKind::work,
                      .phase = phase,
                      .stream = stream,
                      .pass = pass,
                      .parts = parts_of(parts),
                      .rank = rank,
                      .label = label(text),
                      .seconds = seconds};
  return last = append(operation, after, last, kNoOperation);
}

OperationId ScheduleBuilder::host_work(int rank, Stream stream, Phase phase, std::string_view text,
                                       double seconds, std::span<const OperationId> after) {
  const auto before = schedule_.operations.size();
  const OperationId last = work(rank, stream, phase, text, seconds, 0, after);
  if (schedule_.operations.size() > before) schedule_.operations[last].on_host = true;
  return last;
}

OperationId ScheduleBuilder::host(int rank, std::string_view text, double seconds,
                                  std::span<const OperationId> after, Phase phase) {
  return beside_gpu(rank, Stream::host, phase, text, seconds, after);
}

OperationId ScheduleBuilder::copy(int rank, Stream stream, std::string_view text, double seconds,
                                  std::span<const OperationId> after) {
  return beside_gpu(rank, stream, Phase::host_copy, text, seconds, after);
}

OperationId ScheduleBuilder::beside_gpu(int rank, Stream stream, Phase phase, std::string_view text,
                                        double seconds, std::span<const OperationId> after) {
  OperationId& last = last_slot(rank, stream);
  Operation operation{.kind = OperationKind::host,
                      .phase = phase,
                      .stream = stream,
                      .rank = rank,
                      .label = label(text),
                      .seconds = seconds};
  return last = append(operation, after, last, kNoOperation);
}

OperationId ScheduleBuilder::flow(std::uint32_t route, std::uint32_t occupancy, Phase phase,
                                  std::string_view text, const Latency& latency, double bytes,
                                  std::span<const OperationId> after) {
  require(route < schedule_.routes.size(), "a flow's route was added before");
  const bool moves = bytes >= kLeastBytes;
  Operation operation{.kind = OperationKind::flow,
                      .phase = phase,
                      .label = label(text),
                      .route = route,
                      .occupancy = occupancy,
                      .seconds = latency.before_s + (moves ? 0 : latency.on_the_way_s),
                      .bytes = bytes,
                      .latency_on_the_way_s = moves ? latency.on_the_way_s : 0};
  return append(operation, after, kNoOperation, kNoOperation);
}

void ScheduleBuilder::give_up(OperationId flow, OperationId when) {
  require(flow < schedule_.operations.size() && when < schedule_.operations.size() &&
              schedule_.operations[flow].kind == OperationKind::flow,
          "a flow is given up when an operation of its schedule ends");
  schedule_.given_up.push_back({when, flow});
}

void ScheduleBuilder::begin_period(int stage, int period) {
  if (schedule_.left_out == 0) return;
  in_period_ = period >= 0;
  times_ = 1U + (period == kStandsForOthers ? static_cast<std::uint32_t>(schedule_.left_out) : 0U);
  if (!in_period_) return;
  const auto next = static_cast<OperationId>(schedule_.operations.size());
  auto& ranges = schedule_.periods;
  const bool goes_on = !ranges.empty() && ranges.back().end == next &&
                       ranges.back().stage == stage && ranges.back().period == period;
  if (!goes_on) ranges.push_back({stage, period, next, next});
}

Schedule ScheduleBuilder::finish() && {
  std::ranges::sort(schedule_.given_up);
  return std::move(schedule_);
}

OperationId ScheduleBuilder::barrier(std::span<const OperationId> after) {
  return append({}, after, kNoOperation, kNoOperation);
}

OperationId ScheduleBuilder::acquire(std::uint32_t occupancy, std::span<const OperationId> after) {
  return append({.kind = OperationKind::acquire, .occupancy = occupancy}, after, kNoOperation,
                kNoOperation);
}

OperationId ScheduleBuilder::release(std::uint32_t occupancy, std::span<const OperationId> after) {
  return append({.kind = OperationKind::release, .occupancy = occupancy}, after, kNoOperation,
                kNoOperation);
}

OperationId ScheduleBuilder::member(int rank, Stream stream, Phase phase, std::string_view text,
                                    std::span<const OperationId> after, OperationId end) {
  OperationId& last = last_slot(rank, stream);
  Operation operation{.kind = OperationKind::member,
                      .phase = phase,
                      .stream = stream,
                      .rank = rank,
                      .label = label(text)};
  return last = append(operation, after, last, end);
}

OperationId ScheduleBuilder::last(int rank, Stream stream) const {
  return last_[static_cast<std::size_t>(rank) * kStreams + static_cast<std::size_t>(stream)];
}

std::uint32_t ScheduleBuilder::add_route(Route route) {
  std::sort(route.hops.begin(), route.hops.end());
  auto& candidates = route_index_[route.hops];
  for (const std::uint32_t id : candidates) {
    const Route& known = schedule_.routes[id];
    if (known.communicator == route.communicator && known.channels == route.channels) return id;
  }
  candidates.push_back(add_own_route(std::move(route)));
  return candidates.back();
}

std::uint32_t ScheduleBuilder::add_own_route(Route route) {
  schedule_.routes.push_back(std::move(route));
  return static_cast<std::uint32_t>(schedule_.routes.size() - 1);
}

std::uint32_t ScheduleBuilder::add_occupancy(Occupancy occupancy) {
  schedule_.occupancies.push_back(std::move(occupancy));
  return static_cast<std::uint32_t>(schedule_.occupancies.size() - 1);
}

std::uint32_t ScheduleBuilder::part_of(std::uint32_t whole, double share) {
  if (share == 1) return whole;
  const auto [known, is_new] = parts_of_occupancies_.try_emplace({whole, share});
  if (is_new) {
    Occupancy part = schedule_.occupancies[whole];
    part.multiprocessor_share *= share;
    known->second = add_occupancy(std::move(part));
  }
  return known->second;
}

OperationId ScheduleBuilder::append(Operation operation, std::span<const OperationId> after,
                                    OperationId stream_last, OperationId end) {
  const auto id = static_cast<OperationId>(schedule_.operations.size());
  operation.first_dependency = static_cast<std::uint32_t>(schedule_.dependencies.size());
  const auto depend_on = [&](OperationId earlier) {
    if (earlier == kNoOperation) return;
    require(earlier < id, "a dependency is an earlier operation");
    schedule_.dependencies.push_back(earlier);
  };
  depend_on(stream_last);
  for (const OperationId earlier : after) {
    if (earlier != stream_last) depend_on(earlier);
  }
  depend_on(end);
  operation.dependencies =
      static_cast<std::uint32_t>(schedule_.dependencies.size()) - operation.first_dependency;
  operation.times = times_;
  schedule_.operations.push_back(operation);
  if (in_period_) schedule_.periods.back().end = id + 1;
  return id;
}

std::uint32_t ScheduleBuilder::label(std::string_view text) {
  // Ranks are mostly given the same operation one after the other.
  if (last_label_ < schedule_.labels.size() && schedule_.labels[last_label_] == text) {
    return last_label_;
  }
  const auto found = label_index_.find(text);
  if (found != label_index_.end()) return last_label_ = found->second;
  const auto id = static_cast<std::uint32_t>(schedule_.labels.size());
  schedule_.labels.emplace_back(text);
  label_index_.emplace(std::string(text), id);
  return last_label_ = id;
}

std::uint32_t ScheduleBuilder::parts_of(std::span<const KernelPart> parts) {
  // As with labels.
  if (std::ranges::equal(schedule_.parts[last_parts_], parts)) return last_parts_;
  const auto [found, added] =
      parts_index_.try_emplace(std::vector<KernelPart>(parts.begin(), parts.end()),
                               static_cast<std::uint32_t>(schedule_.parts.size()));
  if (added) schedule_.parts.push_back(found->first);
  return last_parts_ = found->second;
}

OperationId& ScheduleBuilder::last_slot(int rank, Stream stream) {
  require(rank >= 0 && rank < schedule_.ranks, "a rank of this schedule");
  return last_[static_cast<std::size_t>(rank) * kStreams + static_cast<std::size_t>(stream)];
}

}  // namespace sim
