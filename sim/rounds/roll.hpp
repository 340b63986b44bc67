// SPDX-License-Identifier: Apache-2.0
// Roll: the sites that a round goes on without, of how it went with all of them.
//
//   heard     its values have arrived at the first of the others, in time
//   skipped   they arrive too late
//   gone      it drops out before; or later, while others still need what it sends, which breaks their
//             exchange: its hops of a ring, its sums of an all_to_all, its values for the last receiver.
//             What it has handed in to storage, a syncer, a leader or its partner needs it no more.
//
// The others go on without those that are not heard at the deadline, or when the quorum's grace is over;
// if an exchange breaks later than that, at once. Without either they wait forever.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/rounds/simulate_round.hpp"

namespace sim {

class Roll {
 public:
  Roll(const WideArea& area, const Patience& patience, RoundResult& result)
      : area_(area), patience_(patience), result_(result) {}

  // Of a round that all sites take part in. Returns whether it has to be played again, without some.
  bool call();
  // Of a round that they do not take part in. Returns whether it has to be played again, without those
  // that break its exchange first.
  bool call_again();

 private:
  [[nodiscard]] double arrival(std::size_t place) const;
  [[nodiscard]] std::optional<double> drops_out(std::size_t place) const;
  [[nodiscard]] Fate fate_of(std::size_t place, double arrived) const;
  [[nodiscard]] bool breaks_off(std::size_t place) const;
  // Whether any is heard with whom the others go on.
  void settle();
  [[nodiscard]] const char* what_others_do() const;
  void note(std::size_t place, double arrived);
  void tell(std::size_t place, const std::string& what);

  const WideArea& area_;
  const Patience& patience_;
  RoundResult& result_;
  std::optional<double> limit_;  // when the others go on
  bool goes_on_ = false;         // with those that are heard by then
};

}  // namespace sim
