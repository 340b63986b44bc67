// Arguments of a subcommand, parsed the same for all, and as a shell takes them.
#pragma once

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {

// Parses `arguments`, prints the help and returns false for --help. A flag without a value may be
// given as --tune=on, and --tune=off is none. Throws program_options::error,
// and InputError for an empty argument and for one that does not fit in a line of a message.
[[nodiscard]] bool parse_arguments(
    const Arguments& arguments, const char* usage,
    boost::program_options::options_description& flags,
    const boost::program_options::positional_options_description& places,
    boost::program_options::variables_map& values);

// What the command says of arguments that are none.
[[nodiscard]] std::string message_of(const boost::program_options::error& error,
                                     std::string_view command);

// Throws InputError unless --format is table, json or csv.
void check_format(const std::string& format);

// The parts of "a,b". An empty part is a part.
[[nodiscard]] std::vector<std::string> split(const std::string& text);

// A quantity of sim/base/quantity_text.hpp. Throws InputError at the flag for what is none, and where
// it has no unit suggests `example`.
template <class T>
[[nodiscard]] T quantity_of(const char* flag, std::string_view text,
                            std::string_view example = {}) {
  const auto parsed = sim::parse_quantity<T>(text, example);
  if (!parsed.value) throw sim::InputError(fmt::format("{}: {}", flag, parsed.problem));
  return *parsed.value;
}

// A command line as a shell takes it.
[[nodiscard]] std::string shell_text(const Arguments& arguments);

}  // namespace apps
