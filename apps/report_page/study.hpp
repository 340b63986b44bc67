// Study: what is in a store, as the JSON that the page's script (plots/report) reads.
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

#include "apps/sweep/store.hpp"

namespace apps {

// More make a page that no browser scrolls with ease.
inline constexpr std::int64_t kMostPointsOfAPage = 20'000;

// Throws InputError for a store without a point that has been run, and for one with too many.
[[nodiscard]] Inputs study_of(Store& store);

// The points of which the page has a timeline where nobody says which: that of the greatest
// speed-up, or of the most tokens a second where nothing is compared, and those that differ from
// it in nothing but the scheme; at most `most`. Empty where no point has figures.
[[nodiscard]] std::vector<StoredPoint> telling_points(Store& store, std::size_t most);

}  // namespace apps
