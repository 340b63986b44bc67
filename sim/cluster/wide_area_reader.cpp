#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/cluster/fabric.hpp"
#include "sim/cluster/wide_area.hpp"

namespace sim {
namespace {

constexpr std::array kKinds{EnumName<Transport::Kind>{"tcp", Transport::Kind::tcp},
                            EnumName<Transport::Kind>{"rdma", Transport::Kind::rdma}};
constexpr std::array kSenders{EnumName<Transport::Sender>{"gpu", Transport::Sender::gpu},
                              EnumName<Transport::Sender>{"node", Transport::Sender::node},
                              EnumName<Transport::Sender>{"site", Transport::Sender::site}};
constexpr std::array kControls{EnumName<Tcp::Control>{"reno", Tcp::Control::reno},
                               EnumName<Tcp::Control>{"cubic", Tcp::Control::cubic}};

constexpr int kMostPlaces = 1024;
constexpr int kMostOfAKind = 65'536;
constexpr NumberRange kLoss{.lowest = 0, .highest = 0.5};
constexpr NumberRange kBackground{.lowest = 0, .highest = 0.999};
constexpr NumberRange kSpeed{.lowest = 0.001, .highest = 1};

std::string key_in(std::string_view table, std::string_view key) {
  return fmt::format("{}.{}", table, key);
}

int read_count(TomlReader& reader, const std::string& key, int highest = kMostOfAKind) {
  return static_cast<int>(reader.integer(key, {.lowest = 1, .highest = highest}));
}

Transport read_transport(TomlReader& reader) {
  Transport transport;
  transport.kind = reader.one_of<Transport::Kind>("wan.transport", kKinds);
  transport.sender = reader.one_of<Transport::Sender>("wan.sender", kSenders);
  const bool tcp = transport.kind == Transport::Kind::tcp;
  if (!reader.is_good("wan.transport")) {
    for (const char* key : {"tcp.streams", "tcp.window", "tcp.segment", "tcp.congestion_control",
                            "rdma.buffer", "rdma.channels", "rdma.queue_pairs"}) {
      static_cast<void>(reader.has(key));
    }
    return transport;
  }
  if (tcp) {
    transport.tcp = {.streams = read_count(reader, "tcp.streams"),
                     .window = reader.quantity<Bytes>("tcp.window"),
                     .segment = reader.quantity<Bytes>("tcp.segment"),
                     .control = reader.one_of<Tcp::Control>("tcp.congestion_control", kControls)};
  } else {
    transport.rdma = {.buffer = reader.quantity<Bytes>("rdma.buffer"),
                      .channels = read_count(reader, "rdma.channels"),
                      .queue_pairs = read_count(reader, "rdma.queue_pairs")};
  }
  return transport;
}

// "100 s: 0.5": from then on that share of the rate.
std::optional<ShareChange> parse_change(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto at = parse_quantity<Seconds>(std::string_view(text).substr(0, colon));
  std::string_view rest = std::string_view(text).substr(colon + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  double share = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), share);
  const bool whole = error == std::errc() && stop == rest.data() + rest.size();
  if (!at.value || at.value->base() <= 0 || !whole || !(share >= 0 && share <= 1)) {
    return std::nullopt;
  }
  return ShareChange{*at.value, share};
}

Variation read_variation(TomlReader& reader, std::string_view table) {
  Variation variation;
  const std::string changes = key_in(table, "changes");
  const std::string repeats = key_in(table, "repeats");
  if (reader.has(changes)) {
    for (const std::string& text : reader.texts(changes)) {
      const auto change = parse_change(text);
      const bool later =
          variation.changes.empty() || (change && variation.changes.back().at < change->at);
      if (!change || !later) {
        reader.wrong(changes,
                     fmt::format("'{}' is not a later TIME: SHARE; write e.g. \"100 s: 0.5\", in "
                                 "the order of time, shares from 0 (down) to 1",
                                 printable(text)));
        break;
      }
      variation.changes.push_back(*change);
    }
  }
  if (reader.has(repeats)) {
    variation.repeats = reader.quantity<Seconds>(repeats);
    if (reader.is_good(repeats) && !variation.changes.empty() &&
        *variation.repeats <= variation.changes.back().at) {
      reader.wrong(repeats, "is before the last change; write a longer period");
    }
  }
  return variation;
}

// With less power than its GPUs draw, their clocks go down.
void cap_power(TomlReader& reader, const std::string& key, Site& site) {
  if (!reader.has(key)) return;
  site.power_cap = reader.quantity<Watts>(key);
  const double full = site.cluster.gpu.power.base() * rank_count(site.cluster);
  if (full > 0) site.cluster.gpu = power_capped(site.cluster.gpu, site.power_cap->base() / full);
}

void read_site_cluster(TomlReader& reader, const std::string& table,
                       const ClusterFile& cluster_file, Site& site) {
  const std::string key = key_in(table, "cluster");
  const std::string name = reader.text(key);
  const std::string nodes = key_in(table, "nodes");
  const bool part = reader.has(nodes);
  const int wanted = part ? read_count(reader, nodes) : 0;
  if (!reader.is_good(key)) return;
  try {
    site.cluster = read_cluster(cluster_file(name));
  } catch (const InputError& error) {
    reader.wrong(key, error.what());
    return;
  }
  if (part && reader.is_good(nodes)) {
    if (wanted > site.cluster.nodes) {
      reader.wrong(nodes, fmt::format("{} is more than the {} nodes of {}", wanted,
                                      site.cluster.nodes, site.cluster.name));
      return;
    }
    site.cluster = part_of(std::move(site.cluster), wanted, site.cluster.gpus_per_node);
  }
  cap_power(reader, key_in(table, "power_cap"), site);
}

Site read_site(TomlReader& reader, const std::string& name, const ClusterFile& cluster_file) {
  const std::string table = key_in("sites", name);
  Site site{.name = name};
  if (reader.has(key_in(table, "count"))) {
    site.count = read_count(reader, key_in(table, "count"), kMostPlaces);
  }
  static_cast<void>(reader.has(key_in(table, "power_cap")));
  read_site_cluster(reader, table, cluster_file, site);
  site.uplink = reader.quantity<Bandwidth>(key_in(table, "uplink"));
  site.downlink = reader.quantity<Bandwidth>(key_in(table, "downlink"));
  site.egress = reader.quantity<BytePrice>(key_in(table, "egress"), Zero::allowed);
  if (reader.has(key_in(table, "speed"))) {
    site.speed = reader.number(key_in(table, "speed"), kSpeed);
  }
  if (reader.has(key_in(table, "late"))) {
    site.late = reader.quantity<Seconds>(key_in(table, "late"), Zero::allowed);
  }
  if (reader.has(key_in(table, "drops_out"))) {
    site.drops_out = reader.quantity<Seconds>(key_in(table, "drops_out"), Zero::allowed);
  }
  site.variation = read_variation(reader, table);
  return site;
}

WideLink read_link(TomlReader& reader, const std::string& table, const std::string& name) {
  WideLink link{.name = name};
  const std::string bandwidth = key_in(table, "bandwidth");
  if (reader.has(bandwidth)) link.bandwidth = reader.quantity<Bandwidth>(bandwidth);
  link.latency = reader.quantity<Seconds>(key_in(table, "latency"), Zero::allowed);
  link.loss = reader.number(key_in(table, "loss"), kLoss);
  if (reader.has(key_in(table, "background"))) {
    link.background = reader.number(key_in(table, "background"), kBackground);
    if (!link.bandwidth) {
      reader.wrong(key_in(table, "background"), "is a share of a bandwidth; add bandwidth");
    }
  }
  if (reader.has(key_in(table, "price"))) {
    link.price = reader.quantity<DollarRate>(key_in(table, "price"), Zero::allowed);
  }
  link.variation = read_variation(reader, table);
  if (!link.variation.changes.empty() && !link.bandwidth) {
    reader.wrong(key_in(table, "changes"), "are shares of a bandwidth; add bandwidth");
  }
  return link;
}

void read_ends(TomlReader& reader, const std::string& table, const std::vector<Site>& sites,
               WideLink& link) {
  const std::string key = key_in(table, "between");
  link.between = reader.texts(key);
  if (!reader.is_good(key)) return;
  if (link.between.size() != 2) {
    reader.wrong(key, "names not two tables of sites; write e.g. [\"east\", \"west\"]");
    return;
  }
  for (const std::string& end : link.between) {
    const bool known =
        std::any_of(sites.begin(), sites.end(), [&](const Site& site) { return site.name == end; });
    if (!known) {
      reader.wrong(key, fmt::format("there is no [sites.{}]", printable(end)));
      return;
    }
  }
}

Store read_store(TomlReader& reader) {
  return {.upload = reader.quantity<Bandwidth>("store.upload"),
          .download = reader.quantity<Bandwidth>("store.download"),
          .request = reader.quantity<Seconds>("store.request", Zero::allowed),
          .latency = reader.quantity<Seconds>("store.latency", Zero::allowed),
          .egress = reader.quantity<BytePrice>("store.egress", Zero::allowed)};
}

// Every pair of sites has a path, and there are not too many of them.
void check_pairs(TomlReader& reader, const WideArea& area) {
  if (place_count(area) > kMostPlaces) {
    reader.wrong(
        key_in(key_in("sites", area.sites.back().name), "count"),
        fmt::format("makes {} sites; at most {} are simulated", place_count(area), kMostPlaces));
    return;
  }
  if (area.backbone) return;
  for (int a = 0; a < place_count(area); ++a) {
    for (int b = 0; b < a; ++b) {
      if (link_between(area, a, b) >= 0) continue;
      reader.wrong(
          key_in(key_in("sites", site_of(area, a).name), "cluster"),
          fmt::format("there is no path from {} to {}; add a [links.NAME] between them, or "
                      "a [backbone]",
                      place_name(area, a), place_name(area, b)));
      return;
    }
  }
}

}  // namespace

WideArea parse_wide_area(std::string_view text, const std::filesystem::path& file,
                         const ClusterFile& cluster_file, std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings));
  WideArea area;
  area.name = file.stem().string();
  area.summary = reader.text("summary");
  area.transport = read_transport(reader);
  for (const std::string& name : reader.tables_in("sites")) {
    area.sites.push_back(read_site(reader, name, cluster_file));
  }
  if (reader.has_table("backbone")) area.backbone = read_link(reader, "backbone", "backbone");
  for (const std::string& name : reader.tables_in("links")) {
    const std::string table = key_in("links", name);
    area.links.push_back(read_link(reader, table, name));
    read_ends(reader, table, area.sites, area.links.back());
  }
  if (reader.has_table("store")) area.store = read_store(reader);
  if (area.sites.empty()) {
    reader.finish();
    throw InputError(fmt::format("{}:1:1: [sites] has no table; add [sites.NAME]", file.string()));
  }
  if (reader.all_good()) check_pairs(reader, area);
  reader.finish();
  return area;
}

}  // namespace sim
