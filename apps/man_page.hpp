// SPDX-License-Identifier: Apache-2.0
// The help of a command as a page of man.
#pragma once

#include <boost/program_options.hpp>
#include <string>

namespace apps {

// In troff's macros for man, of section 1. `usage` begins with "usage: gardenhose COMMAND".
[[nodiscard]] std::string man_page(const std::string& usage,
                                   const boost::program_options::options_description& flags);

}  // namespace apps
