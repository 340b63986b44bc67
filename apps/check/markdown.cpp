// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "apps/check/outputs.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::size_t kMostRows = 500, kMostChanges = 100;
constexpr std::size_t kLongestCell = 200;  // bytes of a cell: all of them are below 1 MiB

// Code, in which nothing has a meaning but the backticks, of which there are fewer inside than
// around it, and the bar, which ends a table's cell.
std::string code(std::string_view text) {
  const std::string line = sim::printable_line(text, kLongestCell);
  std::size_t longest = 0, run = 0;
  for (const char letter : line) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string body;
  for (const char letter : line) {
    body += letter == '|' ? std::string("\\|") : std::string(1, letter);
  }
  if (body.empty()) return "";
  return longest > 0 ? fence + " " + body + " " + fence : fence + body + fence;
}

std::string rows_of(const ComparedPoint& compared, const std::string& label, std::size_t most) {
  std::string rows;
  std::size_t count = 0;
  for (const Difference& d : compared.differences) {
    if (++count > most) break;
    const std::string verdict = verdict_text(d.verdict);
    rows += fmt::format("| {} | {} | {} | {} | {} | {}{} |\n", code(label), code(d.what),
                        code(d.before), code(d.now), d.change,
                        fails(d.verdict, false) ? "**" + verdict + "**" : verdict,
                        d.note.empty() ? "" : " " + code(d.note));
  }
  return rows;
}

std::string table(const ComparedResults& comparison) {
  std::string rows;
  std::size_t shown = 0, all = 0;
  const Labels labels(comparison);
  for (const ComparedPoint& compared : comparison.points) {
    rows += rows_of(compared, labels.of(*compared.point, false), kMostRows - shown);
    shown = std::min(kMostRows, shown + compared.differences.size());
    all += compared.differences.size();
  }
  if (rows.empty()) return "";
  if (all > shown) rows += fmt::format("\n... and {} more\n", all - shown);
  return fmt::format("| point | what | {} | now | change | |\n",
                     comparison.has_baseline ? "baseline" : "required") +
         "| --- | --- | ---: | ---: | ---: | --- |\n" + rows + "\n";
}

}  // namespace

std::string to_markdown(const ComparedResults& comparison, const CheckedNames& names) {
  const int failed = failures(comparison, names.strict);
  std::string text = fmt::format(
      "### {}: {}\n\n"
      "{}\n\n",
      names_text(code(names.subject), code(names.baseline)),
      failed > 0 ? fmt::format("{} failed", failed) : std::string("passed"),
      counts_text(comparison));
  text += table(comparison);
  const std::vector<std::string> changes = change_lines(comparison);
  if (!changes.empty()) text += "Inputs that differ from the baseline:\n\n";
  for (std::size_t i = 0; i < changes.size() && i < kMostChanges; ++i) {
    text += fmt::format("- {}\n", code(changes[i]));
  }
  if (changes.size() > kMostChanges) {
    text += fmt::format("- ... and {} more\n", changes.size() - kMostChanges);
  }
  return text;
}

}  // namespace apps
