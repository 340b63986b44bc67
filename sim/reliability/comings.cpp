// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/comings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim {
namespace {

constexpr double kNeverReady = std::numeric_limits<double>::infinity();

}  // namespace

Comings::Comings(const Membership& membership, std::uint64_t seed, Month* month)
    : given_(membership), draws_(seed), month_(month), ready_(membership.kinds.size()) {
  for (const MemberKind& kind : given_.kinds) {
    members_.emplace_back(static_cast<std::size_t>(kind.count));
  }
  for (const std::size_t kind : given_.in_order()) {
    for (int i = 0; i < given_.kinds[kind].count; ++i) begin(kind, i);
  }
}

double Comings::draw(double mean_s) { return -mean_s * std::log(draws_.next()); }

bool Comings::is_held() const {
  return std::ranges::any_of(ready_, [](int count) { return count > 0; });
}

// Of those that are ready.
bool Comings::is_first(std::size_t kind, int member) const {
  std::size_t first = 0;
  while (ready_[first] == 0) ++first;
  if (first != kind) return false;
  const auto ready = [](const Member& one) { return one.where == Where::ready; };
  const std::vector<Member>& own = members_[kind];
  return std::ranges::find_if(own, ready) - own.begin() == member;
}

// As it is after a long time: there, or away.
void Comings::begin(std::size_t kind, int member) {
  const MemberKind& one = given_.kinds[kind];
  if (std::isinf(one.stays_s)) {
    ++ready_[kind];
  } else if (draws_.next() * (one.stays_s + one.away_s) <= one.stays_s) {
    ++ready_[kind];
    queue_.push({draw(one.stays_s), What::leaves, kind, member});
  } else {
    at(kind, member).where = Where::away;
    queue_.push({draw(one.away_s), What::is_back, kind, member});
  }
}

double Comings::next_s() const { return queue_.empty() ? kNeverReady : queue_.top().time_s; }

Comings::Event Comings::take() {
  const Queued event = queue_.top();
  queue_.pop();
  Event told{event.time_s, event.what, event.kind, event.member};
  switch (event.what) {
    case What::is_ready: {
      const Member& member = at(event.kind, event.member);
      // Unless it had to load anew meanwhile.
      if (member.where != Where::loading || member.ready_s != event.time_s) break;
      move(event, Where::ready);
      ++ready_[event.kind];
      break;
    }
    case What::is_back:
      come_back(event);
      break;
    case What::leaves:
      leave(event, told);
      break;
  }
  return told;
}

void Comings::move(const Queued& event, Where where) {
  Member& member = at(event.kind, event.member);
  note(event.kind, event.member, member, event.time_s);
  member.where = where;
  member.since_s = event.time_s;
}

// Loads from those that hold the state, or from the checkpoint.
void Comings::come_back(const Queued& event) {
  const MemberKind& kind = given_.kinds[event.kind];
  const bool from_others = given_.save_every == 0 || is_held();
  move(event, Where::loading);
  at(event.kind, event.member).leaves_s = event.time_s + draw(kind.stays_s);
  load_until(event, event.time_s + (from_others ? kind.joins_s : kind.restores_s));
  queue_.push({at(event.kind, event.member).leaves_s, What::leaves, event.kind, event.member});
}

void Comings::load_until(const Queued& event, double ready_s) {
  Member& member = at(event.kind, event.member);
  member.ready_s = ready_s;
  if (ready_s < member.leaves_s) {
    queue_.push({ready_s, What::is_ready, event.kind, event.member});
  }
}

void Comings::leave(const Queued& event, Event& told) {
  const Member& member = at(event.kind, event.member);
  const bool was_ready = member.where == Where::ready;
  told.since_s = was_ready ? member.since_s : kNeverReady;
  if (was_ready) {
    told.is_first = is_first(event.kind, event.member);
    --ready_[event.kind];
  }
  move(event, Where::away);
  queue_.push({event.time_s + draw(given_.kinds[event.kind].away_s), What::is_back, event.kind,
               event.member});
  told.loses_state = given_.save_every > 0 && was_ready && !is_held();
  if (told.loses_state) load_anew(event.time_s);
}

// What they load from has left: from the checkpoint instead.
void Comings::load_anew(double now_s) {
  for (std::size_t kind = 0; kind < members_.size(); ++kind) {
    for (int i = 0; i < given_.kinds[kind].count; ++i) {
      if (at(kind, i).where != Where::loading) continue;
      load_until({now_s, What::is_back, kind, i}, now_s + given_.kinds[kind].restores_s);
    }
  }
}

void Comings::note(std::size_t kind, int number, const Member& member, double end_s) {
  if (month_ == nullptr) return;
  const char* what = member.where == Where::ready     ? "there"
                     : member.where == Where::loading ? "loading"
                                                      : "away";
  month_->push_back({.start_s = member.since_s,
                     .end_s = end_s,
                     .kind = static_cast<int>(kind),
                     .member = number,
                     .what = what});
}

void Comings::end_month(double now_s) {
  for (std::size_t kind = 0; kind < members_.size(); ++kind) {
    for (int i = 0; i < given_.kinds[kind].count; ++i) note(kind, i, at(kind, i), now_s);
  }
}

}  // namespace sim
