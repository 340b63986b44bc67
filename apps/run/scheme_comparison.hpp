// SPDX-License-Identifier: Apache-2.0
// SchemeComparison: what `run` simulates and compares, one after the other or side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "apps/run/columns.hpp"
#include "apps/run/run_options.hpp"
#include "sim/report/report.hpp"
#include "sim/study/search/memo.hpp"
#include "sim/study/search/step_times.hpp"
#include "sim/study/simulation.hpp"

namespace apps {

class SchemeComparison {
 public:
  // Reads, and refuses all that can be refused before the first simulation. `options` outlive it.
  explicit SchemeComparison(const RunOptions& options);

  // Simulates all, and writes the files that are asked for.
  void run();

  [[nodiscard]] const std::vector<sim::Report>& reports() const { return reports_; }
  // The answer: where the baseline is the best one, whether compression pays.
  [[nodiscard]] std::string sentence() const;
  // The timeline of the last scheme, where it was kept.
  [[nodiscard]] std::string perfetto() const;

  // Searches the break-even point of each report that has a baseline; `found` is called after each.
  void find_break_evens(const std::function<void(const sim::Report&)>& found);

 private:
  // Without the schedule and the timeline, where they are not asked for.
  struct Simulated {
    sim::study::Simulation result;
    std::size_t operations = 0;
  };
  struct Compared {
    std::size_t report = 0;  // of reports_
    Chosen side, baseline;
  };

  void warn(const Column& column) const;
  [[nodiscard]] Simulated simulate_column(const Column& column, bool is_drawn) const;
  [[nodiscard]] std::vector<Simulated> simulate_all(const std::vector<Column>& all) const;
  void write_timelines() const;
  void add(const Column& column, sim::Report report);
  void compare(const Chosen& side, const Chosen& baseline, sim::Report& report);
  void know(const Setup& setup, const sim::Report& report);
  const sim::Report& report_of(const Setup& setup);
  [[nodiscard]] double speedup(const sim::Report& report, const sim::Report& base) const;

  const RunOptions& options_;
  const Columns columns_;
  const Job& job_;
  sim::study::StepTimes times_;  // of a cluster
  sim::study::Memo<sim::Parallelism, sim::Scheme, sim::Report> reports_of_;
  std::vector<sim::Report> reports_;
  std::size_t most_operations_ = 0;  // of a simulated step or round
  sim::study::Simulation drawn_;     // of the last scheme
  std::vector<Compared> compared_;
  std::vector<sim::Report> compressed_;  // those that the best baseline is compared with
};

}  // namespace apps
