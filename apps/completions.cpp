// SPDX-License-Identifier: Apache-2.0
#include "apps/completions.hpp"

#include <algorithm>
#include <vector>

#include "apps/flag.hpp"
#include "apps/print.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kAsked = "--complete=";
constexpr char kParts = '\n';  // no word of a command line has one

// "pipeline parallelism" of "pipeline parallelism: stages, in a 1F1B schedule", on one line.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t kLongest = 70;
  std::size_t end = text.size();
  for (const std::string_view mark : {". ", "; ", ": ", " (", ", "}) {
    end = std::min(end, text.find(mark));
  }
  return text.substr(0, std::min(end, text.rfind(' ', kLongest)));
}

// Of a flag with several values, "a,b", the last one is unfinished. `start` stands before the value:
// "--scheme=".
void print_values(const po::option_description& flag, const std::string& start,
                  const std::string& value) {
  const std::size_t comma = value.rfind(',');
  const std::string before = value.substr(0, comma == std::string::npos ? 0 : comma + 1);
  for (const std::string& one : values_of(flag)) {
    print_completion(start + value, start + before + one, "");
  }
}

const po::option_description* flag_named(const po::options_description& flags,
                                         const std::string& word) {
  return word.starts_with("--") ? flags.find_nothrow(word.substr(2), false) : nullptr;
}

}  // namespace

std::string to_argument(const UnfinishedLine& line) {
  return std::string(kAsked) + line.before + kParts + line.word;
}

std::optional<UnfinishedLine> unfinished_line(const Arguments& arguments) {
  if (arguments.size() != 1 || !arguments.front().starts_with(kAsked)) return std::nullopt;
  const std::string line = arguments.front().substr(kAsked.size());
  const std::size_t end = std::min(line.find(kParts), line.size() - 1);
  return UnfinishedLine{line.substr(0, end), line.substr(end + 1)};
}

void print_completion(std::string_view word, std::string_view candidate, std::string_view meaning) {
  if (candidate.starts_with(word)) print_text("{}\t{}\n", candidate, meaning);
}

void print_completions(const UnfinishedLine& line, const po::options_description& flags,
                       const std::string& place) {
  const std::size_t equals = line.word.find('=');
  if (line.word.starts_with("-") && equals == std::string::npos) {
    for (const auto& flag : flags.options()) {
      print_completion(line.word, "--" + flag->long_name(), beginning_of(flag->description()));
    }
  } else if (line.word.starts_with("-")) {
    const po::option_description* flag = flag_named(flags, line.word.substr(0, equals));
    if (flag == nullptr) return;
    print_values(*flag, line.word.substr(0, equals + 1), line.word.substr(equals + 1));
  } else if (const po::option_description* flag = flag_named(flags, line.before);
             flag != nullptr && takes_value(*flag)) {
    print_values(*flag, "", line.word);
  } else if (!place.empty()) {
    print_values(flags.find(place, false), "", line.word);
  }
}

}  // namespace apps
