// SPDX-License-Identifier: Apache-2.0
// check: today's predictions beside those of a baseline that lies in git.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "apps/arguments.hpp"
#include "apps/check/baseline.hpp"
#include "apps/check/input_errors.hpp"
#include "apps/check/measured.hpp"
#include "apps/check/outputs.hpp"
#include "apps/job/measured_steps.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/terminal.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kCheckUsage =
    "usage: gardenhose check WHAT [FLAGS]\n"
    "       gardenhose check --measured FILE --topology NAME [FLAGS]\n\n"
    "Compares predictions with a baseline, a JSON file kept in git, and reports what moved and\n"
    "which inputs changed. WHAT is the spec of a sweep (its points are run now), the store of a\n"
    "sweep, or the output of `run --format json` (a file, or - for standard input).\n\n"
    "  gardenhose check study.toml --update              # writes study.baseline.json: commit it\n"
    "  gardenhose check study.toml                       # in CI: runs all points, on all cores\n"
    "  gardenhose check study.toml --junit check.xml --markdown \"$GITHUB_STEP_SUMMARY\"\n"
    "  gardenhose check study.toml --update --tolerance step_time_s=0.5% --tolerance bubble_s=off\n"
    "  gardenhose check study.sqlite --baseline study.baseline.json\n"
    "  gardenhose run --topology my.toml --model gpt_13b --scheme sdp4bit --format json |\n"
    "    gardenhose check - --baseline my.baseline.json\n\n"
    "A metric is worse when it moves beyond its tolerance: upwards for times, bytes, energy,\n"
    "prices and codec errors; downwards for tokens_per_s, speedup, mfu, tflops_per_gpu and\n"
    "compression ratios. A point fails when a metric is worse or missing, when the point no\n"
    "longer fits in memory, when it is rejected or crashes where it did not before, or when\n"
    "only one side has it (new or gone). Improvements and moved break-even bandwidths are\n"
    "shown; with --strict they fail too, which keeps the baseline current. Predictions are the\n"
    "same on every run, so the default tolerance is 0.0001 %.\n\n"
    "With --measured, compares one's own measured steps with what is predicted of them now: a "
    "step\n"
    "outside the likely range fails, and with --trace a group of kernels.\n\n"
    "  gardenhose check --measured steps.csv --topology mine.toml --micro-batch 4\n\n"
    "exit codes: 0 no point fails, 1 a regression, 2 invalid input, 130 stopped by Ctrl-C\n";

struct CheckOptions {
  std::string what;
  fs::path baseline;
  int jobs = 1;
  std::vector<std::string> tolerances;
  bool strict = false, update = false;
  std::string junit, markdown;
  MeasuredCheck measured;  // of measured steps alone
};

bool is_spec(const std::string& what) { return what.ends_with(".toml"); }

fs::path default_baseline(const std::string& what) {
  if (what == "-") {
    throw sim::InputError("--baseline: is required when results come from standard input");
  }
  return fs::path(what).replace_extension(".baseline.json");
}

std::optional<CheckOptions> parse_check(const Arguments& arguments) {
  CheckOptions o;
  std::string baseline;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("what", po::value(&o.what),
      "SPEC.toml, STORE.sqlite, RUN.json or - (--what itself may be omitted)");
  add("baseline", po::value(&baseline),
      "JSON file of the baseline (default: WHAT.baseline.json next to WHAT)");
  add("update", po::bool_switch(&o.update), "write a new baseline, with the old one's tolerances");
  add("tolerance", po::value(&o.tolerances),
      "METRIC=0.5%, METRIC=1e-6 (in its unit), METRIC=0.5%,1e-6 (both) or METRIC=off; the metric "
      "'all' covers metrics without a tolerance of their own. May be repeated; --update keeps them "
      "in the baseline");
  add("strict", po::bool_switch(&o.strict), "fail on every change, improvements included");
  add("junit", po::value(&o.junit), "file for JUnit XML, with one test case per point");
  add("markdown", po::value(&o.markdown),
      "file for a Markdown summary, e.g. for the page of a CI job");
  add("jobs,j", jobs_flag(o.jobs), "points of a spec to run at once (default: all cores)");
  add("measured", po::value(&o.measured.steps), kMeasuredStepsHelp);
  add("trace", po::value(&o.measured.traces)->composing(),
      "with --measured of one step: file of a PyTorch profiler's trace of it, whose kernels to "
      "compare too; may be repeated, once for each rank");
  JobOptions job;
  const po::options_description setup = job_flags(job, {.may_lack_files = true});
  const po::options_description own = flags;
  flags.add(setup);
  const auto values = parse_arguments(arguments, kCheckUsage, flags, {{"what"}});
  if (!values) return std::nullopt;
  if (!o.measured.steps.empty()) {
    check_measured_flags(names_given(own, *values), !job.topology.empty());
    o.measured.jobs = o.jobs;
    o.measured.job_flags = job_arguments(setup, *values);
    return o;
  }
  refuse_measured_flags(names_given(setup, *values), !o.measured.traces.empty());
  if (o.what.empty()) {
    throw sim::InputError(
        "gardenhose check: WHAT is missing; write e.g. gardenhose check study.toml --update");
  }
  if (!(*values)["jobs"].empty() && !is_spec(o.what)) {
    throw sim::InputError(
        "-j: applies to a spec, whose points are run now; these points have been run");
  }
  if (o.update && (o.strict || !o.junit.empty() || !o.markdown.empty())) {
    throw sim::InputError(
        "--update: writes the baseline; leave out --strict, --junit and --markdown, which are for "
        "a check");
  }
  for (const std::string& text : o.tolerances) static_cast<void>(parse_tolerance(text));
  o.baseline = baseline.empty() ? default_baseline(o.what) : fs::path(baseline);
  return o;
}

