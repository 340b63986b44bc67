// SPDX-License-Identifier: Apache-2.0
// Flags as rows of text, for the forms of the help that programs read.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace apps {

// Empty is what the flag has not.
struct HelpRow {
  std::string name, short_name;  // "jobs", "-j"
  std::string group;
  std::string default_value;
  std::string text;
  bool takes_value = false;
  bool repeats = false;  // may be given several times
};

[[nodiscard]] std::vector<HelpRow> help_rows(
    const boost::program_options::options_description& flags);

}  // namespace apps
