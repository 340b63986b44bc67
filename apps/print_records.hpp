// SPDX-License-Identifier: Apache-2.0
// Records for scripts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace apps {

// As JSON or CSV, by --format; for a table, nothing.
void print_records(const std::string& format, const std::vector<nlohmann::ordered_json>& records);
// The same where JSON is more than the records: `whole`.
void print_records(const std::string& format, const nlohmann::ordered_json& whole,
                   const std::vector<nlohmann::ordered_json>& records);

}  // namespace apps
