// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/fitted_constants.hpp"

#include <utility>

namespace sim::study {

Job with_constants(Job job, const ConstantValues& values) {
  for (const auto& [constant, value] : values) {
    if (!is_rest(*constant)) constant->set(job, value);
  }
  return job;
}

double rest_of(const ConstantValues& values) {
  for (const auto& [constant, value] : values) {
    if (is_rest(*constant)) return value;
  }
  return 0;
}

ConstantValues ComputeFit::values() const {
  ConstantValues values;
  for (const FittedJobConstant& one : fitted) values.push_back({one.constant, one.value});
  return values;
}

}  // namespace sim::study
