// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/simulate_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"

namespace sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class JobRun {
 public:
  JobRun(const Renewal& job, double interval_s, double time_s, std::uint64_t seed, Month* month)
      : job_(job), interval_s_(interval_s), end_s_(time_s), draws_(seed), month_(month) {}

  SimulatedJob run() {
    draw_failure();
    while (now_s_ < end_s_) {
      train();
      while (now_s_ < end_s_ && !restart()) {
      }
    }
    TimeShares& shares = result_.shares;
    const double spent_s = now_s_;
    for (double* share : {&shares.goodput, &shares.checkpoints, &shares.detection, &shares.restart,
                          &shares.repair, &shares.recomputed}) {
      *share /= spent_s;
    }
    return result_;
  }

 private:
  void draw_failure() {
    fails_s_ =
        job_.failure_rate > 0 ? now_s_ - std::log(draws_.next()) / job_.failure_rate : kNever;
  }

  // From a start to the next failure, or the end. A checkpoint whose stall ends at t is kept if the
  // job still runs at t + write.
  void train() {
    const double start_s = now_s_;
    const double stop_s = std::min(fails_s_, end_s_);
    const double each_s = interval_s_ + job_.stall_s;
    const double saved = std::max(0.0, std::floor((stop_s - start_s - job_.write_s) / each_s));
    const double saved_s = start_s + saved * each_s;  // when the training that is kept ended
    result_.shares.goodput += saved * interval_s_;
    result_.shares.checkpoints += saved * job_.stall_s;
    now_s_ = stop_s;
    result_.shares.recomputed += stop_s - saved_s;
    const bool fails = fails_s_ < end_s_;
    note(start_s, fails ? saved_s : stop_s, "kept", static_cast<std::int64_t>(saved));
    if (fails) note(saved_s, stop_s, "trained again");
  }

  // A failure that has just come: detection, a spare or a repair, the restart. False if that fails
  // in its turn.
  bool restart() {
    ++result_.interruptions;
    const double cause = draws_.next() * job_.failure_rate;
    spend(job_.detection_s, result_.shares.detection, "detection");
    if (cause <= job_.hardware_rate) {
      take_spares(1);
    } else if (cause <= job_.hardware_rate + job_.domain_rate) {
      take_spares(job_.domain_nodes);
    }
    draw_failure();
    const double restarted_s = now_s_ + job_.restart_s;
    const double stop_s = std::min(restarted_s, fails_s_);
    spend(stop_s - now_s_, result_.shares.restart, "restart");
    return fails_s_ > restarted_s;
  }

  // Repairs are first come, first ended, as they take equally long.
  void take_spares(int nodes) {
    const auto ended = std::ranges::upper_bound(repaired_s_, now_s_);
    repaired_s_.erase(repaired_s_.begin(), ended);
    repaired_s_.insert(repaired_s_.end(), static_cast<std::size_t>(nodes), now_s_ + job_.repair_s);
    const auto spares = static_cast<std::size_t>(job_.spares);
    if (repaired_s_.size() <= spares) return;
    const double ready_s = repaired_s_[repaired_s_.size() - spares - 1];
    spend(ready_s - now_s_, result_.shares.repair, "repair");
  }

  void note(double start_s, double end_s, const char* what, std::int64_t count = 0) {
    if (month_ == nullptr) return;
    month_->push_back({.start_s = start_s, .end_s = end_s, .what = what, .count = count});
  }

  void spend(double seconds, double& on, const char* what) {
    note(now_s_, now_s_ + seconds, what);
    now_s_ += seconds;
    on += seconds;
  }

  const Renewal& job_;
  const double interval_s_, end_s_;
  Draws draws_;
  Month* month_;
  double now_s_ = 0, fails_s_ = kNever;
  std::vector<double> repaired_s_;  // ascending
  SimulatedJob result_;
};

}  // namespace

SimulatedJob simulate_job(const Renewal& job, double interval_s, double time_s, std::uint64_t seed,
                          Month* month) {
  require(interval_s > 0 && time_s > 0, "a job trains for some time between checkpoints");
  return JobRun(job, interval_s, time_s, seed, month).run();
}

}  // namespace sim
