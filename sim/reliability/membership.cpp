// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/membership.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>

#include "sim/base/mix.hpp"

namespace sim {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

int sum(const std::vector<int>& members) {
  return std::accumulate(members.begin(), members.end(), 0);
}

double contribution(const Membership& membership, const RoundLength& round, std::size_t kind) {
  return round.per_round.empty() ? membership.kinds[kind].per_round : round.per_round[kind];
}

class Rounds {
 public:
  Rounds(const Membership& membership, double span_s, std::uint64_t seed, Month* month)
      : given_(membership),
        end_s_(span_s),
        draws_(seed),
        month_(month),
        ready_(membership.kinds.size()),
        kinds_(membership.kinds.size()) {
    std::iota(kinds_.begin(), kinds_.end(), std::size_t{0});
    for (const std::size_t kind : kinds_) {
      for (int i = 0; i < given_.kinds[kind].count; ++i) begin(kind, i);
    }
  }

  PlayedRounds run() {
    while (now_s_ < end_s_) {
      while (!events_.empty() && events_.top().time_s <= now_s_) take_event();
      if (const auto round = round_of(ready_); !round) {
        wait_for_members();
      } else if (next_s() >= now_s_ + round->round_s) {
        play_quiet(*round);
      } else {
        play_eventful(round);
      }
    }
    if (month_ != nullptr) end_month();
    played_.time_s = now_s_;
    played_.members =
        contributions_ / static_cast<double>(std::max<std::int64_t>(1, played_.rounds));
    return played_;
  }

 private:
  enum class What { leaves, is_ready, is_back };
  struct Event {
    double time_s;
    What what;
    std::size_t kind;
    int member;  // of the kind
    // Of one that leaves: since when it could take part; of one that is back: since when it was away.
    double since_s = 0;
    bool operator>(const Event& other) const { return time_s > other.time_s; }
  };

  [[nodiscard]] double draw(double mean_s) { return -mean_s * std::log(draws_.next()); }

  // As it is after a long time: there, or away.
  void begin(std::size_t kind, int member) {
    const MemberKind& one = given_.kinds[kind];
    if (std::isinf(one.stays_s)) {
      ++ready_[kind];
    } else if (draws_.next() * (one.stays_s + one.away_s) <= one.stays_s) {
      ++ready_[kind];
      events_.push({draw(one.stays_s), What::leaves, kind, member});
    } else {
      events_.push({draw(one.away_s), What::is_back, kind, member});
    }
  }

  [[nodiscard]] double next_s() const { return events_.empty() ? kForever : events_.top().time_s; }

  // Nothing if they are too few, or would never end it.
  [[nodiscard]] std::optional<RoundLength> round_of(const std::vector<int>& members) const {
    if (sum(members) < given_.least) return std::nullopt;
    const RoundLength round = given_.round(members);
    return std::isfinite(round.round_s) ? std::optional(round) : std::nullopt;
  }

  // What happens next to any member. Returns it.
  Event take_event() {
    const Event event = events_.top();
    events_.pop();
    if (month_ != nullptr) note_member(event, event.time_s);
    const MemberKind& kind = given_.kinds[event.kind];
    switch (event.what) {
      case What::is_ready:
        ++ready_[event.kind];
        break;
      case What::is_back: {
        const double ready_s = event.time_s + kind.joins_s;
        const double leaves_s = event.time_s + draw(kind.stays_s);
        if (ready_s < leaves_s) {
          events_.push({ready_s, What::is_ready, event.kind, event.member, ready_s});
        }
        events_.push({leaves_s, What::leaves, event.kind, event.member, ready_s});
        break;
      }
      case What::leaves:
        ++played_.leaves;
        if (event.since_s <= event.time_s) --ready_[event.kind];
        events_.push({event.time_s + draw(kind.away_s), What::is_back, event.kind, event.member,
                      event.time_s});
        break;
    }
    return event;
  }

  void note(const Span& span) {
    if (month_ != nullptr) month_->push_back(span);
  }

  // What the event ends, at that time.
  void note_member(const Event& event, double end_s) {
    const double joins_s = given_.kinds[event.kind].joins_s;
    Span span{.start_s = event.since_s,
              .end_s = end_s,
              .kind = static_cast<int>(event.kind),
              .member = event.member,
              .what = event.what == What::is_back ? "away" : "there"};
    if (event.what == What::is_ready || (event.what == What::leaves && span.start_s > end_s)) {
      span.start_s -= joins_s;
      span.what = "loading";
    }
    month_->push_back(span);
  }

  void end_month() {
    for (const std::size_t kind : kinds_) {
      if (!std::isinf(given_.kinds[kind].stays_s)) continue;
      for (int i = 0; i < given_.kinds[kind].count; ++i) {
        note({0, now_s_, static_cast<int>(kind), i, "there"});
      }
    }
    for (; !events_.empty(); events_.pop()) {
      const Event& event = events_.top();
      // One that loads and will have loaded is to leave, too.
      const bool has_another =
          event.what == What::leaves && event.since_s > now_s_ && event.since_s < event.time_s;
      if (!has_another) note_member(event, now_s_);
    }
  }

  void wait_for_members() {
    const double until_s = std::min(next_s(), end_s_);
    note({.start_s = now_s_, .end_s = until_s, .what = "too few sites"});
    played_.idle_s += until_s - now_s_;
    now_s_ = until_s;
  }

