// SPDX-License-Identifier: Apache-2.0
#include "apps/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "apps/completions.hpp"
#include "apps/flag.hpp"
#include "apps/help.hpp"
#include "apps/usable_cores.hpp"
#include "sim/base/names.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/model.hpp"

namespace apps {

namespace po = boost::program_options;

namespace {

void check_is_text(std::string_view argument) {
  if (!has_control_characters(argument)) return;
  throw sim::InputError(fmt::format(
      "'{}': the argument contains a line break or another control character; remove it",
      sim::printable(argument)));
}

// Flags that other programs have, and what they are here.
std::string_view instead_of(std::string_view flag) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"--gpus", "; write --nodes and --gpus-per-node"},
      {"--dp", "; write --nodes; data parallelism is what --tp and --pp leave"},
      {"--batch-size", "; write --global-batch or --micro-batch"},
      {"--seq", "; write --sequence"},
      {"--seq-len", "; write --sequence"},
      {"--seq-length", "; write --sequence"},
      {"--tensor-parallel", "; write --tp"},
      {"--pipeline-parallel", "; write --pp"},
      {"--context-parallel", "; write --cp"},
      {"--expert-parallel", "; write --ep"},
      {"--gradient-accumulation", "; write --accumulation"},
      {"--cluster", "; write --topology"},
      {"--json", "; write --format json"},
      {"--csv", "; write --format csv"},
      {"--output", "; write --format json or csv, and redirect the standard output to a file"}};
  const auto* other =
      std::ranges::find(kOthers, flag, &std::pair<std::string_view, std::string_view>::first);
  return other == std::end(kOthers) ? "" : other->second;
}

// For keys of input files: "; write --set network.nic_bandwidth=VALUE". Empty for all others.
std::string setting_of(const std::string& flag) {
  std::string leaf = flag.substr(std::min<std::size_t>(flag.size(), 2));
  std::ranges::replace(leaf, '-', '_');
  std::string settings;
  for (const auto keys : {sim::cluster_keys(), sim::model_keys()}) {
    for (const sim::TomlKey& row : keys) {
      if (!row.key.ends_with("." + leaf)) continue;
      settings += fmt::format("{}--set {}=VALUE", settings.empty() ? "; write " : " or ", row.key);
    }
  }
  return settings;
}

// "--micro-batch" of "--micro-batch-size": the longest that is known.
std::string beginning_of(const std::string& flag, std::span<const std::string> known) {
  std::string longest;
  for (const std::string& one : known) {
    if (one.size() > longest.size() && flag.starts_with(one + "-")) longest = one;
  }
  return longest.empty() ? "" : fmt::format("; did you mean {}?", longest);
}

// `given` may have its value behind it: "--nods=2".
[[noreturn]] void refuse_flag(const std::string& given, const po::options_description& flags,
                              std::span<const RefusedFlag> refused) {
  const std::string name = given.substr(0, given.find('='));
  for (const RefusedFlag& one : refused) {
    if (name.substr(std::min<std::size_t>(name.size(), 2)) == one.name) {
      throw sim::InputError(fmt::format("{}: {}", name, one.instead));
    }
  }
  std::vector<std::string> known;
  for (const auto& flag : flags.options()) known.push_back("--" + flag->long_name());
  const bool sets = flags.find_nothrow("set", false) != nullptr;
  std::string meant(sets ? instead_of(name) : "");
  if (meant.empty()) meant = beginning_of(name, known);
  if (meant.empty()) {
    meant = sim::suggestion(name, std::vector<std::string_view>(known.begin(), known.end()));
  }
  if (sets && meant.empty()) meant = setting_of(name);
  throw sim::InputError(
      fmt::format("{}: unknown flag{}", name, meant.empty() ? "; see --help=all" : meant));
}

// A prefix of a flag is an error: a later flag could make it mean another.
constexpr int kStyle =
    po::command_line_style::default_style & ~po::command_line_style::allow_guessing;

// "gardenhose check" of "usage: gardenhose check WHAT ...", and the word that follows it.
std::pair<std::string, std::string> command_and_place(const std::string& usage) {
  std::istringstream words(usage);
  std::string program, command, place;
  words >> program >> program >> command >> place;
  return {program + " " + command, place};
}

[[noreturn]] void refuse_extra_word(const char* usage, const Arguments& arguments,
                                    const po::options_description& flags, unsigned places) {
  std::string extra;
  const auto loose = po::command_line_parser(arguments).options(flags).style(kStyle).run();
  for (const auto& option : loose.options) {
    if (option.position_key < static_cast<int>(places)) continue;
    extra = option.value.front();
    break;
  }
  throw sim::InputError(
      fmt::format("{}: '{}' is one word too many; flags begin with --, and values with blanks "
                  "need quotes",
                  command_and_place(usage).first, sim::printable(extra)));
}

