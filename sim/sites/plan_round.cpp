// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/plan_round.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/sites/alike_places.hpp"
#include "sim/sites/meeting.hpp"
#include "sim/sites/pairings.hpp"

namespace sim {
namespace {

class RoundPlanner {
 public:
  RoundPlanner(const WideArea& area, const RoundShape& shape)
      : shape_(shape), builder_(alike_places(area, shape)), meeting_(area, shape, builder_) {
    const std::size_t places = shape.sites.size();
    require(shape.across_every == 1 || shape.in_region.size() == places, "work in every region");
    for (std::size_t place = 0; place < places; ++place) {
      require(shape.fragments <= shape.steps(place), "a step for each fragment");
    }
    computed_.resize(places);
    held_.resize(places);
    for (auto* counts : {&done_, &applied_, &waited_}) counts->resize(places);
    plan_.arrivals.resize(places);
    plan_.sends.resize(places);
  }

  RoundPlan run() {
    for (int round = 0; round < shape_.rounds; ++round) {
      begin_round();
      for (int fragment = 0; fragment < shape_.fragments; ++fragment) {
        advance();
        send(round);
      }
      if (round == 0 || shape_.exchange->joins_two) note_messages();
      end_round();
    }
    for_each_place([&](int place) {
      const auto i = static_cast<std::size_t>(place);
      if (plan_.arrivals[i].empty()) plan_.arrivals[i].push_back(ready_[i]);
    });
    tell_of_all();
    plan_.schedule = std::move(builder_).finish();
    return std::move(plan_);
  }

 private:
  using Ids = std::vector<OperationId>;

  [[nodiscard]] const SiteWork& site(int place) const {
    return shape_.sites[static_cast<std::size_t>(place)];
  }
  // That takes part, and of those that are alike the one that stands for all.
  template <class Visit>
  void for_each_place(Visit visit) {
    for (const int place : meeting_.all_present()) visit(place);
  }

  // What one place stands for happens to all that it stands for.
  void tell_of_all() {
    for (int place = 0; place < builder_.ranks(); ++place) {
      const auto known = static_cast<std::size_t>(place);
      for (const int site : builder_.alike(place)) {
        const auto same = static_cast<std::size_t>(site);
        for (auto* rounds : {&plan_.ends, &plan_.results}) {
          for (Ids& by_place : *rounds) by_place[same] = by_place[known];
        }
        if (site == place) continue;
        plan_.arrivals[same] = plan_.arrivals[known];
        plan_.sends[same] = plan_.sends[known];
      }
    }
  }

  void begin_round() {
    Ids begun;  // by those that are heard
    for_each_place([&](int place) {
      const OperationId ended = builder_.last(place, Stream::compute);  // of the round before
      if (meeting_.is_heard(place) && ended != kNoOperation) begun.push_back(ended);
      const double late_s = site(place).start_s;
      if (late_s > 0) hold(place, meeting_.timer(late_s, {ended}));
    });
    plan_.begins.push_back(meeting_.all_of(begun));
    meeting_.begin_round(plan_.begins.back());
  }

  // Of the last exchange of a round.
  void note_messages() {
    for (std::size_t place = 0; place < plan_.arrivals.size(); ++place) {
      const auto add = [&](const Ids& ids, Ids& all) {
        all.insert(all.end(), ids.begin(), ids.end());
      };
      add(meeting_.arrivals()[place], plan_.arrivals[place]);
      add(meeting_.sends()[place], plan_.sends[place]);
    }
  }

  // The step that the exchange is sent from: each fragment after the same share of a place's steps.
  [[nodiscard]] int sending_step(int place, int exchange) const {
    const int steps = shape_.steps(static_cast<std::size_t>(place));
    const int fragment = exchange % shape_.fragments;
    const std::int64_t shares = std::int64_t{fragment + 1} * steps;
    return exchange / shape_.fragments * steps + static_cast<int>((shares - 1) / shape_.fragments);
  }
  // Exchanges that the next one to be sent follows.
  [[nodiscard]] int sent() const { return static_cast<int>(results_.size()); }

  void hold(int place, OperationId id) {
    if (id != kNoOperation) held_[static_cast<std::size_t>(place)].push_back(id);
  }

  void compute(int place, double seconds) { computed_[static_cast<std::size_t>(place)] += seconds; }

  // All steps before this one that it has not computed yet.
  void compute_until(int place, int step) {
    int& done = done_[static_cast<std::size_t>(place)];
    for (; done < step; ++done) compute(place, site(place).step_s);
  }

  // The steps so far as one kernel. Returns the last operation of the site's compute stream.
  OperationId finish_compute(int place) {
    double& seconds = computed_[static_cast<std::size_t>(place)];
    Ids& held = held_[static_cast<std::size_t>(place)];
    if (seconds > 0 || !held.empty()) {
      builder_.work(place, Stream::compute, Phase::forward, "inner steps", seconds, 1, held);
    }
    seconds = 0;
    held.clear();
    return builder_.last(place, Stream::compute);
  }

  // Takes what was received by an exchange into the weights.
  void apply(int place, int exchange) {
    const OperationId result = result_of(place, exchange);
    if (result == kNoOperation) return;
    finish_compute(place);
    const int round = exchange / shape_.fragments;
    const SiteWork& work = shape_.work(round)[static_cast<std::size_t>(place)];
    Ids after = shape_.delayed ? Ids{} : Ids{result};
    const OperationId decoded = builder_.work(place, Stream::compute, Phase::decode, "decode outer",
                                              work.decode_s, 1, after);
    const OperationId loaded = copy(place, "load outer state", work.copies.load_s, decoded);
    if (loaded != decoded) after.push_back(loaded);
    const OperationId updated = builder_.work(place, Stream::compute, Phase::optimizer,
                                              "outer update", work.update_s, 1, after);
    give_back(place, work.copies, updated);
  }

