// SPDX-License-Identifier: Apache-2.0
// Study: the contents of a store, as JSON for the page's script (plots/report).
//
//   title, store           of the file
//   spec, sessions         the study: its text, and which program computed it when
//   states                 points by state
//   columns                [{name, kind: "input" or "figure", values}, ...], a value a point. Where
//                          few differ, {..., known, places}: the value is known[place].
//   numbers {TEXT: VALUE}  inputs with units, in base units (bytes per second, bytes, seconds)
//   sources, files         [{name, text, points}, ...]: constants, and input files with SHA-256
//   timelines              see timelines.hpp
#pragma once

#include <cstdint>
#include <vector>

#include "apps/sweep/points.hpp"

namespace apps {

// With more, no browser scrolls the page with ease.
inline constexpr std::int64_t kMostPointsOfAPage = 20'000;

// Throws InputError for a store without a point that has run, or with too many points.
[[nodiscard]] Inputs study_of(Store& store);

// The points with a timeline on the page unless the user names some: the one with the greatest
// speed-up, or with the most tokens per second if nothing is compared, and those that differ from
// it only in the scheme; at most `most`. Empty if no point has figures.
[[nodiscard]] std::vector<StoredPoint> telling_points(Store& store, std::size_t most);

}  // namespace apps
