// SPDX-License-Identifier: Apache-2.0
// Rounds one after another: those between two events at once, and those in which something happens
// event by event.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "sim/reliability/comings.hpp"
#include "sim/reliability/membership.hpp"

namespace sim {
namespace {

int total(const std::vector<int>& members) {
  return std::accumulate(members.begin(), members.end(), 0);
}

class Rounds {
 public:
  Rounds(const Membership& membership, double span_s, std::uint64_t seed, Month* month)
      : given_(membership),
        end_s_(span_s),
        month_(month),
        comings_(membership, seed, month),
        kinds_(membership.kinds.size()) {
    std::iota(kinds_.begin(), kinds_.end(), std::size_t{0});
    played_.saves.resize(kinds_.size());
  }

  PlayedRounds run() {
    while (now_s_ < end_s_) {
      while (comings_.next_s() <= now_s_) take_event();
      if (given_.save_every > 0 && unsaved_rounds_ >= given_.save_every) {
        save();
      } else if (const auto round = round_of(comings_.ready()); !round) {
        wait_for_members();
      } else if (comings_.next_s() >= now_s_ + round->round_s) {
        play_quiet(*round);
      } else {
        play_eventful(round);
      }
    }
    if (month_ != nullptr) comings_.end_month(now_s_);
    played_.time_s = now_s_;
    const auto rounds = static_cast<double>(std::max<std::int64_t>(1, played_.rounds));
    played_.members /= rounds;
    played_.heard /= rounds;
    return played_;
  }

 private:
  using Event = Comings::Event;

  Event take_event() {
    const Event event = comings_.take();
    end_writing(event.time_s);
    if (event.what == Comings::What::leaves) ++played_.leaves;
    if (event.loses_state) go_back();
    return event;
  }

  // To the last checkpoint.
  void go_back() {
    played_.kept -= unsaved_;
    played_.undone += unsaved_;
    unsaved_ = 0;
    unsaved_rounds_ = 0;
    writing_.reset();
  }

  // One member writes, once the checkpoint before is written.
  void save() {
    wait_for_writing();
    if (unsaved_rounds_ == 0) return;  // all that held them have left
    begin_writing(saving_kind(given_, comings_.ready()));
    if (!given_.saves_beside) wait_for_writing();
  }

  void begin_writing(std::size_t kind) {
    writing_ = {.kind = kind, .ends_s = now_s_ + given_.kinds[kind].saves_s, .of = unsaved_};
    unsaved_rounds_ = 0;
  }

  void end_writing(double by_s) {
    if (!writing_ || writing_->ends_s > by_s) return;
    ++played_.saves[writing_->kind];
    unsaved_ -= writing_->of;
    writing_.reset();
  }

  // Until it has ended, or all that hold the state have left.
  void wait_for_writing() {
    if (!writing_) return;
    const double start_s = now_s_;
    now_s_ = std::max(now_s_, writing_->ends_s);
    while (writing_ && comings_.next_s() < now_s_) {
      const Event event = take_event();
      if (event.loses_state) now_s_ = event.time_s;
    }
    end_writing(now_s_);
    note({.start_s = start_s, .end_s = now_s_, .what = "checkpoint"});
    played_.saved_s += now_s_ - start_s;
  }

  // Nothing if they are too few, or would never end it.
  [[nodiscard]] std::optional<RoundLength> round_of(const std::vector<int>& members) const {
    if (total(members) < given_.least) return std::nullopt;
    const RoundLength round = given_.round(members);
    return std::isfinite(round.round_s) ? std::optional(round) : std::nullopt;
  }

  void note(const Span& span) {
    if (month_ != nullptr) month_->push_back(span);
  }

  void wait_for_members() {
    const double until_s = std::min(comings_.next_s(), end_s_);
    note({.start_s = now_s_, .end_s = until_s, .what = "too few sites"});
    played_.idle_s += until_s - now_s_;
    now_s_ = until_s;
  }

  void end_rounds(const std::vector<int>& members, const RoundLength& round, double rounds) {
    for (const std::size_t kind : kinds_) {
      const double each = round.of_each(given_.kinds[kind], kind);
      const double added = rounds * members[kind] * each;
      played_.kept += added;
      unsaved_ += added;
      if (each > 0) played_.heard += rounds * members[kind];
    }
    unsaved_rounds_ += static_cast<std::int64_t>(rounds);
    played_.members += rounds * total(members);
    played_.rounds += static_cast<std::int64_t>(rounds);
  }

  void note_rounds(double start_s, double end_s, const std::vector<int>& members, double rounds) {
    note({.start_s = start_s,
          .end_s = end_s,
          .what = "rounds",
          .count = static_cast<std::int64_t>(rounds),
          .members = total(members)});
  }

