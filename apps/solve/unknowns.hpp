// What `solve` can search for, a row each.
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
  bool needs_memory;  // what does not fit in a GPU's is no answer
  std::function<void(RoundJob&, double)> set;
  // What a value means to people and to programs: of a factor on all rates, the narrowest one's.
  std::function<double(const RoundJob&, double)> figure;
  std::string (*text)(double figure);
};

// Throws InputError that names the known ones.
[[nodiscard]] const Unknown& unknown_named(const std::string& name);

}  // namespace apps
