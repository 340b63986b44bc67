// SPDX-License-Identifier: Apache-2.0
// Comings: members that leave and come back at random, event by event.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/base/mix.hpp"
#include "sim/reliability/membership.hpp"

namespace sim {

class Comings {
 public:
  enum class What { leaves, is_ready, is_back };
  struct Event {
    double time_s;
    What what;
    std::size_t kind;
    int member;  // of the kind
    // Of one that leaves: since when it could take part; infinite if it could not.
    double since_s = 0;
    // Of those that could take part, by kind and number.
    bool is_first = false;
    // It was the last that held the state.
    bool loses_state = false;
  };

  // The same seed gives the same events, which are added to `month` if there is one.
  Comings(const Membership& membership, std::uint64_t seed, Month* month);

  // Infinite where all members stay.
  [[nodiscard]] double next_s() const;
  // What happens next to any member.
  Event take();
  // Members that can take part, by kind.
  [[nodiscard]] const std::vector<int>& ready() const { return ready_; }
  // Adds to the month what has not ended by then.
  void end_month(double now_s);

 private:
  enum class Where { away, loading, ready };
  struct Member {
    Where where = Where::ready;
    double since_s = 0;
    double ready_s = 0, leaves_s = 0;  // of one that loads
  };
  struct Queued {
    double time_s;
    What what;
    std::size_t kind;
    int member;
    bool operator>(const Queued& other) const { return time_s > other.time_s; }
  };

  [[nodiscard]] double draw(double mean_s);
  [[nodiscard]] bool is_held() const;
  [[nodiscard]] bool is_first(std::size_t kind, int member) const;
  [[nodiscard]] Member& at(std::size_t kind, int member) {
    return members_[kind][static_cast<std::size_t>(member)];
  }
  void begin(std::size_t kind, int member);
  void move(const Queued& event, Where where);
  void come_back(const Queued& event);
  void leave(const Queued& event, Event& told);
  void load_until(const Queued& event, double ready_s);
  void load_anew(double now_s);
  void note(std::size_t kind, int number, const Member& member, double end_s);

  const Membership& given_;
  Draws draws_;
  Month* month_;
  std::vector<std::vector<Member>> members_;  // by kind
  std::vector<int> ready_;                    // by kind
  std::priority_queue<Queued, std::vector<Queued>, std::greater<>> queue_;
};

}  // namespace sim
