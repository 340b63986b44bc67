// SPDX-License-Identifier: Apache-2.0
// Writers of reports: tables for people, JSON, CSV, and a timeline for Perfetto. Reports that are
// written together are all of steps, or all of rounds.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/base/styled_text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/report.hpp"

namespace sim {

// Side by side where there are several, on pages of at most `width` characters: time by part, bytes by
// phase and level, memory, bound.
[[nodiscard]] StyledText to_table(std::span<const Report> reports, std::size_t width,
                                  std::span<const Figure> figures = all_figures());
// "tuned: sdp4bit: beats sharded below about 131 Gbps per NIC (now 400 Gbps)", as its column of the
// table is headed; empty without a break-even point, which takes far longer to find than the rest.
[[nodiscard]] std::string break_even_line(const Report& report);
// One object, or a list where there are several. Every name carries its unit.
[[nodiscard]] std::string to_json(std::span<const Report> reports,
                                  std::span<const Figure> figures = all_figures());
// A header and a line a report.
[[nodiscard]] std::string to_csv(std::span<const Report> reports,
                                 std::span<const Figure> figures = all_figures());
// Chrome trace events, which Perfetto opens: a process a rank, a track a stream. At most `ranks`
// ranks from the first, 0 for all. `names` are the ranks', "rank 0" and so on where there are none,
// with as many digits each, so that the order of the names is theirs.
[[nodiscard]] std::string to_perfetto(const Schedule& schedule, const Timeline& timeline,
                                      int ranks = 0, std::span<const std::string> names = {});

// How tables mark figures of what does not fit in memory: nothing trains so fast, or so cheaply.
inline constexpr const char* kDoesNotFit = " !";
// What the rows under a throughput and a price say.
inline constexpr const char* kLikely = "likely range";
inline constexpr const char* kRangeLabel = "  likely range";
inline constexpr const char* kRangeNote =
    "likely range: eight cases of ten, as far as the spreads of the constants are known\n";
// What the likely range and the mark of what does not fit mean, where a table has them.
[[nodiscard]] StyledText range_and_fit_notes(bool ranged, bool all_fit);

}  // namespace sim
