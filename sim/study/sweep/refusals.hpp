// SPDX-License-Identifier: Apache-2.0
// Values of a spec with which no point can run: a misspelt scheme, a stage of ZeRO that none of the
// schemes supports. If only a combination is impossible, the spec may intend that; a value refused
// everywhere is a mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/study/sweep/store.hpp"

namespace sim::sweep {

struct RefusedValue {
  std::string text;        // scheme = "sdp4bt"; empty: every point is refused, by whatever value
  std::size_t points = 0;  // examined points with it
  std::string message;     // for one of them
};

// Of a point what it is refused with, if that shows before it runs; else empty.
using Refusal = std::function<std::string(const Inputs& inputs)>;

// Before any point runs, in the folder that points run in. Examines only some of the points if there
// are many.
[[nodiscard]] std::vector<RefusedValue> refused_values(const std::vector<OpenPoint>& points,
                                                       const Refusal& refusal,
                                                       const std::filesystem::path& folder);
// "key = value" for each of a point's inputs.
[[nodiscard]] std::vector<std::string> values_of(const Inputs& inputs);
// Counts refusals over the points that have run.
class RefusalCount {
 public:
  void add(const Inputs& inputs, bool refused);
  // Values whose every point was refused, except those shared by all points.
  [[nodiscard]] std::vector<std::string> refused_values() const;
  // Whether every point was refused.
  [[nodiscard]] bool all_refused() const { return all_.points > 0 && all_.refused == all_.points; }

 private:
  struct Count {
    std::int64_t points = 0, refused = 0;
  };
  std::map<std::string, Count> by_value_;
  Count all_;
};

}  // namespace sim::sweep
