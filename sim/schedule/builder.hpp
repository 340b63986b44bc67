// SPDX-License-Identifier: Apache-2.0
// ScheduleBuilder: appends operations, keeps each rank's streams in order, and refuses any
// dependency on a later operation.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/schedule/schedule.hpp"

namespace sim {

using OperationId = std::uint32_t;
inline constexpr OperationId kNoOperation = UINT32_MAX;

class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(int ranks);  // each stands for itself
  explicit ScheduleBuilder(std::vector<std::vector<int>> alike);

  // One kernel, or several consecutive ones, on a rank's GPU. It starts after the stream's last
  // operation and `after` (kNoOperation is skipped). If `seconds` is 0, returns the stream's last
  // operation.
  OperationId work(int rank, Stream stream, Phase phase, std::string_view label, double seconds,
                   std::span<const KernelPart> parts, std::span<const OperationId> after = {},
                   Pass pass = Pass::none);
  OperationId work(int rank, Stream stream, Phase phase, std::string_view label, double seconds,
                   double memory_share, std::span<const OperationId> after = {},
                   Pass pass = Pass::none) {
    const KernelPart whole{1, memory_share};
    return work(rank, stream, phase, label, seconds, {&whole, 1}, after, pass);
  }

  // The same on the rank's host, where it takes nothing of the GPU.
  OperationId host_work(int rank, Stream stream, Phase phase, std::string_view label,
                        double seconds, std::span<const OperationId> after);

  // The rank's host is busy for `seconds`, after its last operation and `after`.
  OperationId host(int rank, std::string_view label, double seconds,
                   std::span<const OperationId> after = {}, Phase phase = Phase::none);

  // Activations over the GPU's link to its host, in the direction of the stream.
  OperationId copy(int rank, Stream stream, std::string_view label, double seconds,
                   std::span<const OperationId> after);

  // Bytes over a route, starting once every operation of `after` has ended.
  OperationId flow(std::uint32_t route, std::uint32_t occupancy, Phase phase,
                   std::string_view label, double latency_s, double bytes,
                   std::span<const OperationId> after) {
    return flow(route, occupancy, phase, label, {.before_s = latency_s}, bytes, after);
  }
  struct Latency {
    double before_s = 0;      // until the first byte moves
    double on_the_way_s = 0;  // Operation::latency_on_the_way_s
  };
  OperationId flow(std::uint32_t route, std::uint32_t occupancy, Phase phase,
                   std::string_view label, const Latency& latency, double bytes,
                   std::span<const OperationId> after);

  // The flow ends when the operation does, if it has not ended before.
  void give_up(OperationId flow, OperationId when);

  OperationId barrier(std::span<const OperationId> after);

  // The begin and the end of a collective that takes `occupancy`.
  OperationId acquire(std::uint32_t occupancy, std::span<const OperationId> after);
  OperationId release(std::uint32_t occupancy, std::span<const OperationId> after);

  // A rank's part in a collective that ends with `end`. The rank arrives when its stream's last
  // operation and `after` have ended, and holds the stream from then on.
  OperationId member(int rank, Stream stream, Phase phase, std::string_view label,
                     std::span<const OperationId> after, OperationId end);

  // The last operation of a rank's stream, or kNoOperation.
  [[nodiscard]] OperationId last(int rank, Stream stream) const;

  std::uint32_t add_route(Route route);  // sorts the hops; an equal route is reused
  std::uint32_t add_own_route(Route route);
  std::uint32_t add_occupancy(Occupancy occupancy);
  // One that takes such a share of the SMs that the whole takes; the same for the same share.
  std::uint32_t part_of(std::uint32_t whole, double share);
  // What is added until the next call is of the period of the stage's order, or of none (-1).
  void begin_period(int stage, int period);
  void leave_out(int periods) { schedule_.left_out = periods; }
  // Operation::times of what is added now.
  [[nodiscard]] std::uint32_t times() const { return times_; }
  // For Schedule::unfolded_flows and Schedule::approximate.
  void count_unfolded(double flows) { schedule_.unfolded_flows += flows * times_; }
  void note_approximate() { schedule_.approximate = true; }
  // A number unique among this schedule's communicators.
  std::int32_t add_communicator() { return ++communicators_; }

  // Room for so many operations at once; more may come.
  void expect(std::size_t operations);

  [[nodiscard]] int ranks() const { return schedule_.ranks; }
  // Schedule::alike.
  [[nodiscard]] std::span<const int> alike(int rank) const {
    return schedule_.alike[static_cast<std::size_t>(rank)];
  }
  void set_host_issue(double seconds) { schedule_.host_issue_s = seconds; }
  [[nodiscard]] Schedule finish() &&;

 private:
  OperationId beside_gpu(int rank, Stream stream, Phase phase, std::string_view label,
                         double seconds, std::span<const OperationId> after);
  OperationId append(Operation operation, std::span<const OperationId> after,
                     OperationId stream_last, OperationId end);
  std::uint32_t label(std::string_view text);
  std::uint32_t parts_of(std::span<const KernelPart> parts);
  OperationId& last_slot(int rank, Stream stream);

  Schedule schedule_;
  std::vector<OperationId> last_;  // by rank, then stream
  std::map<std::string, std::uint32_t, std::less<>> label_index_;
  std::uint32_t last_label_ = 0;
  std::map<std::vector<KernelPart>, std::uint32_t> parts_index_;
  std::uint32_t last_parts_ = 0;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> parts_of_occupancies_;
  std::map<std::vector<Hop>, std::vector<std::uint32_t>> route_index_;
  std::int32_t communicators_ = 0;
  std::uint32_t times_ = 1;
  bool in_period_ = false;
};

}  // namespace sim
