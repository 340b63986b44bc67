// SPDX-License-Identifier: Apache-2.0
// Exchanges: one exchange between sites as operations. Each site's exchanges run one after another,
// like collectives on a stream.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "sim/rounds/plan_round.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {

class Exchanges {
 public:
  using Ids = std::vector<OperationId>;

  Exchanges(const WideArea& area, const RoundShape& shape, ScheduleBuilder& builder);

  // One exchange of `share` of each site's bytes. `encoded` holds, by place, the operation that its
  // sending waits for. Returns, by place, when its result is ready to be decoded; kNoOperation
  // without a result.
  Ids run(int round, const Ids& encoded, double share);
  // Of the most recent exchange; see RoundPlan::arrivals.
  [[nodiscard]] const std::vector<Ids>& arrivals() const { return arrivals_; }
  [[nodiscard]] Fate fate(int place) const {
    return shape_.fates.empty() ? Fate::heard : shape_.fates[static_cast<std::size_t>(place)];
  }
  // Ends `seconds` after the start.
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

  // Sends bytes from one place to another; `peers` concurrent messages share what sending takes
  // from the source's GPUs.
  OperationId send(int source, int destination, double bytes, int peers, const Ids& after);
  // Each place's flow follows its stream and `waits_for`.
  [[nodiscard]] Ids ready(int place, OperationId waits_for) const;
  OperationId member(int place, std::string_view label, OperationId waits_for, const Ids& ends);
  // Ends once a place has received everything, and after the cutoff if there is one.
  Ids received(const Ids& encoded, std::vector<Ids> incoming, std::string_view label);
  OperationId sum(int place, OperationId received, double share);
  std::uint32_t occupancy(std::span<const int> places, int flows);
  OperationId cutoff();

  const WideArea& area_;
  const RoundShape& shape_;
  ScheduleBuilder& builder_;
  std::vector<int> heard_;    // places whose share is in the sum
  std::vector<int> present_;  // those, and the places that still take the result
  std::vector<Ids> arrivals_;
  OperationId cutoff_ = kNoOperation;
  std::map<std::vector<int>, std::uint32_t> occupancies_;  // by places, then flows
};

}  // namespace sim
