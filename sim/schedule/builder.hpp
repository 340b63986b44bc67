// ScheduleBuilder: appends operations, keeps each rank's streams in order, and refuses a dependency
// that does not point back.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/schedule/schedule.hpp"

namespace sim {

using OperationId = std::uint32_t;
inline constexpr OperationId kNoOperation = UINT32_MAX;

class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(int ranks);

  // A kernel on a rank's GPU, or several that follow each other. It follows what the stream holds
  // and `after` (kNoOperation is skipped). Returns the stream's last operation when `seconds` is 0.
  OperationId work(int rank, Stream stream, Phase phase, std::string_view label, double seconds,
                   std::span<const KernelPart> parts, std::span<const OperationId> after = {});
  OperationId work(int rank, Stream stream, Phase phase, std::string_view label, double seconds,
                   double memory_share, std::span<const OperationId> after = {}) {
    const KernelPart whole{1, memory_share};
    return work(rank, stream, phase, label, seconds, {&whole, 1}, after);
  }

  // Bytes over a route once every operation of `after` has ended.
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

  OperationId barrier(std::span<const OperationId> after);

  // The begin of a collective that takes `occupancy`, and its end.
  OperationId acquire(std::uint32_t occupancy, std::span<const OperationId> after);
  OperationId release(std::uint32_t occupancy, std::span<const OperationId> after);

  // A rank's part in a collective that ends with `end`. It arrived when its stream and `after` had
  // ended, and holds the stream from then on.
  OperationId member(int rank, Stream stream, Phase phase, std::string_view label,
                     std::span<const OperationId> after, OperationId end);

  // The last operation of a rank's stream, or kNoOperation.
  [[nodiscard]] OperationId last(int rank, Stream stream) const;

  std::uint32_t add_route(Route route);  // the hops are sorted; an equal route is found again
  std::uint32_t add_occupancy(Occupancy occupancy);
  // For Schedule::unfolded_flows and Schedule::approximate.
  void count_unfolded(double flows) { schedule_.unfolded_flows += flows; }
  void note_approximate() { schedule_.approximate = true; }
  // A number that no other communicator of this schedule has.
  std::int32_t add_communicator() { return ++communicators_; }

  [[nodiscard]] int ranks() const { return schedule_.ranks; }
  [[nodiscard]] Schedule finish() && { return std::move(schedule_); }

 private:
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
  std::map<std::vector<Hop>, std::vector<std::uint32_t>> route_index_;
  std::int32_t communicators_ = 0;
};

}  // namespace sim
