// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/topology/topology.hpp"
#include "sim/topology/wide_area_fields.hpp"

namespace sim {
namespace {

constexpr int kMostTables = 1024;

// What is wrong with a site's cluster, on one line.
std::string nested(const std::string& error) {
  const auto end = error.find('\n');
  if (end == std::string::npos) return error;
  const auto more = std::count(error.begin(), error.end(), '\n');
  return fmt::format("{} (and {} more like it)", error.substr(0, end), more);
}

Cluster read_cluster_of_site(const std::filesystem::path& file) {
  const std::string text = read_input_text(file);
  if (has_sites(text)) {
    throw InputError(fmt::format("{} describes several sites; name a cluster",
                                 printable(file.filename().string())));
  }
  return parse_cluster(text, file);
}

// The cluster that the site names, or its first nodes.
void load_cluster(TomlReader& reader, const std::string& table, const ClusterFile& cluster_file,
                  Site& site) {
  const std::string key = dotted(table, "cluster"), nodes = dotted(table, "nodes");
  if (!reader.is_good(key)) return;
  const Cluster wanted = site.cluster;
  try {
    site.cluster = read_cluster_of_site(cluster_file(wanted.name));
  } catch (const InputError& error) {
    return reader.wrong(key, nested(error.what()));
  }
  if (!reader.is_good(nodes)) return;
  if (wanted.nodes > site.cluster.nodes) {
    return reader.wrong(nodes,
                        fmt::format("{} exceeds the {} nodes of {}; write at most {}", wanted.nodes,
                                    site.cluster.nodes, site.cluster.name, site.cluster.nodes));
  }
  site.cluster = part_of(std::move(site.cluster), wanted.nodes, site.cluster.gpus_per_node);
}

Site read_site(TomlReader& reader, const std::string& name, const ClusterFile& cluster_file) {
  const std::string table = dotted("sites", name);
  Site site{.name = name};
  read_fields(reader, table, site_fields(), site);
  read_fields(reader, table, site_changes(), site);
  load_cluster(reader, table, cluster_file, site);
  check_rules(reader, table, site_rules(), site);
  if (site.power_cap) {
    Gpu& gpu = site.cluster.gpu;
    gpu = power_capped(gpu, *site.power_cap / gpu_power(site.cluster));
  }
  return site;
}

WideLink read_path(TomlReader& reader, const std::string& table, const std::string& name,
                   std::span<const Field<WideLink>> fields) {
  WideLink link{.name = name};
  read_fields(reader, table, fields, link);
  check_rules(reader, table, link_rules(), link);
  return link;
}

// The links by the two tables that they join, the first name the smaller one.
using Joined = std::map<std::pair<std::string, std::string>, std::string>;

void check_ends(TomlReader& reader, const std::string& key, const std::vector<Site>& sites,
                const WideLink& link, Joined& joined) {
  for (const std::string& end : link.between) {
    if (std::ranges::none_of(sites, [&](const Site& one) { return one.name == end; })) {
      reader.wrong(key, fmt::format("there is no [sites.{}]; name existing tables of sites",
                                    printable(end)));
      return;
    }
  }
  std::pair ends{link.between[0], link.between[1]};
  if (ends.second < ends.first) std::swap(ends.first, ends.second);
  const auto [found, added] = joined.emplace(ends, link.name);
  if (added) return;
  reader.wrong(key, fmt::format("[links.{}] already joins {} and {}; keep one of the two",
                                found->second, ends.first, ends.second));
}

Joined read_links(TomlReader& reader, WideArea& area) {
  Joined joined;
  if (reader.has("links")) {
    reader.wrong("links", "is not a table; write a table [links.NAME] for each link");
  }
  for (const std::string& name : reader.tables_in("links")) {
    const std::string table = dotted("links", name), between = dotted(table, "between");
    const WideLink& link = area.links.emplace_back(read_path(reader, table, name, link_fields()));
    if (reader.is_good(between)) check_ends(reader, between, area.sites, link, joined);
  }
  return joined;
}

// Of a table that may be left out.
template <class T>
void read_optional(TomlReader& reader, std::string_view table, std::span<const Field<T>> fields,
                   std::optional<T>& into) {
  if (reader.has_table(table)) read_fields(reader, table, fields, into.emplace());
}

void read_sites(TomlReader& reader, const ClusterFile& cluster_file, WideArea& area) {
  const auto names = reader.tables_in("sites");
  if (reader.has("sites")) {
    reader.wrong("sites", "is not a table; write a table [sites.NAME] for each site");
  } else if (names.empty()) {
    reader.wrong("sites", "none given; add a table [sites.NAME] for each site");
  } else if (names.size() > kMostTables) {
    // None of them is read, so nothing else can be said of the file.
    throw InputError(fmt::format("{}:1:1: sites: {} tables exceed the limit of {}", reader.file(),
                                 names.size(), kMostTables));
  }
  for (const std::string& name : names) {
    area.sites.push_back(read_site(reader, name, cluster_file));
  }
}

// Two places at least, or one that others were left out for, and not more than a simulation holds,
// each with a name of its own.
bool check_places(TomlReader& reader, const WideArea& area) {
  const std::size_t tables = reader.tables_in("sites").size();
  if (area.sites.empty()) {
    reader.wrong("sites", "every count is 0; set at least one above 0");
    return false;
  }
  if (place_count(area) == 1 && tables == 1) {
    reader.wrong(dotted("sites", area.sites.front().name),
                 "is the only site; add another, or use its cluster's file instead of this one");
    return false;
  }
  if (place_count(area) > kMostPlaces) {
    const auto most =
        std::max_element(area.sites.begin(), area.sites.end(),
                         [](const Site& a, const Site& b) { return a.count < b.count; });
    reader.wrong(
        dotted(dotted("sites", most->name), "count"),
        fmt::format("makes {} sites in total; the limit is {}", place_count(area), kMostPlaces));
    return false;
  }
  std::set<std::string> single;
  for (const Site& site : area.sites) {
    if (site.count == 1) single.insert(site.name);
  }
  for (int place = 0; place < place_count(area); ++place) {
    const Site& site = site_of(area, place);
    const std::string name = place_name(area, place);
    if (site.count == 1 || !single.contains(name)) continue;
    reader.wrong(
        dotted("sites", name),
        fmt::format("[sites.{}] already has a site of this name; choose another", site.name));
    return false;
  }
  return true;
}

// Every pair of sites has a path: one line for each table that lacks some.
void check_paths(TomlReader& reader, const WideArea& area, const Joined& joined) {
  if (area.backbone) return;
  for (std::size_t a = 0; a < area.sites.size(); ++a) {
    std::vector<std::string> lacks;
    for (std::size_t b = a; b < area.sites.size(); ++b) {
      if (a == b && area.sites[a].count == 1) continue;
      if (joined.contains({area.sites[a].name, area.sites[b].name})) continue;
      lacks.push_back(area.sites[b].name);
    }
    if (lacks.empty()) continue;
    const std::string more = lacks.size() > 1 ? fmt::format(" and {} more", lacks.size() - 1) : "";
    reader.wrong(
        dotted("sites", area.sites[a].name),
        fmt::format("there is no path from {} to {}{}; add a [links.NAME] between the two, "
                    "or a [backbone] for all",
                    area.sites[a].name, lacks.front(), more));
  }
}

}  // namespace

std::span<const TomlKey> wide_area_keys() {
  static const KeyTable table = KeyTable()
                                    .add("", area_fields(), WideArea())
                                    .add("", connection_fields(), Transport())
                                    .add("sites.NAME", site_fields(), Site())
                                    .add("membership", membership_fields(), WideArea())
                                    .add("sites.NAME", site_changes(), Site())
                                    .add("backbone", backbone_fields(), WideLink())
                                    .add("links.NAME", link_fields(), WideLink())
                                    .add("store", store_fields(), Store())
                                    .add("syncer", syncer_fields(), Syncer());
  return table.keys();
}

WideArea parse_wide_area(std::string_view text, const std::filesystem::path& file,
                         const ClusterFile& cluster_file, std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), wide_area_keys());
  WideArea area;
  area.name = file.stem().string();
  read_fields(reader, "", area_fields(), area);
  read_fields(reader, "", connection_fields(), area.transport);
  read_sites(reader, cluster_file, area);
  if (reader.has_table("backbone")) {
    area.backbone = read_path(reader, "backbone", "backbone", backbone_fields());
  }
  const Joined joined = read_links(reader, area);
  read_optional(reader, "store", store_fields(), area.store);
  read_fields(reader, "membership", membership_fields(), area);
  read_optional(reader, "syncer", syncer_fields(), area.syncer);
  if (reader.all_good()) {
    std::vector<int> counts;
    for (const Site& site : area.sites) counts.push_back(site.count);
    area = with_counts(std::move(area), counts);
    if (check_places(reader, area)) check_paths(reader, area, joined);
  }
  reader.finish();
  return area;
}

}  // namespace sim
