// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/best_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "sim/base/error.hpp"
#include "sim/study/setup_options.hpp"

namespace sim::study {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Setups tried before the search looks at the best so far again. Fixed, so that the result does not
// depend on the number of threads. The map of four models in docs/commands/map.md simulates 3 % more
// setups than with 1; with 8 it would be 7 %.
constexpr std::size_t kSetupWave = 4;

// Tensor parallelism and what is recomputed, in every combination.
std::vector<Setup> shapes(const Job& job, const Setup& from) {
  std::vector<Setup> setups;
  for (const Setup& tensor : other_tensors(job, from)) {
    for (Setup& one : other_recomputes(job, tensor)) setups.push_back(std::move(one));
  }
  return setups;
}

// All shapes, shardings and splits of `start`.
template <class Visit>
void each_from(const Job& job, std::span<const Scheme> schemes, const Setup& start,
               const Visit& visit) {
  for (const Setup& shape : shapes(job, start)) {
    for (const Setup& sharding : other_shardings(job, schemes, shape)) {
      for (Setup& split : other_splits(job, sharding)) visit(std::move(split));
    }
  }
}

// Of each_from().
Setup smallest_from(const Job& job, std::span<const Scheme> schemes, const Setup& start) {
  std::optional<Setup> smallest;
  double least = kNever;
  each_from(job, schemes, start, [&](Setup&& split) {
    const double needed = memory_needed(job, split);
    if (needed >= least) return;
    least = needed;
    smallest = std::move(split);
  });
  if (!smallest) {
    throw InputError(
        fmt::format("`scheme`: {} cannot run with the other flags; leave out `zero`, `tp`, "
                    "`micro-batch`, `accumulation`, `recompute` or `hybrid-shard`",
                    schemes.size() == 1 ? schemes.front().name : "the uncompressed schemes"));
  }
  return *std::move(smallest);
}

// The same; with the optimizer's state on hosts if it fits only then.
Setup smallest_of(const Job& job, std::span<const Scheme> schemes, Setup start) {
  Setup smallest = smallest_from(job, schemes, start);
  if (fits_memory(job, smallest) || !may_use_hosts(job)) return smallest;
  start.parallelism.optimizer_state = OptimizerState::host;
  Setup on_hosts = smallest_from(job, schemes, start);
  return fits_memory(job, on_hosts) ? on_hosts : smallest;
}

class Search {
 public:
  Search(const Job& job, std::span<const Scheme> schemes, StepTimes& times, const SearchFrom& from)
      : job_(job), schemes_(schemes), times_(times), from_(from) {}

  Best run() {
    Setup start = start_of(job_, schemes_.front());
    const Setup smallest = smallest_to_try(start);
    start.parallelism.optimizer_state = smallest.parallelism.optimizer_state;
    start.parallelism.overlap = smallest.parallelism.overlap;
    set_capacity(memory_needed(job_, smallest));
    if (from_.first != nullptr) try_all({*from_.first});
    std::vector<Setup> starts;
    for (const Setup& shape : shapes(job_, start)) add_shardings(shape, Splits::largest, starts);
    try_all(starts);
    require(best_.has_value(), "the capacity is no less than the least that a setup needs");
    for (double before = kNever; best_->step_time_s < before;) {
      before = best_->step_time_s;
      try_all(other_splits(job_, best_->setup));
      try_all(other_overlaps(job_, best_->setup));
      try_all(other_precisions(job_, best_->setup));
      try_all(other_buckets(job_, best_->setup));
      try_all(shapes(job_, best_->setup));
      if (best_->step_time_s < before) {
        std::vector<Setup> shardings;
        add_shardings(best_->setup, Splits::as_given, shardings);
        try_all(shardings);
      }
    }
    best_->considered = std::move(considered_);
    best_->fits = fits_;
    return *std::move(best_);
  }

 private:
  // With less overlap, which takes buffers, if it fits only then.
  [[nodiscard]] Setup smallest_to_try(const Setup& start) const {
    Setup smallest = smallest_of(job_, schemes_, start);
    if (fits_memory(job_, smallest)) return smallest;
    Setup without = smallest_setup(job_, schemes_);
    return fits_memory(job_, without) ? without : smallest;
  }

