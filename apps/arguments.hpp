// Parsing of a subcommand's arguments, the same for all.
#pragma once

#include <boost/program_options.hpp>

#include "apps/commands.hpp"

namespace apps {

// Parses `arguments`, prints the help and returns false for --help. Throws program_options::error,
// and InputError for an empty argument and for one that does not fit in a line of a message.
[[nodiscard]] bool parse_arguments(
    const Arguments& arguments, const char* usage,
    boost::program_options::options_description& flags,
    const boost::program_options::positional_options_description& places,
    boost::program_options::variables_map& values);

// Throws InputError unless --format is table, json or csv.
void check_format(const std::string& format);

// The parts of "a,b". An empty part is a part.
[[nodiscard]] std::vector<std::string> split(const std::string& text);

}  // namespace apps
