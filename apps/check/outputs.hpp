// SPDX-License-Identifier: Apache-2.0
// A comparison for people at a terminal, for the page of a CI job, for a CI system, and for the lines
// of a pull request.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/check/comparison.hpp"
#include "sim/base/styled_text.hpp"

namespace apps {

struct CheckedNames {
  std::string subject;   // the checked file: "study.toml"
  std::string baseline;  // the file; empty if there is none
  bool strict = false;   // any change fails
};

[[nodiscard]] bool fails(Verdict verdict, bool strict);
// Number of failing points.
[[nodiscard]] int failures(const ComparedResults& comparison, bool strict);
// A line for each difference, then the point's message.
[[nodiscard]] std::vector<std::string> lines_of(const ComparedPoint& compared);
// "study.toml against study.baseline.json".
[[nodiscard]] std::string names_text(const std::string& subject, const std::string& baseline);
// "8 points: 2 worse, 6 as before"; of moves within the tolerance, the largest.
[[nodiscard]] std::string counts_text(const ComparedResults& comparison);
// "the file has changed (4 points, 2 of which moved)", one line each; if points moved although no
// input changed, a line that says so.
[[nodiscard]] std::vector<std::string> change_lines(const ComparedResults& comparison);

// Tables are at most `width` characters wide.
[[nodiscard]] sim::StyledText to_terminal(const ComparedResults& comparison,
                                          const CheckedNames& names, std::size_t width);
// GitHub's Markdown, at most 1 MiB, the limit of a job's summary.
[[nodiscard]] std::string to_markdown(const ComparedResults& comparison, const CheckedNames& names);
// JUnit's XML: one test case per point, no two of the same name. Valid by the schema junit-10 of Jenkins' xUnit plugin.
[[nodiscard]] std::string to_junit(const ComparedResults& comparison, const CheckedNames& names);
// GitHub's workflow commands: an error for each failing point, a warning for others that moved, at
// most ten of each.
[[nodiscard]] std::string to_annotations(const ComparedResults& comparison,
                                         const CheckedNames& names);

}  // namespace apps
