// SPDX-License-Identifier: Apache-2.0
#include "sim/report/records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMinute_s = 60;

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return number_in<double>(text).has_value();
}

// Spreadsheets compute what begins like this; an apostrophe before it tells them that it is text.
bool is_formula(std::string_view text) {
  constexpr std::string_view kBeginnings = "=+-@\t\r";
  return text.size() > 1 && kBeginnings.find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

// Quoted where it holds what CSV gives a meaning.
std::string field(const Json& value) {
  if (!value.is_string()) return value.dump() == "null" ? "" : value.dump();
  std::string text = value.get<std::string>();
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace

std::string batch_text(std::int64_t sequences, int tokens, std::string_view step) {
  return fmt::format("global batch: {} sequence{} x {} tokens = {} tokens per {}", sequences,
                     sequences == 1 ? "" : "s", tokens, sequences * tokens, step);
}

std::string time_text(double seconds) {
  return std::isfinite(seconds) ? to_text(Seconds::from_base(seconds)) : "never";
}

std::string number_text(double number, int decimals) {
  constexpr double kLong = 1e9;
  return number < kLong ? fmt::format("{:.{}f}", number, decimals) : fmt::format("{:.3g}", number);
}

std::string long_time_text(double seconds) { return long_time_text(seconds, seconds); }

std::string long_time_text(double seconds, double like) {
  if (!std::isfinite(seconds)) return "never";
  if (!std::isfinite(like)) like = seconds;
  const auto in = [&](double unit_s, const char* unit) {
    const double number = seconds / unit_s;
    return fmt::format("{} {}", number_text(number, number < 0.95 ? 2 : 1), unit);
  };
  if (like >= kDay_s) return in(kDay_s, "days");
  if (like >= kHour_s) return in(kHour_s, "h");
  if (like >= kMinute_s) return in(kMinute_s, "min");
  return to_text(Seconds::from_base(seconds));
}

std::string total_text(double usd, double like) {
  if (!std::isfinite(usd)) return "never";
  return to_text(Dollars::from_base(usd), Dollars::from_base(std::isfinite(like) ? like : usd));
}

std::string error_text(const CodecErrors& errors, const std::string& distribution) {
  if (!errors.contains("normal") && !errors.contains("student_t3")) return "-";
  const auto found = errors.find(distribution);
  if (found == errors.end() || !found->second) return "not known";
  return fmt::format("{:.3g}", *found->second);
}

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const std::vector<Json>& records) {
  return dumped(records.size() == 1 ? records.front() : Json(records), 1) + "\n";
}

std::string csv_text(const std::vector<Json>& records) {
  std::string text;
  for (const Json& record : records) {
    std::string names, values;
    for (const auto& [name, value] : record.items()) {
      names += (names.empty() ? "" : ",") + field(name);
      values += (values.empty() ? "" : ",") + field(value);
    }
    if (text.empty()) text = names + "\n";
    text += values + "\n";
  }
  return text;
}

}  // namespace sim
