// SPDX-License-Identifier: Apache-2.0
#include "apps/run/columns.hpp"

#include <utility>
#include <variant>

#include "apps/job/reliability_options.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/progress.hpp"
#include "apps/run/warnings.hpp"
#include "sim/study/search/best_setup.hpp"
#include "sim/study/search/memo.hpp"
#include "sim/study/setup_options.hpp"

namespace apps {
namespace {

using sim::study::Best;
using sim::study::StepTimes;
using sim::study::uncompressed_schemes;

Job read(const RunOptions& options) {
  if (is_wide_area(options.job.topology)) refuse_step_flags(options);
  Job job = read_job(options.job);
  check_what_fails(job);
  return job;
}

// The scheme that `name` means as the baseline of the setup's.
Setup baseline_of(const std::string& name, const Job& job, const Setup& setup) {
  if (name != "twin") {
    const sim::Scheme baseline = scheme_of(name, "--baseline", job.kind());
    // A setting may name a part that only the compressed scheme has.
    const bool is_set = job.inner || baseline.compresses();
    return job.setup_of(is_set ? job.with_settings(baseline) : baseline);
  }
  Setup twin{twin_of(setup.scheme), setup.parallelism};
  if (!job.inner) return twin;
  const sim::SiteExchange& own = *setup.scheme.between_sites;
  sim::SiteExchange& plain = *twin.scheme.between_sites;
  plain.inner_steps = own.inner_steps;
  plain.fragments = own.fragments;
  plain.overlap_steps = own.overlap_steps;
  if (plain.exchange->works_in_regions) plain.across_every = own.across_every;
  return twin;
}

// Those of `more` that are not simulated anyway, or by the search that chose them.
void add_unknown(const std::vector<Column>& more, std::vector<Column>& all) {
  sim::study::Memo<sim::Parallelism, sim::Scheme, std::monostate> seen;
  const auto is_new = [&](const Setup& setup) {
    return seen.at(setup.parallelism, setup.scheme).second;
  };
  for (const Column& one : all) static_cast<void>(is_new(one.side.setup));
  for (const Column& one : more) {
    if (!one.side.chosen && is_new(one.side.setup)) all.push_back(one);
  }
}

}  // namespace

Columns::Columns(const RunOptions& options)
    : options_(options),
      job_(read(options)),
      searched_(job_),
      wants_best_(options.baseline == "best" && !job_.inner) {
  // Without --tune, flags say how the schemes run that are compared with the best of all.
  if (!options.tune) searched_.given.clear();
  if (!options.baseline.empty() && !wants_best_) {
    for (const Setup& given : job_.setups) {
      baselines_.push_back(baseline_of(options.baseline, job_, given));
    }
  }
  check_setups();
  for (std::vector<Setup>* setups : {&job_.setups, &baselines_}) {
    for (Setup& setup : *setups) setup = balanced(job_, std::move(setup));
  }
}

void Columns::check_setups() const {
  std::vector<Setup> all = job_.setups;
  all.insert(all.end(), baselines_.begin(), baselines_.end());
  if (!options_.tune) check(job_, all);
  for (const Setup& setup : all) {
    if (options_.tune) check_choice(job_, {&setup.scheme, 1});
  }
  if (options_.require_fit) require_fit();
}

// Whatever a search chooses needs at least the memory of its smallest choice.
void Columns::require_fit() const {
  const auto warn = [&](const Setup& setup) { warn_of_memory(options_, job_, setup); };
  if (wants_best_) warn(smallest_setup(searched_, uncompressed_schemes()));
  for (const Setup& setup : job_.setups) {
    warn(options_.tune ? smallest_setup(searched_, {&setup.scheme, 1}) : setup);
  }
}

// As the flags say, or as it is fastest.
Chosen Columns::side_of(const Setup& setup, StepTimes& times) const {
  return options_.tune ? fastest_of({&setup.scheme, 1}, times) : Chosen{setup, {setup}};
}

Chosen Columns::fastest_of(std::span<const sim::Scheme> schemes, StepTimes& times) const {
  Progress progress("searching for the fastest options", 0);
  Best best = best_setup(searched_, schemes, times, {.watch = progress.watch()});
  return {std::move(best.setup), std::move(best.considered), true};
}

std::vector<Column> Columns::choose(StepTimes& times) const {
  std::vector<Column> all, hidden;
  std::optional<Chosen> best;
  if (wants_best_) {
    best = fastest_of(uncompressed_schemes(), times);
    all.push_back({*best});
  }
  for (std::size_t i = 0; i < job_.setups.size(); ++i) {
    const Setup& given = job_.setups[i];
    const Chosen side = side_of(given, times);
    const std::optional<Chosen> baseline =
        baselines_.empty() ? best : std::optional(side_of(baselines_[i], times));
    if (!baselines_.empty()) {
      const bool same = baseline->setup.scheme.name == given.scheme.name;
      const bool is_shown = job_.setups.size() == 1 && !same;
      (is_shown ? all : hidden).push_back({.side = *baseline, .is_shown = is_shown});
    }
    all.push_back({.side = side, .baseline = baseline, .is_given = true});
  }
  add_unknown(hidden, all);
  return all;
}

}  // namespace apps