  void give_back(int place, const HostCopies& copies, OperationId updated) {
    const OperationId weights = copy(place, "load new weights", copies.weights_s, updated);
    if (weights != updated) hold(place, weights);
    const OperationId stored = copy(place, "store outer state", copies.store_s, updated);
    if (stored != updated && shape_.overlap_steps == 0) hold(place, stored);
  }

  // One after another over the GPUs' links to their hosts, beside kernels.
  OperationId copy(int place, const char* label, double seconds, OperationId after) {
    if (seconds == 0) return after;
    return builder_.host(place, label, seconds, {&after, 1}, Phase::memory_pass);
  }

  // To the step that the next exchange is sent from, through those that need earlier results.
  void advance() {
    int least = sent();
    for (int exchange = pending_; exchange < sent(); ++exchange) {
      int most = 0;
      for_each_place([&](int place) {
        int& applied = applied_[static_cast<std::size_t>(place)];
        const int needed = sending_step(place, exchange) + 1 + shape_.overlap_steps;
        if (applied == exchange && needed <= sending_step(place, sent())) {
          compute_until(place, needed);
          apply(place, exchange);
          ++applied;
        }
        least = std::min(least, applied);
        most = std::max(most, applied);
      });
      if (most <= exchange) break;  // none is as far as that
    }
    pending_ = least;
    for_each_place([&](int place) { compute_until(place, sending_step(place, sent())); });
  }

  // The step that is sent from, cut where a part of it is ready.
  void send(int round) {
    const std::size_t parts = site(0).ready_s.size();
    std::vector<Ids> encoded(parts, Ids(held_.size(), kNoOperation));
    for (std::size_t part = 0; part < parts; ++part) {
      for_each_place([&](int place) {
        const auto& ready = site(place).ready_s;
        compute(place, ready[part] - (part == 0 ? 0 : ready[part - 1]));
        if (part + 1 == parts) wait_for_an_earlier_exchange(place);
        encoded[part][static_cast<std::size_t>(place)] = encode(place, round, parts);
      });
    }
    Ids results = meeting_.run(round, encoded);
    if (round == 0) ready_ = std::move(encoded.back());
    plan_.results.resize(static_cast<std::size_t>(round) + 1);
    plan_.results.back() = results;
    results_.push_back(std::move(results));
    const bool beside = shape_.overlap_steps > 0;
    for_each_place([&](int place) {
      const SiteWork& work = site(place);
      ++done_[static_cast<std::size_t>(place)];
      compute(place, (beside ? work.step_s : work.needed_s) - work.ready_s.back());
    });
    if (beside) return;
    for_each_place([&](int place) { apply(place, sent() - 1); });
    for_each_place([&](int place) {
      applied_[static_cast<std::size_t>(place)] = sent();
      compute(place, site(place).step_s - site(place).needed_s);
    });
    pending_ = sent();
  }

  // Where results are waited for only before a later exchange: once all of that is ready.
  void wait_for_an_earlier_exchange(int place) {
    if (!shape_.delayed) return;
    const auto is_due = [&](int exchange) {
      return exchange < sent() &&
             sending_step(place, exchange) + shape_.overlap_steps <= sending_step(place, sent());
    };
    int& next = waited_[static_cast<std::size_t>(place)];  // the first that was not due before
    while (is_due(next)) ++next;
    if (next == 0) return;
    finish_compute(place);
    hold(place, result_of(place, next - 1));
  }

  [[nodiscard]] OperationId result_of(int place, int exchange) const {
    return results_[static_cast<std::size_t>(exchange)][static_cast<std::size_t>(place)];
  }

  OperationId encode(int place, int round, std::size_t parts) {
    const SiteWork& work = shape_.work(round)[static_cast<std::size_t>(place)];
    const OperationId ready =
        copy(place, "fetch outer state", work.copies.fetch_s / static_cast<double>(parts),
             finish_compute(place));
    const double seconds = work.encode_s / static_cast<double>(parts);
    if (seconds == 0) return ready;
    return builder_.work(place, Stream::codec, Phase::encode, "encode outer", seconds, 1,
                         {&ready, 1});
  }

  void end_round() {
    auto& ends = plan_.ends.emplace_back(held_.size(), kNoOperation);
    for_each_place(
        [&](int place) { ends[static_cast<std::size_t>(place)] = finish_compute(place); });
  }

  const RoundShape& shape_;
  ScheduleBuilder builder_;
  Meeting meeting_;
  RoundPlan plan_;
  std::vector<double> computed_;  // by place: seconds of steps that are not yet a kernel
  std::vector<Ids> held_;         // by place: what its next kernel waits for
  std::vector<int> done_;     // by place: steps computed, each at the latest when it was sent from
  Ids ready_;                 // by place: its last message of the first round
  std::vector<Ids> results_;  // by exchange: RoundPlan::results
  // By place: exchanges whose results it has applied, and those that it has waited for where results
  // are delayed. The first that some place has yet to apply.
  std::vector<int> applied_, waited_;
  int pending_ = 0;
};

}  // namespace

int RoundShape::cycle() const {
  return exchange->joins_two ? pairing_count(static_cast<int>(sites.size())) : across_every;
}

int RoundShape::leader() const {
  if (!exchange->has_leading_site()) return -1;
  for (std::size_t place = 0; place < sites.size(); ++place) {
    if (fate(place) == Fate::heard) return static_cast<int>(place);
  }
  return -1;
}

RoundPlan plan_round(const WideArea& area, const RoundShape& shape) {
  return RoundPlanner(area, shape).run();
}

}  // namespace sim