// By flag.
std::vector<std::pair<const char*, fs::path>> outputs_of(const CheckOptions& options) {
  std::vector<std::pair<const char*, fs::path>> outputs;
  if (options.update) outputs.emplace_back("--baseline", options.baseline);
  if (!options.junit.empty()) outputs.emplace_back("--junit", options.junit);
  if (!options.markdown.empty()) outputs.emplace_back("--markdown", options.markdown);
  return outputs;
}

// Notes the files that the results come from, whose points other processes run, or have run.
void note_inputs(const CheckOptions& options) {
  if (is_spec(options.what)) return sim::note_inputs(files_of_spec(read_spec(options.what)));
  if (options.what == "-" || options.what.ends_with(".json")) return;
  Store store(options.what, sim::sweep::Access::read);
  note_files(store, folder_of(options.what));
  for (const auto& [flag, file] : outputs_of(options)) refuse_contents(flag, file, store);
}

// Each is a file of its own that can be written.
void check_outputs(const CheckOptions& options) {
  for (const auto& [flag, file] : outputs_of(options)) sim::require_writable(flag, file);
}

// None where --update writes the first one.
std::optional<Baseline> baseline_of(const CheckOptions& options) {
  std::error_code error;
  if (fs::exists(options.baseline, error)) return read_baseline(options.baseline, options.update);
  if (options.update) return std::nullopt;
  if (options.what != "-" && !fs::exists(options.what, error)) {
    throw sim::InputError(options.what + ": no such file");
  }
  throw sim::InputError(
      fmt::format("{}: no such file; --update writes it", options.baseline.string()));
}

Results results_of(const CheckOptions& options) {
  if (options.what == "-") {
    const sim::JsonDocument document =
        sim::parse_json(sim::read_standard_input(sim::kMostDataBytes), "standard input");
    return results_of_run(document);
  }
  if (is_spec(options.what)) return run_spec(options.what, options.jobs);
  if (options.what.ends_with(".json")) {
    const sim::JsonDocument document = sim::read_json(options.what);
    return results_of_run(document);
  }
  Store store(options.what, sim::sweep::Access::read);
  return results_in(store);
}

// A tolerance of a metric that nothing has would be ignored.
void check_known(const std::string& place, const std::string& metric, const Results& before,
                 const Results& now) {
  std::set<std::string> known{kAllMetrics};
  for (const Results* results : {&before, &now}) {
    for (const Result& point : results->points) {
      for (const auto& [name, value] : point.metrics.items()) known.insert(name);
    }
  }
  if (known.contains(metric)) return;
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto meant = sim::closest_name(metric, names);
  const std::string remedy = !meant.empty() ? fmt::format("did you mean {}?", meant)
                             : metric == "speedup"
                                 ? "for it, write baseline = \"twin\" in the spec, or "
                                   "run with --baseline twin"
                                 : "the baseline lists them";
  throw sim::InputError(fmt::format("{}: '{}' is not a metric of these points; {}", place,
                                    sim::printable(metric), remedy));
}

