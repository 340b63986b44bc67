// SPDX-License-Identifier: Apache-2.0
// run: one training step of one scheme, or of several side by side. Where the topology is several
// sites, see apps/run/run_rounds.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_options.hpp"
#include "apps/job/simulation.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/run/answer.hpp"
#include "apps/run/run_options.hpp"
#include "apps/run/verdict.hpp"
#include "apps/search/best_setup.hpp"
#include "apps/search/break_even.hpp"
#include "apps/search/efficiency_range.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/report/pareto.hpp"
#include "sim/report/sources.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

constexpr const char* kBest = "best";

Simulation simulate_step(const Job& job, const Setup& setup) {
  Simulation result = simulate(job, setup);
  result.report.codec_error =
      sim::codec_errors(codec_error_file(), job.context(setup), setup.scheme);
  return result;
}

// The scheme that `name` means as the baseline of `scheme`.
Setup baseline_of(const std::string& name, const Job& job, const Setup& setup) {
  if (name == "twin") return {twin_of(setup.scheme), setup.parallelism};
  const sim::Scheme baseline = scheme_of(name, "--baseline", sim::SchemeKind::inside);
  // A setting may name a part that only the compressed scheme has.
  return job.setup_of(baseline.compresses() ? job.with_settings(baseline) : baseline);
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
      : options_(options), job_(read_job(options.job)), searched_(job_), times_(job_) {
    // Without --tune, flags say how the schemes run that are compared with the best of all.
    if (!options.tune) searched_.given.clear();
    if (!options.baseline.empty() && options.baseline != kBest) {
      for (const Setup& given : job_.setups) {
        baselines_.push_back(baseline_of(options.baseline, job_, given));
      }
    }
    check_setups();
  }

  void run() {
    warn_of_tensor_nodes(job_.cluster(), job_.parallelism);
    if (options_.baseline == kBest) {
      best_ = fastest_of(uncompressed_schemes());
      add(*best_, nullptr);
      warn(best_->setup);
    }
    for (std::size_t i = 0; i < job_.setups.size(); ++i) {
      const Setup& given = job_.setups[i];
      const Side side = side_of(given);
      const std::optional<Side> baseline =
          baselines_.empty() ? best_ : beside(given, baselines_[i]);
      const Simulation result = add(side, baseline ? &*baseline : nullptr);
      warn(side.setup);
      if (best_ && !given.scheme.sends_plain()) compressed_.push_back(result.report);
      if (!options_.perfetto.empty() && &given == &job_.setups.back()) {
        sim::write_file(options_.perfetto, sim::to_perfetto(result.schedule, result.timeline,
                                                            options_.perfetto_ranks));
      }
    }
    note_left_out(options_, most_operations_);
    // Of two there is nothing to choose that the speed-up does not say.
    if (reports_.size() > 2) {
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
      report.break_even = find_break_even(job_, one.side.choices, one.baseline.choices, times_);
      found(report);
    }
  }

  // The answer: where the baseline is the best one, whether compression pays.
  [[nodiscard]] std::string sentence() const {
    return best_ ? apps::verdict(reports_.front(), compressed_) : answer(reports_);
  }

 private:
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
    if (options_.baseline == kBest) warn(smallest_setup(searched_, uncompressed_schemes()));
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
    Best best = best_setup(searched_, schemes, times_, {.progress = &progress});
    return {std::move(best.setup), std::move(best.considered), true};
  }

  // What the scheme is compared with, in a column of its own where it is not to be seen otherwise.
  Side beside(const Setup& given, const Setup& baseline_as_given) {
    const Side baseline = side_of(baseline_as_given);
    const bool same = baseline.setup.scheme.name == given.scheme.name;
    if (job_.setups.size() == 1 && !same) add(baseline, nullptr);
    return baseline;
  }

  void warn(const Setup& setup) const {
    warn_of_memory(options_, setup.scheme.name, memory_of(job_, setup), job_.context(setup),
                   setup.scheme);
  }

  static void warn_of_folds(const sim::Report& report) {
    if (const auto found = report.sources.find("collectives"); found != report.sources.end()) {
      print_note("warning: {}: collectives are {}\n", report.scheme, found->second);
    }
  }

  void warn_of_kernels(const Setup& setup) const {
    const sim::DoubtfulKernels doubtful = doubtful_kernels(job_.context(setup), setup.scheme);
    for (const sim::SubstitutedKernel& kernel : doubtful.substituted) {
      print_note("warning: {}: {} has no time for {} stand in; time it too\n", setup.scheme.name,
                 kernel.codec, kernel.what);
    }
    for (const sim::ExtrapolatedKernel& kernel : doubtful.extrapolated) {
      print_note(
          "warning: {}: {} of {} takes {:.3g} elements, {}; measure this size too\n",
          setup.scheme.name, kernel.step, kernel.codec, kernel.elements,
          kernel.smallest == kernel.largest
              ? fmt::format("but was timed for {:.3g} only", kernel.largest)
              : fmt::format("but was timed for {:.3g} to {:.3g}", kernel.smallest, kernel.largest));
    }
  }

  Simulation add(const Side& side, const Side* baseline) {
    Simulation result = simulate_step(job_, side.setup);
    sim::Report& report = result.report;
    warn_of_folds(report);
    warn_of_kernels(side.setup);
    warn_of_unknown_gpus(side.setup.scheme, {job_.cluster().gpu.name});
    times_.know(side.setup, report.time_s);
    most_operations_ = std::max(most_operations_, result.schedule.operations.size());
    if (wants_range(options_, result.schedule.operations.size())) {
      report.range = range_of(job_, side.setup, report);
    }
    report.pareto = pareto_place(side.setup.scheme, report);
    if (side.chosen) report.flags = flags_of(job_, side.setup);
    if (baseline != nullptr) compare(side, *baseline, report);
    reports_.push_back(report);
    return result;
  }

  void compare(const Side& side, const Side& baseline, sim::Report& report) {
    report.baseline = baseline.setup.scheme.name;
    report.baseline_fits = fits_memory(job_, baseline.setup);
    report.speedup = times_.seconds(baseline.setup) / report.time_s;
    if (baseline.chosen) report.baseline_flags = flags_of(job_, baseline.setup);
    compared_.push_back({reports_.size(), side, baseline});
  }

  struct Compared {
    std::size_t report = 0;  // of reports_
    Side side, baseline;
  };

  const RunOptions& options_;
  const Job job_;
  Job searched_;  // what a search keeps to
  StepTimes times_;
  std::vector<Setup> baselines_;  // by setup of the job, as given; none where there is one for all
  std::optional<Side> best_;
  std::vector<sim::Report> reports_;
  std::size_t most_operations_ = 0;  // of a simulated step
  std::vector<Compared> compared_;
  std::vector<sim::Report> compressed_;  // those that `best_` is compared with
};

int run_step(const RunOptions& options) {
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
  return is_wide_area(options->job.topology) ? run_rounds(*options) : run_step(*options);
}

std::string refusal_of(const Arguments& arguments) {
  try {
    const auto options = parse_run(arguments);
    if (!options) return "";
    if (is_wide_area(options->job.topology)) {
      check_rounds(*options);
    } else {
      Comparison{*options};
    }
  } catch (const sim::InputError& error) {
    return with_flags(error.what());
  } catch (const boost::program_options::error& error) {
    return message_of(error, "run");
  }
  return "";
}

}  // namespace apps
