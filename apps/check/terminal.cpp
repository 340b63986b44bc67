// SPDX-License-Identifier: Apache-2.0
// to_terminal(), and what all three outputs say alike.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/check/outputs.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/text_table.hpp"

namespace apps {
namespace {

constexpr std::size_t kLongestText = 200;   // bytes of a cell
constexpr std::size_t kLongestFigure = 24;  // characters of a figure, not of a file's text

sim::Style style_of(Verdict verdict) {
  if (verdict == Verdict::better) return sim::Style::good;
  return verdict >= Verdict::worse ? sim::Style::bad : sim::Style::plain;
}

std::string shown(const std::string& text) { return sim::printable_line(text, kLongestText); }

// Texts stand below each other, so that figures stay side by side.
std::vector<sim::TableCell> row_of(const Difference& d) {
  const std::string verdict = verdict_text(d.verdict);
  if (std::max(d.before.size(), d.now.size()) > kLongestFigure) {
    return {{fmt::format("  {}: {}\n    was {}\n    is  {}", shown(d.what), verdict,
                         shown(d.before), shown(d.now)),
             style_of(d.verdict)}};
  }
  return {"  " + shown(d.what),
          shown(d.before),
          shown(d.now),
          shown(d.change),
          {verdict, style_of(d.verdict)}};
}

std::string line_of(const Difference& d) {
  const bool is_unmet = d.verdict == Verdict::unmet;
  std::vector<std::string> more;
  for (const std::string& text :
       {is_unmet && !d.change.empty() ? d.change + " off" : d.change, d.note}) {
    if (!text.empty()) more.push_back(text);
  }
  const std::string behind = more.empty() ? "" : fmt::format(" ({})", sim::joined(more, "; "));
  if (is_unmet)
    return fmt::format("{}: {} required, {} predicted{}", d.what, d.before, d.now, behind);
  return fmt::format("{}: {} -> {}{} {}", d.what, d.before, d.now, behind, verdict_text(d.verdict));
}

sim::StyledText table(const ComparedResults& comparison, const Labels& labels, std::size_t width) {
  sim::TextTable table{.align = "<>>><"};
  table.rows.push_back(sim::heading_row(
      {"", comparison.has_baseline ? "baseline" : "required", "now", "change", "verdict"}));
  for (const ComparedPoint& compared : comparison.points) {
    if (compared.differences.empty()) continue;
    table.rows.push_back({{shown(labels.of(*compared.point, false)), sim::Style::heading}});
    for (const Difference& d : compared.differences) {
      table.rows.push_back(row_of(d));
      if (!d.note.empty()) table.rows.push_back({"    " + shown(d.note)});
    }
  }
  return table.rows.size() > 1 ? to_text(table, width) : sim::StyledText{};
}

// What the processes said of points that have no figures.
std::string messages(const ComparedResults& comparison, const Labels& labels) {
  std::string text;
  for (const ComparedPoint& compared : comparison.points) {
    if (compared.differences.empty() || compared.point->message.empty()) continue;
    text += fmt::format("  {}: {}\n",
                        sim::printable_line(labels.of(*compared.point, false), kLongestText),
                        sim::printable_line(compared.point->message, 2 * kLongestText));
  }
  return text.empty() ? text : "messages\n" + text;
}

// "6 as before", or "6 within the tolerance (largest move: tokens_per_s -0.31 %)".
std::string same_text(const ComparedResults& comparison, int count) {
  if (!comparison.has_baseline) return fmt::format("{} as required", count);
  const char* const required = comparison.has_requirements ? " and as required" : "";
  const ComparedPoint& most = *std::ranges::max_element(
      comparison.points, {}, [](const ComparedPoint& one) { return std::abs(one.largest_move); });
  if (most.most_moved.empty()) {
    return fmt::format("{} {}{}", count, verdict_text(Verdict::same), required);
  }
  return fmt::format("{} within the tolerance (largest move: {} {:+.2g} %){}", count,
                     most.most_moved, 100 * most.largest_move, required);
}

// Of points that differ although no input does.
std::string cause_in_program(const ComparedResults& comparison) {
  std::set<std::string> added, gone;
  for (const ComparedPoint& compared : comparison.points) {
    for (const Difference& d : compared.differences) {
      if (d.verdict >= Verdict::fresh) continue;  // of whole points, or no difference
      if (!d.one_sided) return "none: the program itself predicts something else";
      (d.before == "-" ? added : gone).insert(shown(d.what));
    }
  }
  std::string text = "none: what both sides have is as before";
  if (!added.empty()) {
    text += fmt::format("; the baseline has no {}: --update adds {}", sim::joined(added),
                        added.size() == 1 ? "it" : "them");
  }
  if (!gone.empty()) text += fmt::format("; today's results have no {}", sim::joined(gone));
  return text;
}

}  // namespace

bool fails(Verdict verdict, bool strict) {
  return verdict >= Verdict::worse || (strict && verdict != Verdict::same);
}

int failures(const ComparedResults& comparison, bool strict) {
  return static_cast<int>(std::ranges::count_if(
      comparison.points,
      [&](const ComparedPoint& compared) { return fails(compared.verdict(), strict); }));
}

std::vector<std::string> lines_of(const ComparedPoint& compared) {
  std::vector<std::string> lines;
  for (const Difference& difference : compared.differences) lines.push_back(line_of(difference));
  if (!compared.point->message.empty()) lines.push_back(compared.point->message);
  return lines;
}

std::string names_text(const std::string& subject, const std::string& baseline) {
  return baseline.empty() ? subject : fmt::format("{} against {}", subject, baseline);
}

std::string counts_text(const ComparedResults& comparison) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::unmet, Verdict::worse, Verdict::gone, Verdict::fresh,
                                Verdict::moved, Verdict::better, Verdict::same}) {
    const int count = comparison.count(verdict);
    if (count == 0) continue;
    parts.push_back(verdict == Verdict::same ? same_text(comparison, count)
                                             : fmt::format("{} {}", count, verdict_text(verdict)));
  }
  const auto refused = std::ranges::count_if(comparison.points, [](const ComparedPoint& compared) {
    return compared.verdict() == Verdict::same && compared.point->state == "refused";
  });
  if (refused > 0) parts.back() += fmt::format(" ({} refused)", refused);
  return fmt::format("{} point{}: {}", comparison.points.size(),
                     comparison.points.size() == 1 ? "" : "s", sim::joined(parts));
}

