// SPDX-License-Identifier: Apache-2.0
#include "apps/help_json.hpp"

#include <nlohmann/json.hpp>

#include "apps/help_rows.hpp"

namespace apps {

std::string help_json(const std::string& usage,
                      const boost::program_options::options_description& flags) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const HelpRow& row : help_rows(flags)) {
    rows.push_back({{"name", row.name},
                    {"short", row.short_name},
                    {"group", row.group},
                    {"takes_value", row.takes_value},
                    {"repeats", row.repeats},
                    {"default", row.default_value},
                    {"text", row.text}});
  }
  return Json{{"usage", usage}, {"flags", rows}}.dump(1) + "\n";
}

}  // namespace apps
