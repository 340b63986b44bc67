// SPDX-License-Identifier: Apache-2.0
#include "apps/help_rows.hpp"

#include <map>
#include <sstream>

#include "apps/flag.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

// The caption above each flag, by its name. Boost shows captions, and hands out none.
std::map<std::string, std::string> captions(const po::options_description& flags) {
  std::ostringstream shown;
  shown << flags;
  std::istringstream lines(shown.str());
  std::map<std::string, std::string> captions;
  std::string caption;
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.find("--");
    if (!line.empty() && line.front() != ' ') {
      caption = line.substr(0, line.rfind(':'));
    } else if (name != std::string::npos) {
      captions.emplace(line.substr(name + 2, line.find(' ', name) - name - 2), caption);
    }
  }
  return captions;
}

// "8" of "arg (=8)".
std::string default_of(const po::option_description& flag) {
  const std::string parameter = flag.format_parameter();
  const auto start = parameter.find("(=");
  return start == std::string::npos ? ""
                                    : parameter.substr(start + 2, parameter.rfind(')') - start - 2);
}

// Whether the flag may be given several times: it then appends to a list.
bool repeats(const po::option_description& flag) {
  using Texts = po::typed_value<std::vector<std::string>>;
  return dynamic_cast<const Texts*>(flag.semantic().get()) != nullptr;
}

}  // namespace

std::vector<HelpRow> help_rows(const po::options_description& flags) {
  const auto groups = captions(flags);
  std::vector<HelpRow> rows;
  for (const auto& flag : flags.options()) {
    const std::string& name = flag->long_name();
    const std::string first =
        flag->canonical_display_name(po::command_line_style::allow_dash_for_short);
    const auto group = groups.find(name);
    rows.push_back({.name = name,
                    .short_name = first.starts_with("--") || first == name ? "" : first,
                    .group = group == groups.end() ? "" : group->second,
                    .default_value = default_of(*flag),
                    .text = flag->description(),
                    .takes_value = takes_value(*flag),
                    .repeats = repeats(*flag)});
  }
  return rows;
}

}  // namespace apps