  void end_rounds(const std::vector<int>& members, const RoundLength& round, double rounds) {
    for (const std::size_t kind : kinds_) {
      played_.kept += rounds * members[kind] * contribution(given_, round, kind);
    }
    contributions_ += rounds * sum(members);
    played_.rounds += static_cast<std::int64_t>(rounds);
  }

  void note_rounds(double end_s, const std::vector<int>& members, double rounds) {
    note({.start_s = now_s_,
          .end_s = end_s,
          .what = "rounds",
          .count = static_cast<std::int64_t>(rounds),
          .members = sum(members)});
  }

  // As many rounds as end before anything happens.
  void play_quiet(const RoundLength& round) {
    const double until_s = std::min(next_s(), end_s_);
    const double rounds = std::max(1.0, std::floor((until_s - now_s_) / round.round_s));
    end_rounds(ready_, round, rounds);
    note_rounds(now_s_ + rounds * round.round_s, ready_, rounds);
    now_s_ += rounds * round.round_s;
  }

  // Takes events until `until_s()`, which may move on with each member of the round that leaves, or
  // until the others cannot end it.
  template <class Until, class Leave>
  void take_events(std::vector<int>& members, double start_s,
                   const std::optional<RoundLength>& round, Until until_s, Leave leave) {
    while (round && next_s() < until_s()) {
      const Event event = take_event();
      if (event.what != What::leaves || event.since_s > start_s) continue;
      --members[event.kind];
      played_.lost += given_.kinds[event.kind].per_round;
      leave(event.time_s);
    }
  }

  // A round in which somebody leaves or comes back. What is noted of it is replaced where it is lost.
  void play_eventful(std::optional<RoundLength> round) {
    const double start_s = now_s_;
    std::vector<int>& members = members_ = ready_;
    double noticed_s = 0;
    const auto left = [&](double time_s) {
      const double cutoff_s = start_s + round->cutoff_s;
      noticed_s = std::min(time_s + given_.detection_s, std::max(time_s, cutoff_s));
      round = round_of(members);
    };
    const auto exchange_s = [&] { return std::max(start_s + round->steps_s, noticed_s); };
    take_events(members, start_s, round, exchange_s, left);
    if (!round) return lose(members, noticed_s);
    double begun_s = exchange_s();
    played_.waited_s += begun_s - (start_s + round->steps_s);
    Month apart;  // members' spans have no order among those of rounds
    const auto part = [&](double from_s, double to_s, const char* what) {
      if (month_ == nullptr || from_s >= to_s) return;
      apart.push_back({.start_s = from_s, .end_s = to_s, .what = what});
    };
    part(start_s, start_s + round->steps_s, "steps");
    part(start_s + round->steps_s, begun_s, "waiting");
    const auto end_s = [&] { return begun_s + round->round_s - round->steps_s; };
    take_events(members, start_s, round, end_s, [&](double time_s) {
      left(time_s);
      part(begun_s, time_s, "broken exchange");
      part(std::max(begun_s, time_s), noticed_s, "waiting");
      played_.waited_s += noticed_s - begun_s;
      begun_s = noticed_s;
    });
    if (!round) return lose(members, noticed_s);
    if (noticed_s == 0) {
      note_rounds(end_s(), members, 1);
    } else if (month_ != nullptr) {
      part(begun_s, end_s(), "exchange");
      apart.front().count = 1;
      apart.front().members = sum(members);
      month_->insert(month_->end(), apart.begin(), apart.end());
    }
    now_s_ = end_s();
    end_rounds(members, *round, 1);
  }

  // A round that too few are left to end.
  void lose(const std::vector<int>& members, double until_s) {
    for (const std::size_t kind : kinds_) {
      played_.lost += members[kind] * given_.kinds[kind].per_round;
    }
    note({.start_s = now_s_, .end_s = until_s, .what = "lost round"});
    now_s_ = until_s;
  }

  const Membership& given_;
  double end_s_, now_s_ = 0;
  Draws draws_;
  Month* month_;
  std::vector<int> members_;  // of the round that is played, by kind
  std::vector<int> ready_;    // by kind
  std::vector<std::size_t> kinds_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  PlayedRounds played_;
  double contributions_ = 0;  // members at the ends of rounds, summed over them
};

}  // namespace

PlayedRounds play_rounds(const Membership& membership, double span_s, std::uint64_t seed,
                         Month* month) {
  return Rounds(membership, span_s, seed, month).run();
}

double ready_share(const MemberKind& kind) {
  if (std::isinf(kind.stays_s)) return 1;
  return kind.stays_s * std::exp(-kind.joins_s / kind.stays_s) / (kind.stays_s + kind.away_s);
}

double expected_per_second(const Membership& membership) {
  std::vector<int> members;
  for (const MemberKind& kind : membership.kinds) {
    members.push_back(static_cast<int>(std::lround(kind.count * ready_share(kind))));
  }
  if (sum(members) < std::max(1, membership.least)) return 0;
  const RoundLength round = membership.round(members);
  double kept = 0;
  for (std::size_t i = 0; i < membership.kinds.size(); ++i) {
    const MemberKind& kind = membership.kinds[i];
    const double ends = std::isinf(kind.stays_s) ? 1 : std::exp(-round.round_s / kind.stays_s);
    kept += kind.count * contribution(membership, round, i) * ready_share(kind) * ends;
  }
  return kept / round.round_s;
}

}  // namespace sim
