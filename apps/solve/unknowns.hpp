// The unknowns of `solve`, one per row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "apps/job/round_job.hpp"

namespace apps {

// Searched over [lowest, highest] in its logarithm.
struct Unknown {
  std::string_view name;
  std::string_view unit;  // of figures
  double lowest, highest;
  bool whole;         // a whole number
  bool needs_memory;  // a value that does not fit in GPU memory is no answer
  std::function<void(RoundJob&, double)> set;
  // A value for people and for programs; for a factor on all rates, that of the narrowest.
  std::function<double(const RoundJob&, double)> figure;
  std::string (*text)(double figure);
};

// Throws an InputError that lists the known names.
[[nodiscard]] const Unknown& unknown_named(const std::string& name);

}  // namespace apps
