// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/hardware.hpp"

#include "apps/data_files.hpp"
#include "apps/job/topology_files.hpp"
#include "sim/topology/cluster.hpp"

namespace apps::serve {
namespace {

Inputs place_of(const sim::Cluster& cluster) {
  const sim::Network& network = cluster.network;
  return {{"name", cluster.name},
          {"count", 1},
          {"nodes", cluster.nodes},
          {"gpus_per_node", cluster.gpus_per_node},
          {"gpu", cluster.gpu.name},
          {"memory_bytes", cluster.gpu.memory.count},
          {"price_usd_per_hour", cluster.gpu.price.base() * sim::kHour_s},
          {"nics_per_node", network.nics_per_node},
          {"nic_bandwidth_Bps", network.nic_bandwidth.base()},
          {"oversubscription",
           network.nodes_per_leaf > 0 ? Inputs(network.oversubscription) : Inputs()},
          {"uplink_Bps", nullptr}};
}

Inputs place_of(const sim::Site& site) {
  Inputs place = place_of(site.cluster);
  place["name"] = site.name;
  place["count"] = site.count;
  place["uplink_Bps"] = site.uplink.base();
  return place;
}

Inputs link_of(const std::string& table, const sim::WideLink& link) {
  return {{"table", table},
          {"bandwidth_Bps", link.bandwidth ? Inputs(link.bandwidth->base()) : Inputs()},
          {"latency_s", link.latency.base()}};
}

}  // namespace

Inputs hardware_of(const std::string& topology) {
  Inputs places = Inputs::array(), links = Inputs::array();
  if (!is_wide_area(topology)) {
    places.push_back(place_of(sim::read_cluster(data_file(Kind::topology, topology))));
  } else {
    const sim::WideArea area = read_wide_area(topology, {});
    for (const sim::Site& site : area.sites) places.push_back(place_of(site));
    for (const sim::WideLink& link : area.links)
      links.push_back(link_of("links." + link.name, link));
    if (area.backbone) links.push_back(link_of("backbone", *area.backbone));
  }
  return {{"places", places}, {"links", links}};
}

}  // namespace apps::serve
