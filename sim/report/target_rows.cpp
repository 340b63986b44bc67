// SPDX-License-Identifier: Apache-2.0
#include "sim/report/target_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/quantity_text.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

constexpr double kMinute_s = 60;

// "-" where there is no target, or where the text is empty.
TableRow target_row(std::string label, const std::function<std::string(const TokenTarget&)>& text) {
  return {std::move(label), [text](const Report& r) {
            const std::optional<TokenTarget> none;
            const auto& target = r.goodput      ? r.goodput->target
                                 : r.membership ? r.membership->target
                                                : none;
            const std::string known = target ? text(*target) : "";
            return known.empty() ? std::string("-") : known;
          }};
}

std::string days_text(double days) { return long_time_text(days * kDay_s); }
std::string usd_text(double usd) {
  return std::isfinite(usd) ? to_text(Dollars::from_base(usd)) : "never";
}

}  // namespace

std::vector<TableRow> target_rows() {
  return {
      target_row("tokens to train",
                 [](const TokenTarget& t) { return fmt::format("{:g}", t.tokens); }),
      target_row("  time", [](const TokenTarget& t) { return days_text(t.days); }),
      target_row(kRangeLabel,
                 [](const TokenTarget& t) {
                   return joined_range(days_text(t.days_low), days_text(t.days_high), "-");
                 }),
      target_row("  price",
                 [](const TokenTarget& t) { return t.usd > 0 ? usd_text(t.usd) : std::string(); }),
      target_row(kRangeLabel,
                 [](const TokenTarget& t) {
                   return t.usd > 0 ? joined_range(usd_text(t.usd_low), usd_text(t.usd_high), "-")
                                    : std::string();
                 }),
  };
}

void add_target(const TokenTarget& t, nlohmann::ordered_json& record) {
  // JSON has no infinity.
  const auto finite = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  record.update(nlohmann::ordered_json{{"target_tokens", t.tokens},
                                       {"training_days", finite(t.days)},
                                       {"training_days_low", finite(t.days_low)},
                                       {"training_days_high", finite(t.days_high)},
                                       {"training_usd", finite(t.usd)},
                                       {"training_usd_low", finite(t.usd_low)},
                                       {"training_usd_high", finite(t.usd_high)}});
}

std::string long_time_text(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  if (seconds >= kDay_s) return fmt::format("{:.1f} days", seconds / kDay_s);
  if (seconds >= kHour_s) return fmt::format("{:.1f} h", seconds / kHour_s);
  if (seconds >= kMinute_s) return fmt::format("{:.1f} min", seconds / kMinute_s);
  return to_text(Seconds::from_base(seconds));
}

}  // namespace sim
