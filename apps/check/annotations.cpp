// SPDX-License-Identifier: Apache-2.0
// Workflow commands of GitHub Actions, which shows them beside the lines of files.
#include <fmt/format.h>

#include "apps/check/outputs.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::size_t kMostAnnotations = 10;      // of a kind: GitHub drops further ones
constexpr std::size_t kMostMessageLines = 20;     // of a message
constexpr std::size_t kLongestMessageLine = 400;  // bytes of a line

// In a message, and, with ':' and ',' too, in what stands before it.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    result += special.find(c) == special.npos
                  ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}
std::string property(const std::string& text) {
  return escaped(sim::printable_line(text, kLongestMessageLine), "%\r\n:,");
}

std::string message_of(const ComparedPoint& compared) {
  std::vector<std::string> lines = lines_of(compared);
  if (lines.size() > kMostMessageLines) {
    const std::size_t more = lines.size() - kMostMessageLines;
    lines.resize(kMostMessageLines);
    lines.push_back(fmt::format("... and {} more", more));
  }
  for (std::string& line : lines) line = sim::printable_line(line, kLongestMessageLine);
  return escaped(sim::joined(lines, "\n"), "%\r\n");
}

// At the point's line of the baseline, else at the file that is checked.
std::string annotation(const char* kind, const ComparedPoint& compared, const CheckedNames& names,
                       const Labels& labels) {
  const int line = compared.before == nullptr ? 0 : compared.before->line;
  return fmt::format("::{} file={},line={},title={}::{}\n", kind,
                     property(line > 0 ? names.baseline : names.subject), line > 0 ? line : 1,
                     property(labels.of(*compared.point, false)), message_of(compared));
}

std::string annotations_of(const char* kind, const std::vector<const ComparedPoint*>& points,
                           const CheckedNames& names, const Labels& labels) {
  std::string text;
  const bool all = points.size() <= kMostAnnotations;
  const std::size_t shown = all ? points.size() : kMostAnnotations - 1;
  for (std::size_t i = 0; i < shown; ++i) text += annotation(kind, *points[i], names, labels);
  if (all) return text;
  return text + fmt::format(
                    "::{} file={},line=1,title=gardenhose check::{} more points; the log "
                    "names all\n",
                    kind, property(names.subject), points.size() - shown);
}

}  // namespace

std::string to_annotations(const ComparedResults& comparison, const CheckedNames& names) {
  std::vector<const ComparedPoint*> failing, others;
  for (const ComparedPoint& compared : comparison.points) {
    if (fails(compared.verdict(), names.strict)) {
      failing.push_back(&compared);
    } else if (!compared.differences.empty()) {
      others.push_back(&compared);
    }
  }
  const Labels labels(comparison);
  return annotations_of("error", failing, names, labels) +
         annotations_of("warning", others, names, labels);
}

}  // namespace apps
