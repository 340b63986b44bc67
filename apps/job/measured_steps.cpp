// SPDX-License-Identifier: Apache-2.0
#include "apps/job/measured_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/exit_code.hpp"
#include "apps/job/read_job.hpp"
#include "apps/job/topology_files.hpp"
#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::CsvRow;
using sim::InputError;
using sim::study::MeasuredStep;

constexpr std::string_view kName = "name";
constexpr std::string_view kFlags = "flags";
constexpr std::string_view kStepSeconds = "step_s";
constexpr std::string_view kTokens = "tokens_per_second";
constexpr std::string_view kTokensPerGpu = "tokens_per_second_per_gpu";

bool is_measured(std::string_view column) {
  return column == kStepSeconds || column == kTokens || column == kTokensPerGpu;
}

// As text that parses to the same value.
std::vector<std::string> texts_of(const po::variable_value& value) {
  const boost::any& any = value.value();
  if (const auto* text = boost::any_cast<std::string>(&any)) return {*text};
  if (const auto* texts = boost::any_cast<std::vector<std::string>>(&any)) return *texts;
  if (const auto* number = boost::any_cast<int>(&any)) return {std::to_string(*number)};
  if (const auto* number = boost::any_cast<std::int64_t>(&any)) return {std::to_string(*number)};
  if (const auto* number = boost::any_cast<double>(&any)) return {fmt::format("{:.17g}", *number)};
  const auto* is_on = boost::any_cast<bool>(&any);
  sim::require(is_on != nullptr, "flags of a job are texts, numbers and switches");
  return {*is_on ? "on" : "off"};
}

double tokens_of(const MeasuredStep& step) {
  const sim::Parallelism& p = step.setup.parallelism;
  return double{1} * p.micro_batch * p.accumulation * replicas(step.job.cluster(), p) *
         step.job.model.sequence;
}

// Of the columns that say how fast the step was, a row has one.
double seconds_in(const CsvRow& row, const MeasuredStep& step) {
  std::vector<std::string> given;
  for (const auto& [column, text] : row.fields()) {
    if (is_measured(column) && !text.empty()) given.push_back(column);
  }
  if (given.size() != 1) {
    row.fail(given.empty()
                 ? "has no measured time; fill step_s, tokens_per_second or "
                   "tokens_per_second_per_gpu"
                 : fmt::format("has both {} and {}; fill one of them", given[0], given[1]));
  }
  const double value = row.number(given.front());
  const int gpus = given.front() == kTokens ? 1 : rank_count(step.job.cluster());
  const double seconds = given.front() == kStepSeconds ? value : tokens_of(step) / (value * gpus);
  constexpr double kShortest_s = 1e-6, kLongest_s = 1e6;
  if (seconds < kShortest_s || seconds > kLongest_s) {
    row.fail(fmt::format("{}: a step of {:.3g} s is out of range; give one from {:g} to {:g} s",
                         given.front(), seconds, kShortest_s, kLongest_s));
  }
  return seconds;
}

bool names_flag(const std::string& argument, const std::string& flag) {
  return argument.starts_with("--" + flag + "=");
}

// A row has flags of its job alone: --help, for one, would end the command.
void check_flag_of_row(const std::string& flag) {
  if (flag == "--help" || flag == "-h") {
    throw InputError(flag + ": prints a help text; remove it from the row");
  }
  if (flag == "--topology") {
    throw InputError("--topology: is that of the command line, for all rows; remove it here");
  }
}

