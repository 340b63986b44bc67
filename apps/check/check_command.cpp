// SPDX-License-Identifier: Apache-2.0
// check: today's predictions beside those of a baseline that lies in git.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/check/input_errors.hpp"
#include "apps/check/limits.hpp"
#include "apps/check/measured.hpp"
#include "apps/check/outputs.hpp"
#include "apps/flag.hpp"
#include "apps/job/measured_steps.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/terminal.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/names.hpp"

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
    "With --require, a point also fails when a metric is not what it must be, whatever it was\n"
    "before, or when the point does not fit or has no such metric. A requirement needs no "
    "baseline:\n\n"
    "  gardenhose check study.toml --require 'speedup>=1.05 @ scheme=sdp4bit'\n"
    "  gardenhose check study.toml --update --require 'step_time_s<=2.5 s'   # of all later "
    "checks\n\n"
    "A speed-up is shown with its reference, and whether that moved or the scheme. In GitHub\n"
    "Actions, failing points are annotations of a pull request too.\n\n"
    "With --measured, compares one's own measured steps with what is predicted of them now: a "
    "step\n"
    "outside the likely range fails, and with --trace a group of kernels.\n\n"
    "  gardenhose check --measured steps.csv --topology mine.toml --micro-batch 4\n\n"
    "exit codes: 0 no point fails, 1 a point does, 2 invalid input, 130 stopped by Ctrl-C\n";

struct CheckOptions {
  std::string what;
  fs::path baseline;  // empty: none can be
  bool names_baseline = false;
  int jobs = 1;
  LimitFlags limits;
  bool strict = false, update = false, annotates = false;
  std::string junit, markdown;
  MeasuredCheck measured;  // of measured steps alone
};

bool is_spec(const std::string& what) { return what.ends_with(".toml"); }

fs::path default_baseline(const CheckOptions& options) {
  if (options.what != "-") return fs::path(options.what).replace_extension(".baseline.json");
  if (!options.update && !options.limits.requirements.empty()) return {};
  throw sim::InputError("--baseline: is required when results come from standard input");
}

enum class Annotate { in_actions, always, never };
constexpr sim::EnumName<Annotate> kAnnotate[] = {
    {"auto", Annotate::in_actions}, {"on", Annotate::always}, {"off", Annotate::never}};

bool annotates(const std::string& text) {
  const Annotate chosen = sim::chosen("--annotations", text, kAnnotate);
  const char* const actions = std::getenv("GITHUB_ACTIONS");
  const bool in_actions = actions != nullptr && std::string_view(actions) == "true";
  return chosen == Annotate::always || (chosen == Annotate::in_actions && in_actions);
}

