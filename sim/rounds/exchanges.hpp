// Exchanges: one exchange between sites as operations. Each site's exchanges follow one another, as
// collectives do on a stream.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "sim/rounds/plan_round.hpp"
#include "sim/schedule/wide_area_wiring.hpp"

namespace sim {

class Exchanges {
 public:
  using Ids = std::vector<OperationId>;

  Exchanges(const WideArea& area, const RoundShape& shape, ScheduleBuilder& builder);

  // One exchange of `share` of each site's bytes. `encoded` is by place: what its sending waits
  // for. Returns, by place, when its result is there to be decoded; kNoOperation where it has none.
  Ids run(int round, const Ids& encoded, double share);
  // Of the last exchange; see RoundPlan::arrivals.
  [[nodiscard]] const std::vector<Ids>& arrivals() const { return arrivals_; }
  [[nodiscard]] Fate fate(int place) const {
    return shape_.fates.empty() ? Fate::heard : shape_.fates[static_cast<std::size_t>(place)];
  }
  // Ends so many seconds after the start.
  OperationId timer(double seconds);

 private:
  [[nodiscard]] const SiteWork& site(int place) const {
    return shape_.sites[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] bool heard(int place) const { return fate(place) == Fate::heard; }

  Ids alone(const Ids& encoded);
  Ids ring(const Ids& encoded, double share);
  Ids all_to_all(const Ids& encoded, double share);
  Ids all_gather(const Ids& encoded, double share);
  Ids store(const Ids& encoded, double share);
  Ids pair(int round, const Ids& encoded, double share);
  Ids leader(const Ids& encoded, double share);

  // Bytes from one place to another, the `peers` -th part of what the source's GPUs do meanwhile.
  OperationId send(int source, int destination, double bytes, int peers, const Ids& after);
  // The flow of each place follows its stream and what it waits for.
  [[nodiscard]] Ids ready(int place, OperationId waits_for) const;
  OperationId member(int place, std::string_view label, OperationId waits_for, const Ids& ends);
  // Of all that came in for each place, or of the cutoff.
  Ids received(const Ids& encoded, std::vector<Ids> incoming, std::string_view label);
  OperationId sum(int place, OperationId received, double share);
  std::uint32_t occupancy(std::span<const int> places, int flows);
  OperationId cutoff();

  const WideArea& area_;
  const RoundShape& shape_;
  ScheduleBuilder& builder_;
  std::vector<int> heard_;    // places whose share is in the sum
  std::vector<int> present_;  // and those that take the result all the same
  std::vector<Ids> arrivals_;
  OperationId cutoff_ = kNoOperation;
  std::map<std::vector<int>, std::uint32_t> occupancies_;  // by places, then flows
};

}  // namespace sim
