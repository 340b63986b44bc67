// SPDX-License-Identifier: Apache-2.0
// The unknowns of `solve`, one per row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/study/job.hpp"
#include "sim/study/search/bracket.hpp"

namespace sim::study {

// Of values that train about as well, the one to choose.
enum class Prefers {
  none,     // more of it is always better, or always worse: there is no best value
  least,    // the fewest steps between two exchanges, the shortest wait
  greatest  // the most sites in a round
};

struct Unknown {
  std::string_view name;
  std::string_view unit;  // of figures
  Range range;
  bool needs_memory;  // what does not fit in a GPU's is no answer
  std::function<void(Job&, double)> set;
  // A value for people and for programs; for a factor on all rates, that of the narrowest.
  std::function<double(const Job&, double)> figure;
  std::string (*text)(double figure);
  // Narrows the range to what can be simulated of a setup. Throws InputError where nothing can.
  std::function<void(const Job&, const Setup&, Range&)> narrow = nullptr;
  Prefers prefers = Prefers::none;
};

// Of several sites. Throws an InputError that lists the known names.
[[nodiscard]] const Unknown& unknown_named(const std::string& name);
// The only one of a cluster, as a factor.
[[nodiscard]] const Unknown& nic_bandwidth();

}  // namespace sim::study
