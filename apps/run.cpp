// SPDX-License-Identifier: Apache-2.0
// run: one training step of one scheme, or of several side by side; or, where the topology is several
// sites, rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/run/answer.hpp"
#include "apps/run/run_options.hpp"
#include "apps/run/verdict.hpp"
#include "apps/run/warnings.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/parallel.hpp"
#include "sim/report/pareto.hpp"
#include "sim/report/sources.hpp"
#include "sim/report/writers.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/study/search/best_setup.hpp"
#include "sim/study/search/break_even.hpp"
#include "sim/study/search/efficiency_range.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace apps {
namespace {

using sim::study::Best;
using sim::study::Simulation;
using sim::study::StepTimes;
using sim::study::uncompressed_schemes;

constexpr const char* kBest = "best";

Simulation simulate_with_errors(const Job& job, const Setup& setup) {
  Simulation result = simulate(job, setup);
  if (result.report.round) {
    for (std::string& event : result.report.round->events) event = with_flags(event);
  }
  result.report.codec_error =
      job.inner ? sim::codec_errors(codec_error_file(), setup.scheme)
                : sim::codec_errors(codec_error_file(), job.context(setup), setup.scheme);
  return result;
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
  twin.scheme.between_sites->inner_steps = setup.scheme.between_sites->inner_steps;
  twin.scheme.between_sites->fragments = setup.scheme.between_sites->fragments;
  twin.scheme.between_sites->overlap_steps = setup.scheme.between_sites->overlap_steps;
  return twin;
}

// Of the sites; ranks have none.
std::vector<std::string> names_in_timeline(const Job& job) {
  std::vector<std::string> names;
  for (int place = 0; job.inner && place < sim::place_count(job.topology); ++place) {
    names.push_back(sim::place_name(job.topology, place));
  }
  return names;
}

// One side of a comparison: the setup that is shown, and those of which it is the fastest.
struct Side {
  Setup setup;
  std::vector<Setup> choices;
  bool chosen = false;
};

class Comparison {
 public:
  // Reads, and refuses all that can be refused before the first simulation.
  explicit Comparison(const RunOptions& options)
      : options_(options),
        job_(read(options)),
        searched_(job_),
        times_(job_, options.jobs),
        wants_best_(options.baseline == kBest && !job_.inner) {
    // Without --tune, flags say how the schemes run that are compared with the best of all.
    if (!options.tune) searched_.given.clear();
    if (!options.baseline.empty() && !wants_best_) {
      for (const Setup& given : job_.setups) {
        baselines_.push_back(baseline_of(options.baseline, job_, given));
      }
    }
    check_setups();
  }

