// SPDX-License-Identifier: Apache-2.0
// Lines of a log without what launchers put before them: the time, and a tag that names the process,
// such as "[1,0]<stdout>:" of mpirun, "0:" of srun, or a host. Any tag will do, as long as it is the
// same on all lines of a process.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::fit {

using Words = std::vector<std::string_view>;
[[nodiscard]] Words words_of(std::string_view line);

// Whether the words stand for lines that someone left out: "..." or "[...]".
[[nodiscard]] bool is_elision(const Words& words);

// A comment of nccl-tests' that describes the run: "# nThread ...", "#  Rank ...", "#  size ..." or
// "#  (B) ...".
struct TestComment {
  std::string tag;  // without times and without blanks around it
  Words words;      // after the #
};
[[nodiscard]] std::optional<TestComment> test_comment_in(std::string_view line);

// The rest of a line with this tag, without the blanks before it; nothing for a line with another tag.
[[nodiscard]] std::optional<std::string> after_tag(std::string_view line, std::string_view tag);

}  // namespace sim::fit
