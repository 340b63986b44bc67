// to_terminal(), and what all three outputs say alike.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "apps/check/outputs.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::size_t kLongestText = 200;  // bytes of a cell
constexpr std::array<const char*, 6> kHeader{"point", "what", "baseline", "now", "change", ""};
using Cells = std::array<std::string, kHeader.size()>;

std::vector<Cells> cells_of(const ComparedResults& comparison, const Labels& labels) {
  std::vector<Cells> all;
  for (const ComparedPoint& compared : comparison.points) {
    std::string label = labels.of(*compared.point, false);
    for (const Difference& d : compared.differences) {
      all.push_back({std::move(label), d.what, d.before, d.now, d.change, verdict_text(d.verdict)});
      label.clear();  // once for each point
      for (std::string& cell : all.back()) cell = sim::printable_line(cell, kLongestText);
    }
  }
  return all;
}

std::string table(const std::vector<Cells>& rows) {
  std::array<std::size_t, kHeader.size()> widths{};
  for (std::size_t i = 0; i < kHeader.size(); ++i) {
    widths[i] = std::string_view(kHeader[i]).size();
    for (const Cells& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto add = [&](const auto& cells) {
    std::string line = fmt::format("{:<{}}  {:<{}}", cells[0], widths[0], cells[1], widths[1]);
    for (std::size_t i = 2; i < 5; ++i) line += fmt::format("  {:>{}}", cells[i], widths[i]);
    line += fmt::format("  {}", cells[5]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(kHeader);
  for (const Cells& row : rows) add(row);
  return text;
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
  return text.empty() ? text : "\nmessages\n" + text;
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

std::string counts_text(const ComparedResults& comparison) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::worse, Verdict::gone, Verdict::fresh, Verdict::moved,
                                Verdict::better, Verdict::same}) {
    const int count = comparison.count(verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, verdict_text(verdict)));
  }
  return fmt::format("{} point{}: {}", comparison.points.size(),
                     comparison.points.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

std::vector<std::string> change_lines(const ComparedResults& comparison) {
  std::vector<std::string> lines;
  for (const InputChange& change : comparison.changes) {
    lines.push_back(fmt::format(
        "{} ({} point{}, {})", change.what, change.points, change.points == 1 ? "" : "s",
        change.moved == change.points ? std::string("moved")
        : change.moved == 0           ? std::string("nothing moved")
                                      : fmt::format("{} of them moved", change.moved)));
  }
  const auto same = static_cast<std::size_t>(comparison.count(Verdict::same));
  if (lines.empty() && same < comparison.points.size()) {
    lines.emplace_back("none: it is the program that says something else");
  }
  return lines;
}

std::string to_terminal(const ComparedResults& comparison, const CheckedNames& names) {
  std::string text;
  const Labels labels(comparison);
  const std::vector<Cells> rows = cells_of(comparison, labels);
  if (!rows.empty()) text += table(rows);
  text += messages(comparison, labels);
  const std::vector<std::string> changes = change_lines(comparison);
  if (!changes.empty()) text += "\ninputs that are not those of the baseline\n";
  for (const std::string& change : changes)
    text += "  " + sim::printable_line(change, 3 * kLongestText) + "\n";
  const int failed = failures(comparison, names.strict);
  return text + fmt::format("{}{} beside {}: {}; {}\n", text.empty() ? "" : "\n", names.subject,
                            names.baseline, counts_text(comparison),
                            failed > 0 ? fmt::format("{} failed", failed) : std::string("passed"));
}

}  // namespace apps
