// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/starts.hpp"

#include "sim/fit/constants.hpp"

namespace sim::fit {
namespace {

constexpr double kShift = 0.7;  // of coordinates: twice a time, or twice the odds of a share

Cluster shifted(Cluster cluster, Measure measure, double shift) {
  for (const Constant& constant : all_constants()) {
    const auto value = constant.get(cluster);
    if (!value || constant.measure != measure) continue;
    constant.set(cluster, constant.value(constant.coordinate(*value) + shift));
  }
  return cluster;
}

}  // namespace

std::vector<Cluster> starts_around(const Cluster& base) {
  std::vector<Cluster> starts{base};
  for (const Measure measure : {Measure::seconds, Measure::share}) {
    for (const double shift : {kShift, -kShift}) starts.push_back(shifted(base, measure, shift));
  }
  return starts;
}

}  // namespace sim::fit
