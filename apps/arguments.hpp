// SPDX-License-Identifier: Apache-2.0
// Parsing of a subcommand's arguments, the same for all subcommands, and command lines as a shell
// takes them.
#pragma once

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.hpp"
#include "apps/number_flags.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {

// A flag that may stand without its name, so many times (-1: any number).
struct Place {
  const char* flag;
  int most = 1;
};

// A flag of other commands that this one does not take, and what to do instead.
struct RefusedFlag {
  std::string_view name;     // without dashes
  std::string_view instead;  // "the plan chooses it"
};

// Parses `arguments`; for --help, prints the help and returns nothing. An optional flag may be
// written --tune=on, and --tune=off means its absence. Throws program_options::error, and
// InputError for an argument that is empty or too long for one line of a message.
[[nodiscard]] std::optional<boost::program_options::variables_map> parse_arguments(
    const Arguments& arguments, const char* usage,
    boost::program_options::options_description& flags, std::initializer_list<Place> places = {},
    std::span<const RefusedFlag> refused = {});

// The options of arguments that parse_arguments() has taken, in order.
[[nodiscard]] boost::program_options::parsed_options given_options(
    const Arguments& arguments, const boost::program_options::options_description& flags);

// The command's message about arguments that it does not take.
[[nodiscard]] std::string message_of(const boost::program_options::error& error,
                                     std::string_view command);

// --format, which a first day needs.
[[nodiscard]] boost::shared_ptr<boost::program_options::option_description> format_flag(
    std::string& format);
// Throws InputError unless --format is table, json or csv.
void check_format(const std::string& format);

// For -j, 1 to 4096: sets `jobs` to the cores available to this process, the default. Throws
// InputError for another number.
[[nodiscard]] NumberFlag* jobs_flag(int& jobs);
inline constexpr const char* kJobsHelp =
    "simulations to run at once (default: all cores, or the cores that Slurm allots)";

// A line break is one, too: no argument has any.
[[nodiscard]] bool has_control_characters(std::string_view text);

// The parts of "a,b". An empty part counts.
[[nodiscard]] std::vector<std::string> split(const std::string& text);

// A quantity of sim/base/quantity_text.hpp. Throws an InputError at the flag for any other text,
// and suggests `example`, a quantity.
template <class T>
[[nodiscard]] T quantity_of(const char* flag, std::string_view text,
                            std::string_view example = {}) {
  const auto parsed = sim::parse_quantity<T>(text, example);
  if (!parsed.value) throw sim::InputError(fmt::format("{}: {}", flag, parsed.problem));
  return *parsed.value;
}

// The same of one that is not 0.
template <class T>
[[nodiscard]] T more_than_nothing(const char* flag, const std::string& text,
                                  std::string_view example = {}) {
  const T value = quantity_of<T>(flag, text, example);
  if (!(value.base() > 0)) {
    throw sim::InputError(
        fmt::format("{}: '{}' is 0; write a positive amount", flag, sim::printable(text)));
  }
  return value;
}

// A command line in shell syntax.
[[nodiscard]] std::string shell_text(const Arguments& arguments);

}  // namespace apps
