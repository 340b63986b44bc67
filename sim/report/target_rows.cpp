// SPDX-License-Identifier: Apache-2.0
#include "sim/report/target_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sim/base/quantity_text.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

constexpr double kMinute_s = 60;

// "-" where there is no target, or where the text is empty.
TableRow target_row(std::string label, const std::function<std::string(const TokenTarget&)>& text) {
  return {std::move(label), [text](const Report& r) {
            const auto target = r.target();
            const std::string known = target ? text(*target) : "";
            return known.empty() ? std::string("-") : known;
          }};
}

}  // namespace

std::vector<TableRow> target_rows() {
  return {
      target_row("tokens to train",
                 [](const TokenTarget& t) { return fmt::format("{:g}", t.tokens); }),
      target_row("  time", [](const TokenTarget& t) { return long_time_text(t.days * kDay_s); }),
      target_row(kRangeLabel,
                 [](const TokenTarget& t) {
                   const auto end = [&](double days) {
                     return long_time_text(days * kDay_s, t.days * kDay_s);
                   };
                   return joined_range(end(t.days_low), end(t.days_high));
                 }),
      target_row("  price",
                 [](const TokenTarget& t) {
                   return t.usd > 0 ? total_text(t.usd, t.usd) : std::string();
                 }),
      target_row(kRangeLabel,
                 [](const TokenTarget& t) {
                   return t.usd > 0 ? joined_range(total_text(t.usd_low, t.usd),
                                                   total_text(t.usd_high, t.usd))
                                    : std::string();
                 }),
  };
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

}  // namespace sim
