// SPDX-License-Identifier: Apache-2.0
// gardenhose: predicts how fast a model trains over a network with each compression scheme.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/completions.hpp"
#include "apps/exit_code.hpp"
#include "apps/help.hpp"
#include "apps/print.hpp"
#include "apps/streams.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const apps::Arguments&);
};

constexpr Command kCommands[] = {
    {"run", "simulate a training step with one or several schemes", apps::run_command},
    {"compare",
     "compare two configurations: which is better, how certain that is, what would flip it",
     apps::compare_command},
    {"map", "map the fastest scheme over NIC bandwidths and models", apps::map_command},
    {"plan", "find the cheapest, fastest or smallest setup that trains a model on N tokens",
     apps::plan_command},
    {"solve", "find the bandwidth, latency, inner steps, peers or layers for a given utilisation",
     apps::solve_command},
    {"sweep", "run a grid of points on all cores; the same command resumes it",
     apps::sweep_command},
    {"export", "export the results of a sweep as CSV or JSON lines", apps::export_command},
    {"merge", "merge the stores of a sweep's shards into one", apps::merge_command},
    {"report", "show the results of a sweep in one HTML page that works offline",
     apps::report_command},
    {"serve", "open a page of this computer on which to change everything and see what happens",
     apps::serve_command},
    {"check", "compare predictions with a baseline kept in git: a regression test for CI",
     apps::check_command},
    {"collective", "time one collective over a range of sizes, with the columns of nccl-tests",
     apps::collective_command},
    {"bom", "count the switches, optics and cables of a cluster's network, with prices and watts",
     apps::bom_command},
    {"fit", "fit a cluster file's constants to logs of nccl-tests, measured steps or traces",
     apps::fit_command},
    {"validate", "rerun published experiments and print predictions next to measurements",
     apps::validate_command},
    {"list", "list the shipped schemes, codecs, topologies, sites, models and calibrations",
     apps::list_command},
};

struct ExitCode {
  int code;
  std::string_view meaning;
};
constexpr ExitCode kExitCodes[] = {
    {0, "success"},
    {1, "a regression or failed points"},
    {apps::kWrongInput, "invalid input (one line per problem), or out of memory"},
    {apps::kBug, "internal error"},
    {128 + SIGINT, "stopped by Ctrl-C"},
    {128 + SIGTERM, "stopped by SIGTERM"}};

void print_help_json() {
  nlohmann::ordered_json commands, codes;
  for (const Command& command : kCommands) {
    commands.push_back({{"name", command.name}, {"summary", command.summary}});
  }
  for (const ExitCode& row : kExitCodes) {
    codes.push_back({{"code", row.code}, {"meaning", row.meaning}});
  }
  const nlohmann::ordered_json all{{"commands", commands}, {"exit_codes", codes}};
  apps::print_json(all.dump(1) + "\n");
}

std::string usage() {
  std::string text =
      "usage: gardenhose COMMAND [FLAGS]      gardenhose COMMAND --help\n\n"
      "How fast does this model train over this network, with this compression?\n\n";
  for (const Command& command : kCommands)
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  text +=
      "\nexamples:\n"
      "  gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit --baseline twin\n"
      "  gardenhose validate sdp4bit\n"
      "  gardenhose sweep study.toml && gardenhose report study.sqlite\n\n"
      "exit codes:\n";
  for (const ExitCode& row : kExitCodes)
    text += fmt::format("  {:<10} {}\n", row.code, row.meaning);
  return text +
         "\n"
         "environment:\n"
         "  COLUMNS    width of tables if standard output is not a terminal (default: 100)\n"
         "  NO_COLOR   if not empty, turns off colour on a terminal\n";
}

apps::Arguments with_long_help(apps::Arguments arguments) {
  std::ranges::replace(arguments, "-h", "--help");
  return arguments;
}

int dispatch(std::string_view name, const apps::Arguments& arguments);

// `words` follow the program's name on an unfinished command line; the last one is unfinished.
int complete(const apps::Arguments& words) {
  if (words.empty()) return 0;
  if (words.size() > 1) {
    const std::string before = words.size() > 2 ? words[words.size() - 2] : "";
    return dispatch(words.front(), {apps::to_argument({before, words.back()})});
  }
  for (const Command& command : kCommands) {
    apps::print_completion(words.back(), command.name, command.summary);
  }
  return 0;
}

int dispatch(std::string_view name, const apps::Arguments& arguments) {
  if (name == "help" && !arguments.empty()) return dispatch(arguments.front(), {"--help"});
  if (name == "complete") return complete(arguments);
  if (name == "--help=json") {
    print_help_json();
    return 0;
  }
  if (name == "--help" || name == "-h" || name == "help" || name.starts_with(apps::kHelpAs)) {
    const std::size_t form = name.starts_with(apps::kHelpAs) ? apps::kHelpAs.size() : name.size();
    apps::print_help(name.substr(form), usage(), {});
    return 0;
  }
  if (name == "--version") {
    apps::print_text("gardenhose {}\n", GARDENHOSE_VERSION);
    return 0;
  }
  std::vector<std::string_view> known;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(with_long_help(arguments));
    known.push_back(command.name);
  }
  const std::string meant = sim::suggestion(name, known);
  throw sim::InputError(fmt::format("gardenhose: '{}' is not a command{}", sim::printable(name),
                                    meant.empty() ? "; see gardenhose --help" : meant));
}

}  // namespace

int main(int argc, char** argv) {
  apps::hold_standard_descriptors();
  const std::span given(argv, static_cast<std::size_t>(argc));
  const std::string name = argc > 1 ? given[1] : "--help";
  return apps::exit_code_of(argc > 1 ? name : "", [&] {
    return dispatch(name,
                    argc > 1 ? apps::Arguments(given.begin() + 2, given.end()) : apps::Arguments());
  });
}
