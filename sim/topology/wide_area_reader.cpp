// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/topology/topology.hpp"
#include "sim/topology/wide_area.hpp"
#include "sim/topology/wide_area_keys.hpp"

namespace sim {
namespace {

constexpr int kMostTables = 1024;
constexpr int kMostRounds = 1'000'000;  // between two checkpoints
constexpr NumberRange kLoss{.lowest = 0, .highest = 0.5};
constexpr NumberRange kBackground{.lowest = 0, .highest = 0.999};
constexpr NumberRange kSpeed{.lowest = 0.001, .highest = 1};

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

// What idle GPUs draw, about: 70 W of an H100's 700.
constexpr double kIdlePower = 0.1;

// Less power than the GPUs draw: their clocks go down.
void cap_power(TomlReader& reader, const std::string& key, Site& site) {
  const Cluster& cluster = site.cluster;
  const Watts full = cluster.gpu.power * rank_count(cluster);
  if (full <= Watts{}) {
    reader.wrong(
        key, fmt::format("the GPUs of {} have no power; set gpu.power in its file", cluster.name));
  } else if (*site.power_cap / full < kIdlePower) {
    reader.wrong(key, fmt::format("is less than the {} that its {} GPUs draw when idle; write more",
                                  to_text(full * kIdlePower), rank_count(cluster)));
  } else {
    site.cluster.gpu = power_capped(cluster.gpu, *site.power_cap / full);
  }
}

void read_site_cluster(TomlReader& reader, const std::string& table,
                       const ClusterFile& cluster_file, Site& site) {
  const std::string key = key_in(table, "cluster");
  const std::string nodes = key_in(table, "nodes");
  const std::string power_cap = key_in(table, "power_cap");
  const std::string name = reader.text(key);
  const bool part = reader.has(nodes);
  const int wanted = part ? read_count(reader, nodes, kMostOfAKind) : 0;
  if (reader.has(power_cap)) site.power_cap = reader.quantity<Watts>(power_cap);
  if (!reader.is_good(key)) return;
  try {
    site.cluster = read_cluster_of_site(cluster_file(name));
  } catch (const InputError& error) {
    reader.wrong(key, nested(error.what()));
    return;
  }
  if (part && reader.is_good(nodes)) {
    if (wanted > site.cluster.nodes) {
      reader.wrong(nodes, fmt::format("{} exceeds the {} nodes of {}; write at most {}", wanted,
                                      site.cluster.nodes, site.cluster.name, site.cluster.nodes));
      return;
    }
    site.cluster = part_of(std::move(site.cluster), wanted, site.cluster.gpus_per_node);
  }
  if (reader.is_good(power_cap)) cap_power(reader, power_cap, site);
}

void read_comings(TomlReader& reader, const std::string& table, Site& site) {
  const std::string stays = key_in(table, "stays"), returns = key_in(table, "returns_after");
  if (reader.has(stays)) {
    site.stays = reader.quantity<Seconds>(stays);
    site.returns_after = reader.quantity<Seconds>(returns);
  } else {
    reader.inapplicable(returns, "applies to a site that leaves; write stays, or remove it");
  }
}

Site read_site(TomlReader& reader, const std::string& name, const ClusterFile& cluster_file) {
  const std::string table = key_in("sites", name);
  const auto key = [&](const char* leaf) { return key_in(table, leaf); };
  Site site{.name = name};
  if (reader.has(key("count"))) {
    site.count =
        static_cast<int>(reader.integer(key("count"), {.lowest = 0, .highest = kMostPlaces}));
  }
  read_site_cluster(reader, table, cluster_file, site);
  site.uplink = reader.quantity<Bandwidth>(key("uplink"));
  site.downlink = reader.quantity<Bandwidth>(key("downlink"));
  site.egress = reader.quantity<BytePrice>(key("egress"), Zero::allowed);
  if (reader.has(key("region"))) site.region = reader.text(key("region"));
  if (reader.has(key("speed"))) site.speed = reader.number(key("speed"), kSpeed);
  if (reader.has(key("late"))) {
    site.late = reader.quantity<Seconds>(key("late"), Zero::allowed);
  }
  if (reader.has(key("drops_out"))) {
    site.drops_out = reader.quantity<Seconds>(key("drops_out"), Zero::allowed);
  }
  read_comings(reader, table, site);
  site.setup = read_site_setup(reader, table);
  site.variation = read_variation(reader, table);
  return site;
}

WideLink read_link(TomlReader& reader, const std::string& table, const std::string& name) {
  WideLink link{.name = name};
  const auto key = [&](const char* leaf) { return key_in(table, leaf); };
  const bool limited = reader.has(key("bandwidth"));
  if (limited) link.bandwidth = reader.quantity<Bandwidth>(key("bandwidth"));
  link.latency = reader.quantity<Seconds>(key("latency"), Zero::allowed);
  link.loss = reader.number(key("loss"), kLoss);
  if (reader.has(key("background"))) {
    link.background = reader.number(key("background"), kBackground);
    if (!limited)
      reader.wrong(key("background"),
                   "is a fraction of the bandwidth, which is missing; add bandwidth");
  }
  if (reader.has(key("price"))) {
    link.price = reader.quantity<DollarRate>(key("price"), Zero::allowed);
  }
  link.variation = read_variation(reader, table);
  if (reader.has(key("changes")) && !limited) {
    reader.wrong(key("changes"), "are fractions of the bandwidth, which is missing; add bandwidth");
  }
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
    const std::string table = key_in("links", name);
    const std::string key = key_in(table, "between");
    WideLink link = read_link(reader, table, name);
    if (const std::string dead = key_in(table, "dead"); reader.has(dead)) {
      link.dead = reader.boolean(dead);
    }
    link.between = reader.texts(key);
    if (reader.is_good(key) && link.between.size() != 2) {
      reader.wrong(key, fmt::format("has {} names; name two tables of sites, e.g. "
                                    "[\"east\", \"west\"]",
                                    link.between.size()));
    }
    if (reader.is_good(key)) check_ends(reader, key, area.sites, link, joined);
    area.links.push_back(std::move(link));
  }
  return joined;
}

Store read_store(TomlReader& reader) {
  return {.upload = reader.quantity<Bandwidth>("store.upload"),
          .download = reader.quantity<Bandwidth>("store.download"),
          .request = reader.quantity<Seconds>("store.request", Zero::allowed),
          .latency = reader.quantity<Seconds>("store.latency", Zero::allowed),
          .egress = reader.quantity<BytePrice>("store.egress", Zero::allowed)};
}

Syncer read_syncer(TomlReader& reader) {
  Syncer syncer{.uplink = reader.quantity<Bandwidth>("syncer.uplink"),
                .downlink = reader.quantity<Bandwidth>("syncer.downlink"),
                .latency = reader.quantity<Seconds>("syncer.latency", Zero::allowed),
                .egress = reader.quantity<BytePrice>("syncer.egress", Zero::allowed)};
  if (reader.has("syncer.memory_bandwidth")) {
    syncer.memory_bandwidth = reader.quantity<Bandwidth>("syncer.memory_bandwidth");
  }
  return syncer;
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
    reader.wrong(key_in("sites", area.sites.front().name),
                 "is the only site; add another, or use its cluster's file instead of this one");
    return false;
  }
  if (place_count(area) > kMostPlaces) {
    const auto most =
        std::max_element(area.sites.begin(), area.sites.end(),
                         [](const Site& a, const Site& b) { return a.count < b.count; });
    reader.wrong(
        key_in(key_in("sites", most->name), "count"),
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
        key_in("sites", name),
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
        key_in("sites", area.sites[a].name),
        fmt::format("there is no path from {} to {}{}; add a [links.NAME] between the two, "
                    "or a [backbone] for all",
                    area.sites[a].name, lacks.front(), more));
  }
}