  void run() {
    warn_of_layout(job_);
    const std::vector<Column> all = columns();
    std::vector<Simulated> results = simulate_all(all);
    for (std::size_t i = 0; i < all.size(); ++i) know(all[i].side.setup, results[i].result.report);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_shown) continue;
      add(all[i], std::move(results[i].result.report));
      most_operations_ = std::max(most_operations_, results[i].operations);
    }
    if (!options_.perfetto.empty()) write_timeline(results[last_given(all)].result);
    note_left_out(options_, most_operations_);
    // Of two there is nothing to choose that the speed-up does not say.
    if (reports_.size() > 2 && !job_.inner) {
      sim::mark_pareto_front(reports_);
    } else {
      for (sim::Report& report : reports_) report.pareto.reset();
    }
  }

  [[nodiscard]] const std::vector<sim::Report>& reports() const { return reports_; }

  // Searches the break-even point of each report that has a baseline; `found` is called after each.
  void find_break_evens(const std::function<void(const sim::Report&)>& found) {
    for (const Compared& one : compared_) {
      sim::Report& report = reports_[one.report];
      Progress progress("searching for the break-even bandwidth", 0);
      report.break_even =
          find_break_even(job_, one.side.choices, one.baseline.choices, times_, progress.watch());
      found(report);
    }
  }

  // The answer: where the baseline is the best one, whether compression pays.
  [[nodiscard]] std::string sentence() const {
    return best_ ? apps::verdict(reports_.front(), compressed_) : answer(reports_);
  }

 private:
  static Job read(const RunOptions& options) {
    if (is_wide_area(options.job.topology)) refuse_step_flags(options);
    return read_job(options.job);
  }

  void check_setups() const {
    std::vector<Setup> all = job_.setups;
    all.insert(all.end(), baselines_.begin(), baselines_.end());
    if (!options_.tune) check(job_, all);
    for (const Setup& setup : all) {
      if (options_.tune) check_choice(job_, {&setup.scheme, 1});
    }
    if (options_.require_fit) require_fit();
  }

  // Whatever a search chooses needs at least the memory of its smallest choice.
  void require_fit() const {
    const auto warn = [&](const Setup& setup) { warn_of_memory(options_, job_, setup); };
    if (wants_best_) warn(smallest_setup(searched_, uncompressed_schemes()));
    for (const Setup& setup : job_.setups) {
      warn(options_.tune ? smallest_setup(searched_, {&setup.scheme, 1}) : setup);
    }
  }

  // As the flags say, or as it is fastest.
  Side side_of(const Setup& setup) {
    return options_.tune ? fastest_of({setup.scheme}) : Side{setup, {setup}};
  }

  Side fastest_of(const std::vector<sim::Scheme>& schemes) {
    Progress progress("searching for the fastest options", 0);
    Best best = best_setup(searched_, schemes, times_, {.watch = progress.watch()});
    return {std::move(best.setup), std::move(best.considered), true};
  }

  // What is simulated, in the order of the answer.
  struct Column {
    Side side;
    std::optional<Side> baseline = {};
    bool is_given = false;
    bool is_shown = true;  // else to be compared with only
  };

  std::vector<Column> columns() {
    std::vector<Column> all, hidden;
    if (wants_best_) {
      best_ = fastest_of(uncompressed_schemes());
      all.push_back({*best_});
    }
    for (std::size_t i = 0; i < job_.setups.size(); ++i) {
      const Setup& given = job_.setups[i];
      const Side side = side_of(given);
      const std::optional<Side> baseline =
          baselines_.empty() ? best_ : std::optional(side_of(baselines_[i]));
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

  // Those of `more` that are not simulated anyway, or by the search that chose them.
  static void add_unknown(const std::vector<Column>& more, std::vector<Column>& all) {
    sim::study::Memo<sim::Parallelism, sim::Scheme, std::monostate> seen;
    const auto is_new = [&](const Setup& setup) {
      return seen.at(setup.parallelism, setup.scheme).second;
    };
    for (const Column& one : all) static_cast<void>(is_new(one.side.setup));
    for (const Column& one : more) {
      if (!one.side.chosen && is_new(one.side.setup)) all.push_back(one);
    }
  }

  static std::size_t last_given(const std::vector<Column>& all) {
    const auto last = std::ranges::find(all.rbegin(), all.rend(), true, &Column::is_given);
    return static_cast<std::size_t>(all.rend() - last) - 1;
  }

  // Without the schedule and the timeline, where they are not asked for.
  struct Simulated {
    Simulation result;
    std::size_t operations = 0;
  };

  [[nodiscard]] std::vector<Simulated> simulate_all(const std::vector<Column>& all) const {
    Progress progress("simulating schemes", static_cast<int>(all.size()));
    const int jobs_of_each = std::max(1, options_.jobs / static_cast<int>(all.size()));
    return sim::in_parallel(options_.jobs, all.size(), [&](std::size_t i) {
      progress.step();
      const Setup& setup = all[i].side.setup;
      Simulated one{simulate_with_errors(job_, setup)};
      sim::Report& report = one.result.report;
      one.operations = one.result.schedule.operations.size();
      const bool is_drawn = !options_.perfetto.empty() && i == last_given(all);
      if (!is_drawn) {
        one.result.schedule = {};
        one.result.timeline = {};
      }
      if (all[i].is_shown && wants_range(options_, one.operations)) {
        report.range = range_of(job_, setup, report, jobs_of_each);
      }
      return one;
    });
  }

  void write_timeline(const Simulation& result) const {
    sim::write_file(options_.perfetto,
                    sim::to_perfetto(result.schedule, result.timeline, options_.perfetto_ranks,
                                     names_in_timeline(job_)));
  }

  void add(const Column& column, sim::Report report) {
    const Side& side = column.side;
    warn_of_times(job_, side.setup, report);
    report.pareto = pareto_place(side.setup.scheme, report);
    if (side.chosen) report.flags = flags_of(job_, side.setup);
    if (column.baseline) compare(side, *column.baseline, report);
    reports_.push_back(report);
    if (column.is_given || best_) warn_of_memory(options_, job_, side.setup);
    const bool competes = best_ && column.is_given && !side.setup.scheme.sends_plain();
    if (competes) compressed_.push_back(std::move(report));
  }

  void compare(const Side& side, const Side& baseline, sim::Report& report) {
    report.baseline = baseline.setup.scheme.name;
    report.baseline_fits = fits_memory(job_, baseline.setup);
    report.speedup = speedup(report, baseline.setup);
    if (baseline.chosen) report.baseline_flags = flags_of(job_, baseline.setup);
    if (!job_.inner) compared_.push_back({reports_.size(), side, baseline});
  }

  void know(const Setup& setup, const sim::Report& report) {
    if (job_.inner) {
      tokens_per_s_.at(setup.parallelism, setup.scheme).first = report.tokens_per_s;
    } else {
      times_.know(setup, report.time_s);
    }
  }

  // Steps have as many tokens each; rounds may not.
  double speedup(const sim::Report& report, const Setup& baseline) {
    if (!job_.inner) return times_.seconds(baseline) / report.time_s;
    const auto [known, added] = tokens_per_s_.at(baseline.parallelism, baseline.scheme);
    if (added) known = simulate(job_, baseline).report.tokens_per_s;
    return report.tokens_per_s / known;
  }

  struct Compared {
    std::size_t report = 0;  // of reports_
    Side side, baseline;
  };

  const RunOptions& options_;
  const Job job_;
  Job searched_;                                                          // what a search keeps to
  StepTimes times_;                                                       // of a cluster
  sim::study::Memo<sim::Parallelism, sim::Scheme, double> tokens_per_s_;  // of rounds
  const bool wants_best_;         // as the baseline of a cluster's steps
  std::vector<Setup> baselines_;  // by setup of the job, as given; none where there is one for all
  std::optional<Side> best_;
  std::vector<sim::Report> reports_;
  std::size_t most_operations_ = 0;  // of a simulated step or round
  std::vector<Compared> compared_;
  std::vector<sim::Report> compressed_;  // those that `best_` is compared with
};

int run(const RunOptions& options) {
  Comparison comparison(options);
  comparison.run();
  const bool is_table = options.format == "table";
  if (options.break_even && !is_table) comparison.find_break_evens([](const auto&) {});
  print(options, comparison.reports(), comparison.sentence());
  if (!is_table) return 0;
  // Last, and line by line: each takes many simulations.
  comparison.find_break_evens([first = true](const sim::Report& report) mutable {
    if (!report.break_even) return;
    print_text("{}{}\n", first ? "\n" : "", sim::break_even_line(report));
    std::fflush(stdout);
    first = false;
  });
  return 0;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto options = parse_run(arguments);
  if (!options) return 0;
  if (!options->perfetto.empty()) {
    sim::refuse_overwriting("--perfetto", options->perfetto, input_files(*options));
    sim::require_writable(options->perfetto);
  }
  return run(*options);
}

std::string refusal_of(const Arguments& arguments) {
  try {
    const auto options = parse_run(arguments);
    if (!options) return "";
    Comparison{*options};
  } catch (const sim::InputError& error) {
    return with_flags(error.what());
  } catch (const boost::program_options::error& error) {
    return message_of(error, "run");
  }
  return "";
}

}  // namespace apps
