// Parsing of a subcommand's arguments, the same for all.
#pragma once

#include <boost/program_options.hpp>

#include "apps/commands.hpp"

namespace apps {

// Parses `arguments`, prints the help and returns false for --help. Throws program_options::error.
[[nodiscard]] bool parse_arguments(
    const Arguments& arguments, const char* usage,
    boost::program_options::options_description& flags,
    const boost::program_options::positional_options_description& places,
    boost::program_options::variables_map& values);

}  // namespace apps
