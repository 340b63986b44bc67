// SPDX-License-Identifier: Apache-2.0
// The flags of `run`, and code shared by its two halves: a cluster's step, and the rounds of
// several sites.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/read_job.hpp"
#include "sim/report/report.hpp"

namespace apps {

// The likely range of an answer, which takes four more simulations.
enum class ShowRange { where_cheap, always, never };

struct RunOptions {
  JobOptions job;
  std::string baseline, format, perfetto, kineto, month;
  int perfetto_ranks = 0;
  int jobs = 1;        // simulations at once
  bool draws = false;  // keeps the timeline of the last scheme
  bool require_fit = false;
  bool break_even = false;
  bool tune = false;
  ShowRange range = ShowRange::where_cheap;
};

// All flags of `run`; parsed values go to `options`.
[[nodiscard]] boost::program_options::options_description run_flags(RunOptions& options);

// Nothing if the arguments ask for help or for flags, which are printed. Throws InputError.
[[nodiscard]] std::optional<RunOptions> parse_run(const Arguments& given);

// --tune, given for the sites of `topology`; and all flags that apply to one cluster's steps.
[[noreturn]] void refuse_tune(const std::string& topology);
void refuse_step_flags(const RunOptions& options);

// Whether to simulate the effect of the compute efficiency's spread on an answer whose schedule has
// this many operations.
[[nodiscard]] bool wants_range(const RunOptions& options, std::size_t operations);
// Says so if the likely range is left out because of the number of operations, the largest of all.
void note_left_out(const RunOptions& options, std::size_t operations);

// A table stands below the sentence that answers the question.
void print(const RunOptions& options, std::span<const sim::Report> reports,
           const std::string& sentence);

// What a run says, in pieces.
struct RunTexts {
  std::string sentence;
  std::string json, csv;    // the reports, as --format prints them
  std::string break_evens;  // a line each, where they were asked for
  std::string perfetto;     // the timeline of the last scheme, where it was asked for
};
// The timeline has so many ranks, 0 for all, and is left out where there is no number.
[[nodiscard]] RunTexts texts_of(const Arguments& arguments, std::optional<int> ranks = {});
// The report of the last scheme, as --format json prints it. Throws as told() of exit_code.hpp does.
[[nodiscard]] nlohmann::ordered_json report_of(const Arguments& arguments);
// The message of `run` when it refuses the arguments before its first simulation; empty if it does
// not. File names are relative to the working directory.
[[nodiscard]] std::string refusal_of(const Arguments& arguments);

}  // namespace apps