// More flags, as on a command line.
void add_flags(const std::string& text, Arguments& arguments) {
  std::istringstream words(text);
  Arguments more;
  for (std::string word; words >> word;) {
    check_flag_of_row(word.substr(0, word.find('=')));
    const std::string flag = word.substr(0, word.find('=')) + "=";
    const bool may_repeat = flag == "--set=";
    if (word.starts_with("--") && !may_repeat) {
      std::erase_if(arguments, [&](const std::string& one) { return one.starts_with(flag); });
    }
    more.push_back(word);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
}

std::string problem_of_column(const std::string& column,
                              const std::vector<std::string_view>& known) {
  if (column == "set") return "cannot be a column; name the key itself, e.g. model.layers";
  if (column == "topology") return "cannot be a column; all rows are of the cluster of --topology";
  if (column.find('.') != std::string::npos || std::ranges::count(known, column) > 0) return "";
  const std::string meant = sim::suggestion(column, known);
  return "unknown column" +
         (meant.empty() ? "; a column is a flag of run, a key, or what was measured" : meant);
}

// A column is a measured time, a name, a flag, or a key with a dot.
void check_columns(const CsvRow& row, const std::string& file) {
  JobOptions unused;
  const po::options_description flags = job_flags(unused);
  std::vector<std::string_view> known{kName, kFlags, kStepSeconds, kTokens, kTokensPerGpu};
  for (const auto& flag : flags.options()) known.emplace_back(flag->long_name());
  std::vector<std::string> problems;
  for (const auto& [column, text] : row.fields()) {
    const std::string problem = problem_of_column(column, known);
    if (problem.empty()) continue;
    problems.push_back(
        fmt::format("{}{}: {}", row.header_place(), sim::printable(column), problem));
  }
  sim::throw_problems(sim::printable_path(file), problems);
}

// The flag with this value, in place of its others.
void replace_flag(const std::string& name, const std::string& value, Arguments& arguments) {
  std::erase_if(arguments, [&](const std::string& one) { return names_flag(one, name); });
  arguments.push_back(fmt::format("--{}={}", name, value));
}

Arguments arguments_in(const CsvRow& row, const Arguments& common) {
  Arguments arguments = common;
  for (const auto& [column, text] : row.fields()) {
    if (column == kName || is_measured(column) || text.empty()) continue;
    if (column == kFlags) {
      add_flags(text, arguments);
      continue;
    }
    if (column.find('.') != std::string::npos) {
      arguments.push_back(fmt::format("--set={}={}", column, text));
      continue;
    }
    replace_flag(column, text, arguments);
  }
  return arguments;
}

// Each further line with the row's place, as the first one.
std::string with_place(std::string text, const std::string& place) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, place);
  }
  return text;
}

std::string name_in(const CsvRow& row, std::size_t number) {
  const auto name = row.fields().find(std::string(kName));
  const bool has_name = name != row.fields().end() && !name->second.empty();
  return has_name ? sim::printable_line(name->second, 80) : fmt::format("row {}", number);
}

}  // namespace

Arguments job_arguments(const po::options_description& flags, const po::variables_map& values) {
  Arguments arguments;
  for (const std::string& name : names_given(flags, values)) {
    for (const std::string& text : texts_of(values[name])) {
      arguments.push_back(fmt::format("--{}={}", name, text));
    }
  }
  return arguments;
}

MeasuredStep read_step(const Arguments& arguments) {
  JobOptions options;
  po::options_description flags = job_flags(options);
  const auto values = parse_arguments(arguments, "usage: gardenhose run [FLAGS]\n", flags);
  sim::require(values.has_value(), "no row asks for help");
  options.schemes = split((*values)["scheme"].as<std::string>());
  options.given = names_given(flags, *values);
  require_cluster(options.topology, "measured steps are of one cluster");
  MeasuredStep step{.job = read_job(options)};
  if (step.job.setups.size() != 1) {
    throw InputError("--scheme: names several schemes; a measured step has one");
  }
  sim::study::check(step.job, step.job.setups);
  step.setup = step.job.setups.front();
  return step;
}

std::vector<MeasuredStep> read_measured_steps(const std::string& file, const Arguments& common) {
  constexpr std::size_t kMostRows = 200;
  const std::vector<CsvRow> rows = sim::parse_csv(sim::read_input_text(file), file);
  if (rows.empty()) {
    throw InputError(sim::printable_path(file) + ": has no row; give a measured step or more");
  }
  if (rows.size() > kMostRows) {
    throw InputError(fmt::format("{}: has {} rows; give {} or fewer", sim::printable_path(file),
                                 rows.size(), kMostRows));
  }
  check_columns(rows.front(), file);
  std::vector<MeasuredStep> steps;
  for (const CsvRow& row : rows) {
    try {
      told("run", [&] {
        MeasuredStep step = read_step(arguments_in(row, common));
        step.name = name_in(row, steps.size() + 1);
        steps.push_back(std::move(step));
      });
    } catch (const InputError& error) {
      row.fail(with_place(error.what(), row.place_of("")));
    }
    steps.back().seconds = seconds_in(row, steps.back());
  }
  return steps;
}

}  // namespace apps
