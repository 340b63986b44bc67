// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/inner_steps.hpp"

#include <algorithm>
#include <utility>

namespace sim {
namespace {

// Sites of several tables may have alike clusters, whose names differ.
Cluster unnamed(Cluster cluster) {
  cluster.name.clear();
  cluster.summary.clear();
  return cluster;
}

}  // namespace

InnerStep InnerSteps::of(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  const Site& site = context.area.sites[table];
  Known& known = at({.parallelism = context.parallelism_at(table),
                     .inner = context.inner_at(table),
                     .whole = context.whole,
                     .gradients = scheme.between_sites->gradients,
                     .speed = site.speed,
                     .beside = outer_traffic(context, table, scheme),
                     .cluster = unnamed(site.cluster),
                     .model = context.model,
                     .calibration = context.calibrations[table]});
  std::call_once(known.once, [&] { known.step = inner_step(context, table, scheme); });
  return known.step;
}

std::size_t InnerSteps::size() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

InnerSteps::Known& InnerSteps::at(Key key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(known_, key, &Known::key);
  return found == known_.end() ? known_.emplace_back(std::move(key)) : *found;
}

}  // namespace sim