// Switches take =on and =off, as other flags do, so that what writes a command line need not know
// which flags are switches. One that is off is left out.
Arguments without_switch_values(const Arguments& arguments, const po::options_description& flags) {
  Arguments plain;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const po::option_description* flag =
        name.starts_with("--") ? flags.find_nothrow(name.substr(2), false) : nullptr;
    if (equals == std::string::npos || !flag || takes_value(*flag)) {
      plain.push_back(argument);
    } else if (const std::string value = argument.substr(equals + 1); value == "on") {
      plain.push_back(name);
    } else if (value != "off") {
      throw sim::InputError(fmt::format("{}: '{}' is neither on nor off; write {} by itself for on",
                                        name, sim::printable(value), name));
    }
  }
  return plain;
}

po::parsed_options parsed(const char* usage, const Arguments& arguments,
                          const po::options_description& flags,
                          const po::positional_options_description& places,
                          std::span<const RefusedFlag> refused) {
  try {
    return po::command_line_parser(arguments).options(flags).positional(places).style(kStyle).run();
  } catch (const po::unknown_option& error) {
    refuse_flag(error.get_option_name(), flags, refused);
  } catch (const po::too_many_positional_options_error&) {
    refuse_extra_word(usage, arguments, flags, places.max_total_count());
  }
}

// The first example of `command` in a usage, without its comment: "gardenhose check study.toml".
std::string example_in(const std::string& usage, const std::string& command) {
  const std::size_t start = usage.find("\n  " + command);
  if (start == std::string::npos) return "";
  const std::string line = usage.substr(start + 3, usage.find('\n', start + 1) - start - 3);
  const std::string text = line.substr(0, std::min(line.find("  "), line.find('\\')));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// "usage: gardenhose check WHAT ...": the first word after the command must be there.
void require_first_place(const std::string& usage, const po::options_description& flags,
                         const po::positional_options_description& places,
                         const po::variables_map& values) {
  if (places.max_total_count() == 0) return;
  const std::string& first = places.name_for_position(0);
  if (values.count(first) != 0 || !flags.find(first, false).semantic()->is_required()) return;
  const auto& [command, place] = command_and_place(usage);
  throw sim::InputError(
      fmt::format("{}: {} is missing; write e.g. {}", command, place, example_in(usage, command)));
}

}  // namespace

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
}

std::string message_of(const po::error& error, std::string_view command) {
  return fmt::format("gardenhose {}: {}; see --help", command, error.what());
}

NumberFlag* jobs_flag(int& jobs) {
  jobs = usable_cores();
  return number_flag<int>("-j", [&jobs](int given) {
    jobs = given;
    if (jobs >= 1 && jobs <= 4096) return;
    throw sim::InputError(fmt::format("-j: {} is out of range; write 1 to 4096", jobs));
  });
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text + ',');
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

boost::shared_ptr<po::option_description> format_flag(std::string& format) {
  return flag("format", po::value(&format)->default_value("table"), "table|json|csv",
              {.first_day = true});
}

void check_format(const std::string& format) {
  if (format == "table" || format == "json" || format == "csv") return;
  throw sim::InputError(
      fmt::format("--format: '{}' is not one of: table, json, csv", sim::printable(format)));
}

std::optional<po::variables_map> parse_arguments(const Arguments& arguments, const char* usage,
                                                 po::options_description& flags,
                                                 std::initializer_list<Place> named,
                                                 std::span<const RefusedFlag> refused) {
  po::positional_options_description places;
  for (const auto& [flag, most] : named) places.add(flag, most);
  po::variables_map values;
  flags.add_options()("help", kHelpText);
  if (const auto line = unfinished_line(arguments)) {
    print_completions(*line, flags, named.size() == 0 ? "" : named.begin()->flag);
    return std::nullopt;
  }
  for (const std::string& argument : arguments) {
    check_is_text(argument);
    if (!argument.starts_with(kHelpAs)) continue;
    print_help(argument.substr(kHelpAs.size()), usage, flags);
    return std::nullopt;
  }
  const po::parsed_options given =
      parsed(usage, without_switch_values(arguments, flags), flags, places, refused);
  for (const auto& option : given.options) {
    if (std::ranges::find(option.value, "") != option.value.end()) {
      throw sim::InputError(
          fmt::format("--{}: is empty; specify a value, or leave the flag out", option.string_key));
    }
  }
  po::store(given, values);
  if (values.count("help") != 0) {
    print_help("", usage, flags);
    return std::nullopt;
  }
  require_first_place(usage, flags, places, values);
  po::notify(values);
  return values;
}

po::parsed_options given_options(const Arguments& arguments, const po::options_description& flags) {
  return po::command_line_parser(without_switch_values(arguments, flags))
      .options(flags)
      .style(kStyle)
      .run();
}

std::string shell_text(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    const bool plain =
        argument.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,") ==
        std::string::npos;
    std::string shown = argument;
    for (std::size_t at = 0; !plain && (at = shown.find('\'', at)) != std::string::npos; at += 4) {
      shown.replace(at, 1, "'\\''");
    }
    text += (text.empty() ? "" : " ") + (plain ? shown : "'" + shown + "'");
  }
  return text;
}

}  // namespace apps