  // As many rounds, with a checkpoint after each `save_every`, as end before anything happens. Returns
  // whether any do. Beside rounds, from the moment on at which one begins to be written like those after.
  bool play_saved(const RoundLength& round, double until_s) {
    if (given_.save_every == 0 || unsaved_rounds_ > 0) return false;
    const bool beside = given_.saves_beside;
    const std::size_t kind = saving_kind(given_, comings_.ready());
    const double saves_s = given_.kinds[kind].saves_s;
    if (beside && (!writing_ || writing_->kind != kind || writing_->ends_s != now_s_ + saves_s)) {
      return false;
    }
    const double rounds_s = given_.save_every * round.round_s;
    const double waits_s = beside ? std::max(0.0, saves_s - rounds_s) : saves_s;
    const double times = std::floor((until_s - now_s_) / (rounds_s + waits_s));
    if (times < 1) return false;
    end_rounds(comings_.ready(), round, times * given_.save_every);
    played_.saved_s += times * waits_s;
    played_.saves[kind] += times;
    for (double time = 0; time < times && month_ != nullptr; ++time) {
      const double begun_s = now_s_ + time * (rounds_s + waits_s), ended_s = begun_s + rounds_s;
      note_rounds(begun_s, ended_s, comings_.ready(), given_.save_every);
      note({.start_s = ended_s, .end_s = ended_s + waits_s, .what = "checkpoint"});
    }
    now_s_ += times * (rounds_s + waits_s);
    unsaved_ = beside ? (unsaved_ - writing_->of) / times : 0;
    if (beside) begin_writing(kind);
    unsaved_rounds_ = 0;
    return true;
  }

  // As many rounds as end before anything happens.
  void play_quiet(const RoundLength& round) {
    const double until_s = std::min(comings_.next_s(), end_s_);
    if (play_saved(round, until_s)) return;
    double rounds = std::max(1.0, std::floor((until_s - now_s_) / round.round_s));
    if (given_.save_every > 0) {
      rounds = std::min(rounds, static_cast<double>(given_.save_every - unsaved_rounds_));
    }
    end_rounds(comings_.ready(), round, rounds);
    note_rounds(now_s_, now_s_ + rounds * round.round_s, comings_.ready(), rounds);
    now_s_ += rounds * round.round_s;
  }

  // A member of the round that leaves before it counts. Returns when the others no longer wait for it: at
  // once if there are none.
  double miss(const Event& event, double start_s, const RoundLength& round,
              std::vector<int>& members) {
    --members[event.kind];
    played_.lost += given_.kinds[event.kind].per_round;
    if (total(members) == 0) return event.time_s;
    return std::min(event.time_s + given_.detection_s,
                    std::max(event.time_s, start_s + round.cutoff_s));
  }

  struct Part {
    double start_s, end_s;
    const char* what;
  };
  // Of a round that was ended by so many.
  void note_parts(const std::vector<int>& members, const std::vector<Part>& parts) {
    if (month_ == nullptr) return;
    const std::size_t first = month_->size();
    for (const Part& part : parts) {
      if (part.start_s >= part.end_s) continue;
      month_->push_back({.start_s = part.start_s, .end_s = part.end_s, .what = part.what});
    }
    (*month_)[first].count = 1;
    (*month_)[first].members = total(members);
  }

  // A round in which somebody leaves or comes back. Where members hand in their values, the others
  // exchange while they wait for those that have left before.
  void play_eventful(std::optional<RoundLength> round) {
    const double start_s = now_s_;
    const bool hand_in = std::isfinite(round->handed_in_s);
    std::vector<int>& members = members_ = comings_.ready();
    int there = total(members);  // of them, those that have not left
    double noticed_s = 0, anew_s = 0;
    std::vector<Part> broken;
    const auto begun_s = [&] { return std::max(start_s + round->steps_s, anew_s); };
    const auto ended_s = [&] { return begun_s() + round->round_s - round->steps_s; };
    while (round && comings_.next_s() < std::max(ended_s(), noticed_s)) {
      const Event event = take_event();
      if (event.what != Comings::What::leaves || event.since_s > start_s) continue;
      if (--there == 0) return lose(members, event.time_s);
      const double exchanges_s = event.time_s - begun_s();
      const bool breaks = exchanges_s > 0 && (!hand_in || (given_.is_led && event.is_first));
      if (!breaks && hand_in && exchanges_s >= round->handed_in_s - round->steps_s) continue;
      if (breaks) broken.push_back({begun_s(), event.time_s, "broken exchange"});
      noticed_s = miss(event, start_s, *round, members);
      if (breaks || !hand_in) anew_s = noticed_s;
      round = round_of(members);
    }
    if (!round) return lose(members, noticed_s);
    now_s_ = std::max(ended_s(), noticed_s);
    double until_s = start_s + round->steps_s;
    played_.waited_s += (begun_s() - until_s) + (now_s_ - ended_s());
    std::vector<Part> parts{{start_s, until_s, "steps"}};
    for (const Part& one : broken) {
      parts.insert(parts.end(), {{until_s, one.start_s, "waiting"}, one});
      until_s = one.end_s;
    }
    parts.push_back({until_s, begun_s(), "waiting"});
    parts.push_back({begun_s(), ended_s(), "exchange"});
    parts.push_back({ended_s(), now_s_, "waiting"});
    if (noticed_s == 0) parts = {{start_s, now_s_, "rounds"}};
    note_parts(members, parts);
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
  Month* month_;
  Comings comings_;
  std::vector<int> members_;  // of the round that is played, by kind
  std::vector<std::size_t> kinds_;
  PlayedRounds played_;
  struct Writing {  // of a checkpoint
    std::size_t kind;
    double ends_s;
    double of;  // contributions that it saves
  };
  std::optional<Writing> writing_;
  double unsaved_ = 0;  // contributions since the last checkpoint that has been written
  std::int64_t unsaved_rounds_ = 0;  // since the last that has begun to be
};

}  // namespace

PlayedRounds play_rounds(const Membership& membership, double span_s, std::uint64_t seed,
                         Month* month) {
  return Rounds(membership, span_s, seed, month).run();
}

}  // namespace sim
