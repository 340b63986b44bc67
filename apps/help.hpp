// SPDX-License-Identifier: Apache-2.0
// The help of a command: short, whole, as JSON and as a man page.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>

namespace apps {

inline constexpr std::string_view kHelpAs = "--help=";  // before the form
inline constexpr const char* kHelpText =
    "print a short help; --help=all: every flag; --help=json, --help=man: for programs, for man";

// Prints the help of this form: "" (all flags if they are few, else those of a first day), all, json or
// man. Throws InputError for any other.
void print_help(std::string_view form, const std::string& usage,
                const boost::program_options::options_description& flags);

}  // namespace apps