// A tolerance as large as the values lets everything pass: a percent sign was probably forgotten.
void refuse_too_wide(const std::string& metric, const Tolerance& tolerance, const Results& before,
                     const Results& now) {
  double largest = 0;
  for (const Results* results : {&before, &now}) {
    for (const Result& point : results->points) {
      const auto value = point.metrics.find(metric);
      if (value != point.metrics.end() && value->is_number()) {
        largest = std::max(largest, std::abs(value->get<double>()));
      }
    }
  }
  if (largest == 0 || tolerance.absolute < largest) return;
  throw sim::InputError(
      fmt::format("--tolerance: {0}={1:g} allows any difference, since no {0} here exceeds "
                  "{2:.3g}; write {0}={1:g}% for a relative tolerance, or {0}=off",
                  metric, tolerance.absolute, largest));
}

// "speedup 2 %, all others off".
std::string tolerances_text(const Tolerances& tolerances) {
  std::vector<std::string> parts;
  for (const auto& [metric, tolerance] : tolerances) {
    if (metric != kAllMetrics) {
      parts.push_back(fmt::format("{} {}", metric, tolerance_text(tolerance)));
    }
  }
  parts.push_back(fmt::format("{} {}", parts.empty() ? "all metrics" : "all others",
                              tolerance_text(tolerances.at(kAllMetrics))));
  return sim::joined(parts);
}

Tolerances tolerances_of(const CheckOptions& options, const Baseline& baseline,
                         const Results& now) {
  Tolerances tolerances = baseline.tolerances;
  for (const auto& [metric, tolerance] : tolerances) {
    check_known(options.baseline.string() + ": /tolerances", metric, baseline.results, now);
  }
  for (const std::string& text : options.tolerances) {
    auto [metric, tolerance] = parse_tolerance(text);
    check_known("--tolerance", metric, baseline.results, now);
    refuse_too_wide(metric, tolerance, baseline.results, now);
    tolerances[metric] = tolerance;
  }
  tolerances.try_emplace(kAllMetrics, kUsualTolerance);
  return tolerances;
}

int update(const CheckOptions& options, const std::optional<Baseline>& before, Results now) {
  if (const std::string errors = input_errors(options.what, now); !errors.empty()) {
    throw sim::InputError(errors);
  }
  Baseline baseline = before.value_or(Baseline{});
  const Tolerances tolerances = tolerances_of(options, baseline, now);
  const auto crashed = std::ranges::count(now.points, "crashed", &Result::state);
  if (before || crashed > 0) {
    print_styled(to_terminal(compare(baseline, now, tolerances),
                             {options.what, options.baseline.string()}, output_width()));
  }
  if (crashed > 0) {
    print_text("{}: not written: {} of the points crashed\n", options.baseline.string(), crashed);
    return 1;
  }
  const std::size_t points = now.points.size();
  sim::write_file("--baseline", options.baseline, to_text({tolerances, std::move(now)}));
  print_text("{}: written, {} point{}; tolerance: {}\n", options.baseline.string(), points,
             points == 1 ? "" : "s", tolerances_text(tolerances));
  return 0;
}

int check(const CheckOptions& options, const Baseline& baseline, const Results& now) {
  const Tolerances tolerances = tolerances_of(options, baseline, now);
  const ComparedResults comparison = compare(baseline, now, tolerances);
  // With a baseline of nothing but refusals, no prediction was compared.
  if (all_are_input_errors(now) && failures(comparison, false) == 0) {
    throw sim::InputError(input_errors(options.what, now));
  }
  const CheckedNames names{options.what, options.baseline.string(), options.strict};
  print_styled(to_terminal(comparison, names, output_width()));
  if (!options.junit.empty()) {
    sim::write_file("--junit", options.junit, to_junit(comparison, names));
  }
  if (!options.markdown.empty()) {
    sim::write_file("--markdown", options.markdown, to_markdown(comparison, names));
  }
  return failures(comparison, options.strict) > 0 ? 1 : 0;
}

}  // namespace

int check_command(const Arguments& arguments) {
  const auto options = parse_check(arguments);
  if (!options) return 0;
  if (!options->measured.steps.empty()) return check_measured(options->measured);
  const std::optional<Baseline> baseline = baseline_of(*options);
  check_outputs(*options);
  note_inputs(*options);
  // Before points are run: of a metric that the baseline lacks nothing can be compared.
  if (baseline && !options->update) static_cast<void>(tolerances_of(*options, *baseline, {}));
  Results now = results_of(*options);
  if (now.stopped_by != 0) return 128 + now.stopped_by;
  return options->update ? update(*options, baseline, std::move(now))
                         : check(*options, *baseline, now);
}

}  // namespace apps
