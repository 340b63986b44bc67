// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/plan_round.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/sites/alike_places.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

class RoundPlanner {
 public:
  RoundPlanner(const WideArea& area, const RoundShape& shape)
      : shape_(shape), builder_(alike_places(area, shape)), meeting_(area, shape, builder_) {
    const std::size_t places = shape.sites.size();
    require(shape.across_every == 1 || shape.in_region.size() == places, "work in every region");
    computed_.resize(places);
    held_.resize(places);
    plan_.arrivals.resize(places);
  }

  RoundPlan run() {
    begin_late();
    for (int step = 0; step < shape_.rounds * shape_.inner_steps; ++step) advance(step);
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
        if (site != place) plan_.arrivals[same] = plan_.arrivals[known];
      }
    }
  }

  void begin_late() {
    for_each_place([&](int place) {
      if (site(place).start_s > 0) hold(place, meeting_.timer(site(place).start_s));
    });
  }

  // Fragments that are sent from the end of the step: one each H / fragments steps.
  [[nodiscard]] int due(int step) const {
    const int in_round = step % shape_.inner_steps;
    const auto sent_until = [&](int steps) {
      return steps * shape_.fragments / shape_.inner_steps;
    };
    return sent_until(in_round + 1) - sent_until(in_round);
  }

  void hold(int place, OperationId id) {
    if (id != kNoOperation) held_[static_cast<std::size_t>(place)].push_back(id);
  }

  void compute(int place, double seconds) { computed_[static_cast<std::size_t>(place)] += seconds; }

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

  // Takes what was received in a round into the weights.
  void apply(const Ids& results, int round, int times) {
    for_each_place([&](int place) {
      const OperationId result = results[static_cast<std::size_t>(place)];
      if (result == kNoOperation) return;
      finish_compute(place);
      const SiteWork& work = shape_.work(round)[static_cast<std::size_t>(place)];
      Ids after = shape_.delayed ? Ids{} : Ids{result};
      const OperationId decoded = builder_.work(place, Stream::compute, Phase::decode,
                                                "decode outer", times * work.decode_s, 1, after);
      const OperationId loaded =
          copy(place, "load outer state", times * work.copies.load_s, decoded);
      if (loaded != decoded) after.push_back(loaded);
      const OperationId updated = builder_.work(place, Stream::compute, Phase::optimizer,
                                                "outer update", times * work.update_s, 1, after);
      give_back(place, work.copies, times, updated);
    });
  }

  void give_back(int place, const HostCopies& copies, int times, OperationId updated) {
    const OperationId weights = copy(place, "load new weights", times * copies.weights_s, updated);
    if (weights != updated) hold(place, weights);
    const OperationId stored = copy(place, "store outer state", times * copies.store_s, updated);
    if (stored != updated && shape_.overlap_steps == 0) hold(place, stored);
  }

  // One after another over the GPUs' links to their hosts, beside kernels.
  OperationId copy(int place, const char* label, double seconds, OperationId after) {
    if (seconds == 0) return after;
    return builder_.host(place, label, seconds, {&after, 1}, Phase::memory_pass);
  }

  void advance(int step) {
    const auto waiting = awaited_.find(step);
    if (waiting != awaited_.end()) {
      apply(waiting->second.results, waiting->second.round, waiting->second.times);
    }
    const int fragments = due(step);
    if (fragments == 0) {
      for_each_place([&](int place) { compute(place, site(place).step_s); });
    } else {
      send(step, fragments);
    }
    if ((step + 1) % shape_.inner_steps == 0) end_round(step / shape_.inner_steps);
  }

  // The step that is sent from, cut where a part of it is ready.
  void send(int step, int fragments) {
    const std::size_t parts = site(0).ready_s.size();
    const int round = step / shape_.inner_steps;
    Ids results;
    for (std::size_t part = 0; part < parts; ++part) {
      Ids encoded(held_.size(), kNoOperation);
      for_each_place([&](int place) {
        const auto& ready = site(place).ready_s;
        compute(place, ready[part] - (part == 0 ? 0 : ready[part - 1]));
        if (part + 1 == parts) wait_for_an_earlier_exchange(place, step);
        encoded[static_cast<std::size_t>(place)] = encode(place, round, fragments, parts);
      });
      const double share = static_cast<double>(fragments) / static_cast<double>(parts);
      results = meeting_.run(round, encoded, share);
    }
    if (round == 0) plan_.arrivals = meeting_.arrivals();
    plan_.results.resize(static_cast<std::size_t>(round) + 1);
    plan_.results.back() = results;
    if (shape_.delayed) sent_.push_back({step, results});
    const bool beside = shape_.overlap_steps > 0;
    if (beside) awaited_[step + 1 + shape_.overlap_steps] = {results, round, fragments};
    for_each_place([&](int place) {
      const SiteWork& work = site(place);
      compute(place, (beside ? work.step_s : work.needed_s) - work.ready_s.back());
    });
    if (beside) return;
    apply(results, round, fragments);
    for_each_place([&](int place) { compute(place, site(place).step_s - site(place).needed_s); });
  }

  // Where results are waited for only before a later exchange: once all of that is ready.
  void wait_for_an_earlier_exchange(int place, int step) {
    const auto is_due = [&](const Sent& sent) { return sent.step + shape_.overlap_steps <= step; };
    while (sent_.size() > 1 && is_due(sent_[1])) sent_.pop_front();
    if (sent_.empty() || !is_due(sent_.front())) return;
    finish_compute(place);
    hold(place, sent_.front().results[static_cast<std::size_t>(place)]);
  }

  OperationId encode(int place, int round, int fragments, std::size_t parts) {
    const SiteWork& work = shape_.work(round)[static_cast<std::size_t>(place)];
    const OperationId ready =
        copy(place, "fetch outer state",
             work.copies.fetch_s * fragments / static_cast<double>(parts), finish_compute(place));
    const double seconds = work.encode_s * fragments / static_cast<double>(parts);
    if (seconds == 0) return ready;
    return builder_.work(place, Stream::codec, Phase::encode, "encode outer", seconds, 1,
                         {&ready, 1});
  }

  void end_round(int round) {
    auto& ends = plan_.ends.emplace_back(held_.size(), kNoOperation);
    require(plan_.ends.size() == static_cast<std::size_t>(round) + 1, "rounds end in order");
    for_each_place(
        [&](int place) { ends[static_cast<std::size_t>(place)] = finish_compute(place); });
  }

  struct Sent {
    int step = 0;
    Ids results;
  };
  struct Awaited {
    Ids results;
    int round = 0;
    int times = 1;
  };

  const RoundShape& shape_;
  ScheduleBuilder builder_;
  Meeting meeting_;
  RoundPlan plan_;
  std::vector<double> computed_;    // by place: seconds of steps that are not yet a kernel
  std::vector<Ids> held_;           // by place: what its next kernel waits for
  std::deque<Sent> sent_;           // where results are delayed: those not yet waited for
  std::map<int, Awaited> awaited_;  // by the step that needs them
};

}  // namespace

RoundPlan plan_round(const WideArea& area, const RoundShape& shape) {
  return RoundPlanner(area, shape).run();
}

}  // namespace sim
