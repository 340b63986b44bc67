// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_nics.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/topology/nic_rates.hpp"

namespace apps {

void parse_nics(const std::string& text, PlanOptions& o) {
  std::map<double, std::string> rates;  // of equal ones the first
  for (const std::string& part : split(text)) {
    rates.emplace(more_than_nothing<sim::Bandwidth>("--nic-bandwidths", part, "400 Gbps").base(),
                  part);
  }
  for (const auto& [rate, part] : rates) {
    o.question.nic_bandwidths.push_back(sim::Bandwidth::from_base(rate));
    o.link_speeds.push_back(part);
  }
}

void leave_out_unbuilt_nics(PlanOptions& o) {
  const sim::Cluster& cluster = o.question.job.cluster();
  std::vector<sim::Bandwidth> built;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < o.link_speeds.size(); ++i) {
    const sim::Bandwidth nics = o.question.nic_bandwidths[i];
    std::string why = why_not_built(cluster, nics);
    if (!why.empty()) {
      o.not_built.push_back(std::move(why));
      continue;
    }
    built.push_back(nics);
    texts.push_back(o.link_speeds[i]);
  }
  if (built.empty() && !o.not_built.empty()) {
    throw sim::InputError(fmt::format("--nic-bandwidths: {}; {} has {}", o.not_built.front(),
                                      o.job.topology,
                                      sim::gbps_text(cluster.network.nic_bandwidth)));
  }
  o.question.nic_bandwidths = std::move(built);
  o.link_speeds = std::move(texts);
}

std::vector<std::string> nic_settings(const sim::Cluster& cluster, sim::Bandwidth nics,
                                      const std::string& text) {
  std::vector<std::string> settings{"network.nic_bandwidth=" + text};
  const auto cap = sim::study::with_nics(cluster, nics).fitted.communicator_bandwidth;
  if (cap) settings.push_back(fmt::format("fitted.communicator_bandwidth={:.17g}Bps", cap->base()));
  return settings;
}

}  // namespace apps
