// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wide_area.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/base/error.hpp"

namespace sim {

bool has_sites(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t[\"'")));
    for (const std::string_view table : {"sites", "wan"}) {
      if (!line.starts_with(table)) continue;
      const auto next = line.find_first_not_of(" \t\"'", table.size());
      if (next == std::string_view::npos) continue;
      if (line[next] == '.' || line[next] == ']' || line[next] == '=') return true;
    }
  }
  return false;
}

int place_count(const WideArea& area) {
  int count = 0;
  for (const Site& site : area.sites) count += site.count;
  return count;
}

int first_place(const WideArea& area, std::size_t table) {
  int place = 0;
  for (std::size_t before = 0; before < table; ++before) place += area.sites[before].count;
  return place;
}

std::vector<int> all_places(const WideArea& area) {
  std::vector<int> places(static_cast<std::size_t>(place_count(area)));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

namespace {

struct Position {
  std::size_t table = 0;
  int number = 0;  // in the table
};

Position position_of(const WideArea& area, int place) {
  for (std::size_t table = 0; table < area.sites.size(); ++table) {
    if (place < area.sites[table].count) return {table, place};
    place -= area.sites[table].count;
  }
  throw std::logic_error("a place of the wide area");
}

}  // namespace

const Site& site_of(const WideArea& area, int place) {
  return area.sites[position_of(area, place).table];
}

std::string place_name(const WideArea& area, int place) {
  const Position position = position_of(area, place);
  const Site& site = area.sites[position.table];
  return site.count == 1 ? site.name : fmt::format("{}_{}", site.name, position.number);
}

bool has_comers(const WideArea& area) {
  return std::ranges::any_of(area.sites, [](const Site& one) { return one.stays.has_value(); });
}

std::vector<int> regions_of(const WideArea& area) {
  std::vector<int> regions;
  std::map<std::string, int> named;
  int next = 0;
  for (const Site& site : area.sites) {
    for (int i = 0; i < site.count; ++i) {
      const bool known = !site.region.empty() && named.contains(site.region);
      if (!known && !site.region.empty()) named[site.region] = next;
      regions.push_back(known ? named[site.region] : next++);
    }
  }
  return regions;
}

int link_between(const WideArea& area, int place_a, int place_b) {
  const std::string& a = site_of(area, place_a).name;
  const std::string& b = site_of(area, place_b).name;
  for (std::size_t i = 0; i < area.links.size(); ++i) {
    const auto& ends = area.links[i].between;
    if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

const WideLink& path_between(const WideArea& area, int place_a, int place_b) {
  const int link = link_between(area, place_a, place_b);
  if (link >= 0) return area.links[static_cast<std::size_t>(link)];
  require(area.backbone.has_value(), "sites without a link of their own have the backbone");
  return *area.backbone;
}

bool has_dead_link(const WideArea& area) {
  return std::ranges::any_of(area.links, &WideLink::dead);
}

bool is_dead_between(const WideArea& area, int place_a, int place_b) {
  const int link = link_between(area, place_a, place_b);
  return link >= 0 && area.links[static_cast<std::size_t>(link)].dead;
}

std::optional<Seconds> line_down_at(const Site& site) {
  const auto& changes = site.variation.changes;
  if (site.variation.repeats) return std::nullopt;
  std::optional<Seconds> down;
  for (const ShareChange& change : changes) {
    if (change.share > 0) down.reset();
    if (change.share == 0 && !down) down = change.at;
  }
  return down;
}

std::optional<Seconds> lost_at(const Site& site) {
  const std::optional<Seconds> down = line_down_at(site);
  if (!site.drops_out || !down) return site.drops_out ? site.drops_out : down;
  return std::min(*site.drops_out, *down);
}

WideArea with_drop_outs(WideArea area) {
  for (Site& site : area.sites) {
    const std::optional<Seconds> down = line_down_at(site);
    if (!down) continue;
    site.drops_out = lost_at(site);
    std::erase_if(site.variation.changes,
                  [&](const ShareChange& change) { return change.at >= *down; });
  }
  return area;
}

double present_share(const Site& site) {
  if (!site.stays) return 1;
  return site.stays->base() / (site.stays->base() + site.returns_after->base());
}

DollarRate price_of(const Site& site) {
  return gpu_price(site.cluster) + network_price(site.cluster);
}

DollarRate lease_price(const WideArea& area) {
  DollarRate price;
  for (const WideLink& link : area.links) price = price + link.price;
  return area.backbone ? price + area.backbone->price : price;
}

WideArea with_counts(WideArea area, std::span<const int> counts) {
  require(counts.size() == area.sites.size(), "every table of sites has a count");
  for (std::size_t table = 0; table < counts.size(); ++table) {
    area.sites[table].count = counts[table];
  }
  std::erase_if(area.sites, [](const Site& site) { return site.count == 0; });
  const auto joins = [&](const WideLink& link) {
    const auto places = [&](const std::string& name) {
      const auto site = std::ranges::find(area.sites, name, &Site::name);
      return site == area.sites.end() ? 0 : site->count;
    };
    return link.between[0] == link.between[1]
               ? places(link.between[0]) > 1
               : places(link.between[0]) > 0 && places(link.between[1]) > 0;
  };
  std::erase_if(area.links, [&](const WideLink& link) { return !joins(link); });
  if (place_count(area) < 2) area.backbone.reset();
  return area;
}

WideArea sites_of_lines(int count, Bandwidth uplink, Bandwidth downlink) {
  Cluster cluster{.nodes = 1, .gpus_per_node = 1};
  cluster.network.nics_per_node = 1;
  cluster.network.nic_bandwidth = Bandwidth::from_base(1e18);
  cluster.network.efficiency = 1;
  cluster.network.gpu_nic = {0};
  WideArea area;
  area.sites = {Site{
      .name = "site", .count = count, .cluster = cluster, .uplink = uplink, .downlink = downlink}};
  area.backbone = WideLink{.name = "backbone"};
  return area;
}

}  // namespace sim
