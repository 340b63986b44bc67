// A comparison for people at a terminal, for the page of a CI job, and for a CI system.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/check/comparison.hpp"
#include "sim/base/styled_text.hpp"

namespace apps {

struct CheckedNames {
  std::string subject;   // what was checked: "study.toml"
  std::string baseline;  // the file
  bool strict = false;   // whatever has moved fails
};

[[nodiscard]] bool fails(Verdict verdict, bool strict);
// How many points fail.
[[nodiscard]] int failures(const ComparedResults& comparison, bool strict);
// "8 points: 2 worse, 6 as before".
[[nodiscard]] std::string counts_text(const ComparedResults& comparison);
// "the file has changed (4 points, 2 of which moved)", a line for each; where points have moved
// without one, a line that says so.
[[nodiscard]] std::vector<std::string> change_lines(const ComparedResults& comparison);

// Tables are at most `width` characters wide.
[[nodiscard]] sim::StyledText to_terminal(const ComparedResults& comparison,
                                          const CheckedNames& names, std::size_t width);
// GitHub's Markdown, of at most 1 MiB, which is what a job's summary holds.
[[nodiscard]] std::string to_markdown(const ComparedResults& comparison, const CheckedNames& names);
// JUnit's XML: a test case for each point. Valid by the schema junit-10 of Jenkins' xUnit plugin.
[[nodiscard]] std::string to_junit(const ComparedResults& comparison, const CheckedNames& names);

}  // namespace apps
