// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/latencies.hpp"

#include <initializer_list>
#include <utility>

#include "sim/study/search/set_field.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim::study {
namespace {

void scale_known(double factor, std::initializer_list<std::optional<LinkPace>*> paces) {
  for (std::optional<LinkPace>* pace : paces) {
    if (*pace) (*pace)->latency = (*pace)->latency * factor;
  }
}

// Of those that are known, each after a blank.
std::string fields_of_known(
    std::initializer_list<std::pair<const char*, const std::optional<LinkPace>*>> paces) {
  std::string fields;
  for (const auto& [key, pace] : paces) {
    if (*pace) fields += " " + set_field(key, (*pace)->latency);
  }
  return fields;
}

}  // namespace

void scale_latencies(Network& network, double factor) {
  network.latency = network.latency * factor;
  network.switch_latency = network.switch_latency * factor;
  scale_known(factor, {&network.ll, &network.ll128});
}

void scale_latencies(Nvlink& nvlink, double factor) {
  nvlink.latency = nvlink.latency * factor;
  scale_known(factor, {&nvlink.ll, &nvlink.ll128});
}

std::string latency_fields(const Network& network) {
  std::string fields = set_field("network.latency", network.latency);
  if (network.fabric->takes("switch_latency")) {
    fields += " " + set_field("network.switch_latency", network.switch_latency);
  }
  return fields + fields_of_known({{"network.ll_latency", &network.ll},
                                   {"network.ll128_latency", &network.ll128}});
}

std::string latency_fields(const Nvlink& nvlink) {
  return set_field("nvlink.latency", nvlink.latency) +
         fields_of_known(
             {{"nvlink.ll_latency", &nvlink.ll}, {"nvlink.ll128_latency", &nvlink.ll128}});
}

void scale_launches(Cluster& cluster, double factor) {
  Collectives& collectives = cluster.collectives;
  collectives.launch = collectives.launch * factor;
  for (std::optional<Seconds>* launch : {&collectives.ll_launch, &collectives.ll128_launch}) {
    if (*launch) **launch = **launch * factor;
  }
  scale_known(factor, {&cluster.nvlink.nvls, &cluster.nvlink.pairs, &cluster.nvlink.ll_pairs});
}

std::string launch_fields(const Cluster& cluster) {
  const Collectives& collectives = cluster.collectives;
  const Nvlink& nvlink = cluster.nvlink;
  std::string fields = set_field("collectives.launch", collectives.launch);
  if (collectives.ll_launch) {
    fields += " " + set_field("collectives.ll_launch", *collectives.ll_launch);
  }
  if (collectives.ll128_launch) {
    fields += " " + set_field("collectives.ll128_launch", *collectives.ll128_launch);
  }
  return fields + fields_of_known({{"nvlink.nvls_latency", &nvlink.nvls},
                                   {"nvlink.pairs_latency", &nvlink.pairs},
                                   {"nvlink.ll_pairs_latency", &nvlink.ll_pairs}});
}

}  // namespace sim::study
