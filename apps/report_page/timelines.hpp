// SPDX-License-Identifier: Apache-2.0
// Timelines: when each operation of a point runs, from simulating the point again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sweep/points.hpp"

namespace apps {

// More operations would make a page slow. Beyond this, operations too short to be seen are merged
// with their neighbours.
inline constexpr std::size_t kMostOperations = 3000;

// One object per point, for the page's script:
//
//   number      of the point
//   problem     where it could not be simulated again: why. The rest is missing then.
//   agrees      whether it took as long as the store says; else an input file has changed since
//   step_s      how long it took
//   gpus        of the whole cluster; processes are the ranks or sites that are shown
//   operations  how many there are
//   fused_below_us  neighbours that together are shorter are one event; 0: all are themselves
//   tracks      [[process, stream], ...]
//   names, phases   texts that events name by place
//   events      [[track, name, phase, start in us, duration in us], ...], by track and start
//
// Points run as in sweeps, in `folder`, to which their paths are relative; the first rank is shown
// for one cluster, the first four sites for several. Throws InputError when told to end.
[[nodiscard]] Inputs timelines_of(const std::vector<StoredPoint>& points,
                                  const std::filesystem::path& folder);

// The trace events of one point, from `text`, the output of `run --perfetto`, in the form above
// from "operations" on, with at most `most` events if neighbours can be merged.
[[nodiscard]] Inputs events_of(std::string_view text, std::size_t most);

}  // namespace apps
