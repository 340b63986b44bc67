// SPDX-License-Identifier: Apache-2.0
// Baseline: the JSON file with which a check compares. It is kept in git, so the same contents
// always give the same text, one value per line:
//
//   gardenhose_baseline   the version of this schema: 1
//   version               of the gardenhose that computed it
//   tolerances            by metric {relative, absolute}, or "off"; "all": those without their own
//   files                 SHA-256 of each input file by name, of shipped ones from their folder
//   points                inputs: by which it is the same point
//                         state: done, too_large, refused, or what a round came to
//                         metrics, setup (what was run, as the defaults made it), sources
#pragma once

#include <filesystem>

#include "apps/check/results.hpp"
#include "apps/check/tolerance.hpp"

namespace apps {

struct Baseline {
  Tolerances tolerances;
  Results results;
};

// Throws an InputError located at the error. `replaced`: this command will write it anew.
[[nodiscard]] Baseline read_baseline(const std::filesystem::path& file, bool replaced = false);
[[nodiscard]] std::string to_text(const Baseline& baseline);

}  // namespace apps
