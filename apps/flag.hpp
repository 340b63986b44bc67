// SPDX-License-Identifier: Apache-2.0
// Flags that say more of themselves than Boost's rows: which ones a first day needs, and what they may be.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <string>
#include <vector>

namespace apps {

struct FlagTraits {
  bool first_day = false;  // in the short --help
  // Names that complete a command line. Without, those that the text begins with: "table|json|csv".
  std::function<std::vector<std::string>()> values = {};
};

// For options_description::add().
[[nodiscard]] boost::shared_ptr<boost::program_options::option_description> flag(
    const char* name, const boost::program_options::value_semantic* value, const char* text,
    FlagTraits traits);

[[nodiscard]] bool is_of_first_day(const boost::program_options::option_description& flag);
// Empty if any text or file may be.
[[nodiscard]] std::vector<std::string> values_of(
    const boost::program_options::option_description& flag);
[[nodiscard]] bool takes_value(const boost::program_options::option_description& flag);

}  // namespace apps
