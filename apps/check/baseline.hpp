// SPDX-License-Identifier: Apache-2.0
// Baseline: the JSON file with which a check compares. It is kept in git, so the same contents
// always give the same text, and a point is one line, whose figures are those that are compared:
//
//   gardenhose_baseline   the version of this schema: 1
//   version               of the gardenhose that computed it
//   tolerances            by metric {relative, absolute}, or "off"; "all": those without their own
//   require               requirements, as --require takes them; absent if there are none
//   files                 SHA-256 of each input file by name, of shipped ones from their folder
//   usual                 setup and sources that most points have
//   points                inputs: by which it is the same point
//                         state: done, too_large, refused, or what a round came to
//                         metrics
//                         setup (what was run, as the defaults made it), sources: what is not as
//                         usual; null: not there at all
#pragma once

#include <filesystem>
#include <vector>

#include "apps/check/requirement.hpp"
#include "apps/check/results.hpp"
#include "apps/check/tolerance.hpp"

namespace apps {

struct Limits {
  Tolerances tolerances;
  std::vector<Requirement> requirements;
};

struct Baseline {
  Limits limits;
  Results results;
};

// Throws an InputError located at the error. `replaced`: this command will write it anew.
[[nodiscard]] Baseline read_baseline(const std::filesystem::path& file, bool replaced = false);
[[nodiscard]] std::string to_text(const Baseline& baseline);

}  // namespace apps