std::optional<CheckOptions> parse_check(const Arguments& given) {
  CheckOptions o;
  std::string baseline, annotations = "auto";
  po::options_description flags("Flags");
  auto add = flags.add_options();
  flags.add(flag("what", po::value(&o.what),
                 "SPEC.toml, STORE.sqlite, RUN.json or - (--what itself may be omitted)",
                 {.first_day = true}));
  flags.add(flag("baseline", po::value(&baseline),
                 "JSON file of the baseline (default: WHAT.baseline.json next to WHAT)",
                 {.first_day = true}));
  flags.add(flag("update", po::bool_switch(&o.update),
                 "write a new baseline, with the old one's tolerances", {.first_day = true}));
  flags.add(flag(
      "tolerance", po::value(&o.limits.tolerances),
      "METRIC=0.5%, METRIC=1e-6 (in its unit), METRIC=0.5%,1e-6 (both) or METRIC=off; the metric "
      "'all' covers metrics without a tolerance of their own. May be repeated; --update keeps them "
      "in the baseline",
      {.first_day = true}));
  flags.add(flag(
      "require", po::value(&o.limits.requirements),
      "what a metric must be: 'speedup>=1.05', 'step_time_s<=2.5 s', 'mfu>40 %', for the points "
      "behind @ alone: 'speedup>=1.05 @ scheme=sdp4bit nodes=4'. In quotes. Needs no baseline. May "
      "be repeated; --update keeps them in the baseline",
      {.first_day = true}));
  add("strict", po::bool_switch(&o.strict), "fail on every change, improvements included");
  add("junit", po::value(&o.junit), "file for JUnit XML, with one test case per point");
  flags.add(flag("markdown", po::value(&o.markdown),
                 "file for a Markdown summary, e.g. for the page of a CI job",
                 {.first_day = true}));
  add("annotations", po::value(&annotations),
      "auto, on or off: print failing points as GitHub Actions shows them beside the lines of a "
      "pull "
      "request, at most 10 (default: auto, where GITHUB_ACTIONS is true)");
  add("jobs,j", jobs_flag(o.jobs), "points of a spec to run at once (default: all cores)");
  flags.add(
      flag("measured", po::value(&o.measured.steps), kMeasuredStepsHelp, {.first_day = true}));
  add("trace", po::value(&o.measured.traces)->composing(),
      "with --measured of one step: file of a PyTorch profiler's trace of it, whose kernels to "
      "compare too; may be repeated, once for each rank");
  JobOptions job;
  const po::options_description setup = job_flags(job, {.may_lack_files = true, .aside = true});
  const po::options_description own = flags;
  flags.add(setup);
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto values = parse_arguments(*arguments, kCheckUsage, flags, {{"what"}});
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
  o.annotates = annotates(annotations);
  if (o.update && (o.strict || !o.junit.empty() || !o.markdown.empty())) {
    throw sim::InputError(
        "--update: writes the baseline; leave out --strict, --junit and --markdown, which are for "
        "a check");
  }
  check_limits(o.limits);
  o.names_baseline = !baseline.empty();
  o.baseline = o.names_baseline ? fs::path(baseline) : default_baseline(o);
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

// None where --update writes the first one, and none for requirements that stand alone.
std::optional<Baseline> baseline_of(const CheckOptions& options) {
  std::error_code error;
  if (fs::exists(options.baseline, error)) return read_baseline(options.baseline, options.update);
  if (options.update) return std::nullopt;
  if (options.what != "-" && !fs::exists(options.what, error)) {
    throw sim::InputError(options.what + ": no such file");
  }
  const bool may_stand_alone =
      !options.limits.requirements.empty() && options.limits.tolerances.empty();
  if (may_stand_alone && !options.names_baseline) return std::nullopt;
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

// Of the results beside those of the baseline, if there is one, and with what is unmet.
ComparedResults judge(const std::optional<Baseline>& baseline, const Limits& limits,
                      const Results& now) {
  ComparedResults comparison =
      baseline ? compare(*baseline, now, limits.tolerances) : compared_with_nothing(now);
  add_unmet(limits.requirements, comparison);
  return comparison;
}

int update(const CheckOptions& options, const std::optional<Baseline>& before, Results now) {
  if (const std::string errors = input_errors(options.what, now); !errors.empty()) {
    throw sim::InputError(errors);
  }
  const std::string file = options.baseline.string();
  Limits limits = limits_of(options.limits, before, file, now);
  const ComparedResults comparison = judge(before, limits, now);
  const auto crashed = std::ranges::count(now.points, "crashed", &Result::state);
  if (before || failures(comparison, false) > 0) {
    print_styled(to_terminal(comparison, {options.what, before ? file : ""}, output_width()));
  }
  if (crashed > 0) {
    print_text("{}: not written: {} of the points crashed\n", file, crashed);
    return 1;
  }
  const std::size_t points = now.points.size();
  const std::string text = limits_text(limits);
  sim::write_file("--baseline", options.baseline, to_text({std::move(limits), std::move(now)}));
  print_text("{}: written, {} point{}; {}\n", file, points, points == 1 ? "" : "s", text);
  return 0;
}

int check(const CheckOptions& options, const std::optional<Baseline>& baseline,
          const Results& now) {
  const std::string file = options.baseline.string();
  const ComparedResults comparison =
      judge(baseline, limits_of(options.limits, baseline, file, now), now);
  // Without a baseline, or with one of nothing but refusals, no prediction was compared.
  const std::string errors = input_errors(options.what, now);
  if (!errors.empty() &&
      (!baseline || (all_are_input_errors(now) && failures(comparison, false) == 0))) {
    throw sim::InputError(errors);
  }
  const CheckedNames names{options.what, baseline ? file : "", options.strict};
  print_styled(to_terminal(comparison, names, output_width()));
  if (!options.junit.empty()) {
    sim::write_file("--junit", options.junit, to_junit(comparison, names));
  }
  if (!options.markdown.empty()) {
    sim::write_file("--markdown", options.markdown, to_markdown(comparison, names));
  }
  if (options.annotates) print_text("{}", to_annotations(comparison, names));
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
  if (!options->update) {
    static_cast<void>(limits_of(options->limits, baseline, options->baseline.string(), {}));
  }
  Results now = results_of(*options);
  if (now.stopped_by != 0) return 128 + now.stopped_by;
  return options->update ? update(*options, baseline, std::move(now))
                         : check(*options, baseline, now);
}

}  // namespace apps
