// SPDX-License-Identifier: Apache-2.0
// What may follow on a command line. The scripts in apps/shell ask `gardenhose complete` for it, so that
// they know no flag themselves.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "apps/commands.hpp"

namespace apps {

struct UnfinishedLine {
  std::string before;  // the word before the unfinished one; empty: the command
  std::string word;
};

// As an argument of a command, in place of all others: the command prints what may stand for the
// unfinished word.
[[nodiscard]] std::string to_argument(const UnfinishedLine& line);
// Nothing where arguments are not for this.
[[nodiscard]] std::optional<UnfinishedLine> unfinished_line(const Arguments& arguments);

// A candidate a line, and behind a tab what it is. Prints none where a file may stand. `place` is the
// flag that may stand without its name; empty: none.
void print_completions(const UnfinishedLine& line,
                       const boost::program_options::options_description& flags,
                       const std::string& place);
void print_completion(std::string_view word, std::string_view candidate, std::string_view meaning);

}  // namespace apps
