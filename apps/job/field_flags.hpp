// SPDX-License-Identifier: Apache-2.0
// Flags from the rows of fields.
#pragma once

#include <boost/program_options.hpp>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/number_flags.hpp"
#include "sim/workload/parallelism_fields.hpp"

namespace apps {

// Names of flags, without dashes, that a command chooses unless they are given.
using ChosenFlags = std::set<std::string_view>;

// What a command makes of the rows.
struct FieldFlags {
  ChosenFlags chosen = {};                       // marked in the help
  std::span<const std::string_view> lists = {};  // may have several values, "1,2"
  std::map<std::string, std::vector<std::string>>* listed = nullptr;  // those that have
  bool aside = false;                                                 // none is of a first day
};

// A flag for each row. Parsed ones are in `given`, with the usual values of those that have one. The
// help shows "chosen" as the default of a chosen flag, else what is usual.
void add_field_flags(boost::program_options::options_description& flags,
                     sim::ParallelismFields rows, sim::GivenFields& given,
                     const FieldFlags& of_command = {});

// A counting flag: at least 1 if given; otherwise the option keeps its value.
[[nodiscard]] NumberFlag* count(const char* flag, int& option);

}  // namespace apps
