// SPDX-License-Identifier: Apache-2.0
#include "apps/help_json.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/arguments.hpp"

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

}  // namespace

std::string help_json(const char* usage, const po::options_description& flags) {
  using Json = nlohmann::ordered_json;
  const auto groups = captions(flags);
  Json rows = Json::array();
  for (const auto& flag : flags.options()) {
    const std::string& name = flag->long_name();
    const std::string first =
        flag->canonical_display_name(po::command_line_style::allow_dash_for_short);
    const auto group = groups.find(name);
    rows.push_back({{"name", name},
                    {"short", first.starts_with("--") || first == name ? "" : first},
                    {"group", group == groups.end() ? "" : group->second},
                    {"takes_value", flag->semantic()->max_tokens() > 0},
                    {"default", default_of(*flag)},
                    {"text", flag->description()}});
  }
  return Json{{"usage", usage}, {"flags", rows}}.dump(1) + "\n";
}

}  // namespace apps
