// SPDX-License-Identifier: Apache-2.0
#include "apps/help.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "apps/flag.hpp"
#include "apps/help_json.hpp"
#include "apps/man_page.hpp"
#include "apps/print.hpp"
#include "sim/base/names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

// What wraps the help leaves some at the ends of lines.
std::string without_trailing_blanks(const std::string& text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string line; std::getline(stream, line);) {
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return result;
}

std::string listed(const po::options_description& flags) {
  std::ostringstream text;
  text << flags;
  return without_trailing_blanks(text.str());
}

std::string whole(const std::string& usage, const po::options_description& flags) {
  return fmt::format("{}\n{}", usage, listed(flags));
}

std::string brief(const std::string& usage, const po::options_description& flags) {
  constexpr std::size_t kFew = 15;
  if (flags.options().size() <= kFew) return whole(usage, flags);
  po::options_description few(
      fmt::format("The first flags to know; --help=all lists all {}", flags.options().size()));
  for (const auto& flag : flags.options()) {
    if (is_of_first_day(*flag)) few.add(flag);
  }
  return whole(usage, few);
}

struct Form {
  std::string_view name;
  std::string (*text)(const std::string& usage, const po::options_description& flags);
  bool is_json = false;
};
constexpr Form kForms[] = {
    {"", brief}, {"all", whole}, {"json", help_json, true}, {"man", man_page}};

}  // namespace

void print_help(std::string_view form, const std::string& usage,
                const po::options_description& flags) {
  std::vector<std::string_view> known;
  for (const Form& row : kForms) {
    if (row.name == form) {
      const std::string text = row.text(usage, flags);
      return row.is_json ? print_json(text) : print_text("{}", text);
    }
    if (!row.name.empty()) known.push_back(row.name);
  }
  sim::refuse_name("--help", form, known);
}

}  // namespace apps