void read_membership(TomlReader& reader, WideArea& area) {
  constexpr const char* kRounds = "membership.checkpoint_rounds";
  constexpr const char* kBandwidth = "membership.checkpoint_bandwidth";
  if (!has_comers(area)) {
    for (const char* key : {"membership.detection", kRounds, kBandwidth}) {
      reader.inapplicable(key, "applies where a site leaves; write sites.NAME.stays, or remove it");
    }
    return;
  }
  area.detection = reader.quantity<Seconds>("membership.detection", Zero::allowed);
  if (!reader.has(kRounds)) {
    reader.inapplicable(kBandwidth,
                        "applies with checkpoints; write checkpoint_rounds, or remove it");
    return;
  }
  area.checkpoints = {
      .rounds = static_cast<int>(reader.integer(kRounds, {.lowest = 1, .highest = kMostRounds})),
      .bandwidth = reader.quantity<Bandwidth>(kBandwidth)};
}

}  // namespace

WideArea parse_wide_area(std::string_view text, const std::filesystem::path& file,
                         const ClusterFile& cluster_file, std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), wide_area_keys());
  WideArea area;
  area.name = file.stem().string();
  area.summary = reader.text("summary");
  area.transport = read_transport(reader);
  read_sites(reader, cluster_file, area);
  if (reader.has_table("backbone")) area.backbone = read_link(reader, "backbone", "backbone");
  const Joined joined = read_links(reader, area);
  if (reader.has_table("store")) area.store = read_store(reader);
  read_membership(reader, area);
  if (reader.has_table("syncer")) area.syncer = read_syncer(reader);
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
