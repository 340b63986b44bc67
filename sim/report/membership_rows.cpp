// SPDX-License-Identifier: Apache-2.0
#include "sim/report/membership_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/report/target_rows.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

// "-" where all sites stay.
TableRow member_row(std::string label,
                    const std::function<std::string(const MembershipFigures&)>& text) {
  return {std::move(label), [text](const Report& report) {
            return report.membership ? text(*report.membership) : std::string("-");
          }};
}

TableRow member_share_row(std::string label, double MembershipFigures::*share) {
  return member_row(std::move(label), [share](const MembershipFigures& m) {
    return fmt::format("{:.2f} %", 100 * m.*share);
  });
}

// "-" without checkpoints too.
TableRow saved_share_row(std::string label, std::optional<double> MembershipFigures::*share) {
  return member_row(std::move(label), [share](const MembershipFigures& m) {
    return m.*share ? fmt::format("{:.2f} %", 100 * *(m.*share)) : std::string("-");
  });
}

}  // namespace

std::vector<TableRow> membership_rows() {
  return {
      member_row("sites in a round of a month",
                 [](const MembershipFigures& m) {
                   return fmt::format("{:.1f} of {}", m.members, m.sites);
                 }),
      member_row(
          "  that leave a day",
          [](const MembershipFigures& m) { return fmt::format("{:.1f}", m.leaves_per_day); }),
      member_row("tokens/s kept",
                 [](const MembershipFigures& m) { return fmt::format("{:.0f}", m.tokens_per_s); }),
      member_row(kRangeLabel,
                 [](const MembershipFigures& m) {
                   return fmt::format("{:.0f}-{:.0f}", m.tokens_per_s_low, m.tokens_per_s_high);
                 }),
      member_row("  by plain arithmetic",
                 [](const MembershipFigures& m) {
                   return fmt::format("{:.0f}", m.expected_tokens_per_s);
                 }),
      member_share_row("  of those with all sites", &MembershipFigures::kept_share),
      member_share_row("  steps lost with sites that left", &MembershipFigures::lost_share),
      member_share_row("  waiting for sites that left", &MembershipFigures::waited_share),
      member_share_row("  waiting for enough sites", &MembershipFigures::idle_share),
      saved_share_row("  steps undone since the checkpoint", &MembershipFigures::undone_share),
      saved_share_row("  writing checkpoints", &MembershipFigures::saved_share),
      member_row("USD per million tokens kept",
                 [](const MembershipFigures& m) {
                   return m.tokens_per_s > 0 ? fmt::format("{:.3f}", m.usd_per_million_tokens)
                                             : std::string("-");
                 }),
  };
}

}  // namespace sim
