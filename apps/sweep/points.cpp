// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/run/run_options.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

// Of each flag of run whether it stands without a value.
using Switches = std::map<std::string, bool, std::less<>>;
Switches flags_of_run() {
  RunOptions options;
  Switches flags;
  const auto described = run_flags(options);
  for (const auto& flag : described.options()) {
    flags.emplace(flag->long_name(), flag->semantic()->max_tokens() == 0);
  }
  return flags;
}

bool is_setting(const std::string& key) { return key.find('.') != std::string::npos; }

std::string problem_of_key(const Switches& flags, const std::string& key) {
  if (key == "set") return "write the key itself, e.g. network.nic_bandwidth = [\"100 Gbps\"]";
  if (key == "jobs") return "is a flag of the sweep itself; write it as sweep -j N";
  if (key == "format" || key == "kineto" || key == "month" || key.starts_with("perfetto")) {
    return "belongs to a single run; a sweep does not print its points";
  }
  if (is_setting(key) || flags.contains(key)) return "";
  std::vector<std::string_view> names;
  for (const auto& [name, is_switch] : flags) names.push_back(name);
  const std::string meant = sim::suggestion(key, names);
  return "is not a flag of run" + (meant.empty() ? "; see gardenhose run --help=all" : meant);
}

std::string problem_of_value(const Switches& flags, const std::string& key, const Inputs& value) {
  const auto flag = flags.find(key);
  const bool is_switch = flag != flags.end() && flag->second;
  if (!is_setting(key) && value.is_boolean() != is_switch) {
    return is_switch ? "is a switch; write true or false"
                     : "is not a switch; write a string, e.g. \"on\" or \"off\"";
  }
  if (!value.is_string()) return "";
  const auto text = value.get<std::string>();
  if (has_control_characters(text)) {
    return "contains a line break or another control character; remove it";
  }
  if (key != "scheme") return "";
  if (text.find(',') == std::string::npos && text != "all") return "";
  return fmt::format("'{}' is several schemes, but a point has one; make them a list in [grid]",
                     sim::printable(text));
}

// KEY is a flag of run without its dashes, or a key of an input file as --set spells it.
constexpr sim::TomlKey kSpecKeys[] = {
    {"where", "list of strings", "every combination",
     "SQL conditions on the inputs that every point must meet. Write `_` for `-` and `.` in names; "
     "`quantity('50 Gbps')` is a number in base units."},
    {"run.KEY", "string, number, true or false", "run's default",
     "One value for all points. KEY is a flag of run without its dashes, or a key of an input "
     "file."},
    {"grid.KEY", "list of strings, numbers, true or false", "none",
     "Every combination of values from these lists is a point."},
    {"together.NAME.KEY", "list of strings, numbers, true or false", "none",
     "All lists in a table have the same length; their n-th values go together."}};

// A message of run as the spec spells what it names: a key is a key there, not the value of a flag.
std::string in_words_of_spec(const std::string& message) {
  static const std::regex key("--set ([a-z])");
  return std::regex_replace(message, key, "$1");
}

Inputs report_in_words_of_spec(const Inputs& inputs) {
  try {
    return report_of_point(inputs);
  } catch (const sim::LacksResources&) {
    throw;
  } catch (const sim::InputError& error) {
    throw sim::InputError(in_words_of_spec(error.what()));
  }
}

// "12 of 200 points, 3.40 a second, 55 s left; 2 refused or crashed". Points that ended before count
// too, but not for the rate.
std::string how_far(const Totals& totals, double elapsed_s) {
  const auto ended = static_cast<double>(totals.ended);
  const double rate = ended / elapsed_s;
  return fmt::format(
      "{} of {} points, {:.{}f} a second, {} left{}", totals.before + totals.ended,
      totals.before + totals.open, rate, rate < 10 ? 2 : 0,
      duration_text((static_cast<double>(totals.open) - ended) / rate),
      totals.failed == 0 ? "" : fmt::format("; {} refused or crashed", totals.failed));
}

}  // namespace

std::span<const sim::TomlKey> spec_keys() { return kSpecKeys; }

sim::sweep::InputRules run_inputs() {
  const auto flags = std::make_shared<const Switches>(flags_of_run());
  return {.problem_of_key = [flags](const auto& key) { return problem_of_key(*flags, key); },
          .problem_of_value =
              [flags](const auto& key, const Inputs& value) {
                return problem_of_value(*flags, key, value);
              },
          .required = {"topology", "model"}};
}

Spec read_spec(const std::filesystem::path& file) {
  return sim::sweep::read_spec(file, run_inputs());
}

Arguments arguments_of(const Inputs& inputs) {
  Arguments arguments{"run"};
  for (const auto& [key, value] : inputs.items()) {
    if (is_setting(key)) {
      // In quotes, or the text "1" would be taken for a number. JSON's texts and numbers are TOML's.
      arguments.emplace_back("--set");
      arguments.push_back(key + "=" + value.dump());
    } else if (!value.is_boolean()) {
      arguments.push_back("--" + key + "=" + text_of(value));
    } else if (value.get<bool>()) {
      arguments.push_back("--" + key);
    }
  }
  return arguments;
}

Inputs report_of_point(const Inputs& inputs, const Arguments& more) {
  Arguments arguments = arguments_of(inputs);
  arguments.erase(arguments.begin());  // "run"
  arguments.insert(arguments.end(), {"--format=json", "--jobs=1"});
  // Thrice the time: a spec asks for it with range = "on".
  if (!inputs.contains("range")) arguments.emplace_back("--range=off");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return report_of(arguments);
}

sim::sweep::Runner run_in(const std::filesystem::path& folder) {
  const auto files = std::make_shared<PointFiles>(folder);
  return {.version = GARDENHOSE_VERSION,
          .folder = folder,
          .report = report_in_words_of_spec,
          .refusal =
              [](const Inputs& inputs) {
                const Arguments arguments = arguments_of(inputs);
                return in_words_of_spec(refusal_of({arguments.begin() + 1, arguments.end()}));
              },
          .files = [files](const Inputs& inputs) { return files->of(inputs); }};
}

Totals run_open_points(Store& store, sim::sweep::Origins& origins, const sim::sweep::Runner& runner,
                       const sim::sweep::Signals& signals, const sim::sweep::Session& session) {
  for (const auto& value : refused_values(store.open_points(), runner.refusal, runner.folder)) {
    const std::string with = value.text.empty() ? "" : " with " + value.text;
    print_note("note: none of {} points{} can run: {}\n", value.points, with, value.message);
  }
  Progress progress("sweep", 0);
  progress.log_each_minute();
  sim::sweep::Runner shown = runner;
  shown.beat = [&](const Totals& totals) {
    if (totals.ended > 0) progress.show([&] { return how_far(totals, progress.elapsed_s()); });
  };
  return sim::sweep::run_points(store, origins, shown, signals, session);
}

std::string states_text(std::map<std::string, std::int64_t> counts) {
  return fmt::format("{} done, {} too large for the GPUs' memory, {} refused, {} crashed, {} open",
                     counts["done"], counts["too_large"], counts["refused"], counts["crashed"],
                     counts["open"]);
}

void note_open(Store& store) {
  const auto open = store.counts()["open"];
  if (open == 0) return;
  print_note("note: {} points have not been run yet; repeat the sweep's command to go on\n", open);
}

}  // namespace apps