  void set_capacity(double least) {
    capacity_ = static_cast<double>(job_.cluster().gpu.memory.count);
    fits_ = least <= capacity_;
    capacity_ = std::max(capacity_, least);
  }

  [[nodiscard]] bool is_held(const Setup& setup) const {
    return memory_needed(job_, setup) <= capacity_;
  }

  // ZeRO-2 of one micro-batch is the step of ZeRO-1 in less memory.
  [[nodiscard]] bool is_of_lower_stage(Setup setup) const {
    Parallelism& p = setup.parallelism;
    if (p.sharding.stage != 2 || p.accumulation > 1 || job_.given.contains("zero")) return false;
    p.sharding.stage = 1;
    return setup.scheme.is_defined_for(1) && is_held(setup);
  }

  enum class Splits { largest, as_given };

  // Each with its own largest micro-batches, and with the split that it is given.
  void add_shardings(const Setup& from, Splits splits, std::vector<Setup>& setups) const {
    for (Setup& sharding : other_shardings(job_, schemes_, from)) {
      for (const Setup& split : other_splits(job_, sharding)) {
        if (!is_held(split)) continue;
        setups.push_back(split);
        break;
      }
      if (splits == Splits::as_given) setups.push_back(std::move(sharding));
    }
  }

  void try_all(const std::vector<Setup>& setups) {
    std::vector<const Setup*> fresh;
    for (const Setup& setup : setups) {
      if (!is_held(setup) || is_of_lower_stage(setup)) continue;
      if (!seen_.at(setup.parallelism, setup.scheme).second) continue;
      fresh.push_back(&setup);
    }
    std::ranges::stable_sort(fresh, {}, [&](const Setup* setup) {
      return times_.at_least(*setup, from_.factor);  // a fast one tells much of the others
    });
    from_.watch.expect(static_cast<int>(fresh.size()));
    for (std::size_t first = 0; first < fresh.size(); first += kSetupWave) {
      try_wave(std::span(fresh).subspan(first, std::min(kSetupWave, fresh.size() - first)));
    }
  }

  void try_wave(std::span<const Setup* const> wave) {
    double least = best_ ? best_->step_time_s : kNever;
    const auto seconds = times_.seconds(wave, from_.factor, least, from_.watch.step);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      considered_.push_back(*wave[i]);
      if (seconds[i] >= least) continue;
      least = seconds[i];
      best_ = {*wave[i], least};
    }
  }

  const Job& job_;
  std::span<const Scheme> schemes_;
  StepTimes& times_;
  const SearchFrom& from_;
  double capacity_ = 0;
  bool fits_ = true;
  std::optional<Best> best_;
  Memo<Parallelism, Scheme, std::monostate> seen_;
  std::vector<Setup> considered_;
};

}  // namespace

Setup smallest_setup(const Job& job, std::span<const Scheme> schemes) {
  std::vector<Setup> smallest;
  for (const Setup& start : other_overlaps(job, start_of(job, schemes.front()))) {
    smallest.push_back(smallest_of(job, schemes, start));
  }
  return *std::ranges::min_element(smallest, {},
                                   [&](const Setup& setup) { return memory_needed(job, setup); });
}

RemedySet needed_remedies(const Job& job, const Setup& setup) {
  const RemedySet used = remedies_in(job, setup);
  RemedySet least = used;
  for (const OptimizerState state :
       {job.parallelism.optimizer_state, setup.parallelism.optimizer_state}) {
    Setup start = start_of(job, setup.scheme);
    start.parallelism.optimizer_state = state;
    start.parallelism.overlap = setup.parallelism.overlap;
    each_from(job, {&setup.scheme, 1}, start, [&](const Setup& other) {
      const RemedySet others = remedies_in(job, other);
      if ((others & ~used) == 0 && others < least && fits_memory(job, other)) least = others;
    });
  }
  return least;
}

Best best_setup(const Job& job, std::span<const Scheme> schemes, StepTimes& times,
                const SearchFrom& from) {
  return Search(job, schemes, times, from).run();
}

}  // namespace sim::study