std::vector<std::string> change_lines(const ComparedResults& comparison) {
  std::vector<std::string> lines;
  for (const InputChange& change : comparison.changes) {
    lines.push_back(fmt::format(
        "{} ({} point{}, {})", change.what, change.points, change.points == 1 ? "" : "s",
        change.moved == change.points ? std::string("moved")
        : change.moved == 0           ? std::string("nothing moved beyond the tolerance")
                                      : fmt::format("{} of them moved", change.moved)));
  }
  if (lines.empty() && comparison.has_baseline &&
      std::ranges::any_of(comparison.points, &ComparedPoint::has_moved)) {
    lines = {cause_in_program(comparison)};
  }
  return lines;
}

sim::StyledText to_terminal(const ComparedResults& comparison, const CheckedNames& names,
                            std::size_t width) {
  const Labels labels(comparison);
  sim::StyledText text = table(comparison, labels, width);
  const auto begin_part = [&text](const std::string& part) {
    if (!text.empty() && !part.empty()) append(text, "\n");
    append(text, part);
  };
  begin_part(messages(comparison, labels));
  const std::vector<std::string> changes = change_lines(comparison);
  if (!changes.empty()) begin_part("inputs that differ from the baseline\n");
  for (const std::string& change : changes) {
    append(text, "  " + sim::printable_line(change, 3 * kLongestText) + "\n");
  }
  const int failed = failures(comparison, names.strict);
  begin_part(
      fmt::format("{}: {}; ", names_text(names.subject, names.baseline), counts_text(comparison)));
  append(text, failed > 0 ? fmt::format("{} failed", failed) : "passed",
         failed > 0 ? sim::Style::bad : sim::Style::good);
  append(text, "\n");
  return text;
}

}  // namespace apps
