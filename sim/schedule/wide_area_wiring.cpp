// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/wide_area_wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

int senders(const Transport& transport, const Site& site) {
  switch (transport.sender) {
    case Transport::Sender::gpu:
      return rank_count(site.cluster);
    case Transport::Sender::node:
      return site.cluster.nodes;
    case Transport::Sender::site:
      return 1;
  }
  return 1;
}

// The link's rate is a varying share of `full_Bps`, and never more than `most_Bps`.
void set_rate(const Variation& variation, double full_Bps, double most_Bps, WiredLink& link) {
  link.rate_Bps = std::min(full_Bps, most_Bps);
  for (const ShareChange& change : variation.changes) {
    link.changes.push_back({change.at.base(), std::min(change.share * full_Bps, most_Bps)});
  }
  link.repeats_s = variation.repeats.value_or(Seconds{}).base();
}

class Wirer {
 public:
  Wirer(const WideArea& area, Wiring& wiring) : area_(area), wiring_(wiring) {
    for (int place = 0; place < place_count(area_); ++place) {
      const Site& site = site_of(area_, place);
      const std::string name = place_name(area_, place);
      const double nics_Bps = all_nics_rate(site.cluster).base();
      const auto add_access = [&](const char* direction, const char* key, Bandwidth rate) {
        const bool by_nics = nics_Bps < rate.base();
        const std::string set_by =
            by_nics ? fmt::format("network.nic_bandwidth of {}", site.cluster.name)
                    : fmt::format("sites.{}.{}", site.name, key);
        set_rate(site.variation, rate.base(), nics_Bps, add(direction + name, set_by));
      };
      add_access("up_", "uplink", site.uplink);
      add_access("down_", "downlink", site.downlink);
    }
    for (const WideLink& link : area_.links) add_shared(link, "link_" + link.name);
    if (area_.backbone) add_shared(*area_.backbone, area_.backbone->name);
  }

  void append(const Hop& hop, std::vector<LinkId>& path) {
    const int store = store_place(area_);
    if (hop.source != store) path.push_back(uplink_of(hop.source));
    if (hop.source != store && hop.destination != store) append_shared(hop, path);
    if (hop.destination != store) path.push_back(uplink_of(hop.destination) + 1);
    if (const auto cap = connections(hop)) path.push_back(*cap);
  }

 private:
  static constexpr LinkId kNone = UINT32_MAX;

  WiredLink& add(const std::string& name, std::string set_by) {
    return wiring_.links.emplace_back(
        WiredLink{.name = name, .kind = name, .set_by = std::move(set_by)});
  }

  // The backbone is one link for all; a link of a pair is one for each direction.
  void add_shared(const WideLink& link, const std::string& name) {
    shared_.push_back(link.bandwidth ? static_cast<LinkId>(wiring_.links.size()) : kNone);
    if (!link.bandwidth) return;
    const double rate = link.bandwidth->base() * (1 - link.background);
    const std::string key =
        (link.between.empty() ? link.name : "links." + link.name) + ".bandwidth";
    const auto add_varying = [&](const std::string& one) {
      set_rate(link.variation, rate, rate, add(one, key));
    };
    if (link.between.empty()) {
      add_varying(name);
    } else {
      add_varying(name + "_0");
      add_varying(name + "_1");
    }
  }

  void append_shared(const Hop& hop, std::vector<LinkId>& path) {
    const int index = link_between(area_, hop.source, hop.destination);
    const LinkId first = index < 0 ? shared_.back() : shared_[static_cast<std::size_t>(index)];
    if (first == kNone) return;
    path.push_back(first + (index >= 0 && goes_back(hop, static_cast<std::size_t>(index)) ? 1 : 0));
  }

  // From the second of the link's two ends to the first; between sites of one table, from a later
  // one to an earlier one.
  [[nodiscard]] bool goes_back(const Hop& hop, std::size_t link) const {
    const auto& ends = area_.links[link].between;
    if (ends[0] == ends[1]) return hop.source > hop.destination;
    return site_of(area_, hop.source).name != ends[0];
  }

  std::optional<LinkId> connections(const Hop& hop) {
    const double rate = wide_connection_rate(area_, hop).base();
    if (!std::isfinite(rate)) return std::nullopt;
    const auto [found, added] = connections_.emplace(std::pair{hop.source, hop.destination},
                                                     static_cast<LinkId>(wiring_.links.size()));
    if (added) {
      add(fmt::format("connections_{}_{}", hop.source, hop.destination), limit_of(hop, rate))
          .rate_Bps = rate;
    }
    return found->second;
  }

  // The key of what limits a hop's connections to `rate`.
  [[nodiscard]] std::string limit_of(const Hop& hop, double rate) const {
    const int store = store_place(area_);
    if (hop.destination == store && rate == area_.store->upload.base()) return "store.upload";
    if (hop.source == store && rate == area_.store->download.base()) return "store.download";
    return area_.transport.kind == Transport::Kind::tcp ? "tcp.streams" : "rdma.buffer";
  }

  const WideArea& area_;
  Wiring& wiring_;
  std::vector<LinkId> shared_;  // by WideArea::links, then the backbone: its first direction
  std::map<std::pair<int, int>, LinkId> connections_;
};

}  // namespace

Seconds wide_latency(const WideArea& area, const Hop& hop) {
  const int store = store_place(area);
  if (hop.source == store || hop.destination == store) {
    return area.store->request + area.store->latency;
  }
  return path_between(area, hop.source, hop.destination).latency;
}

Bandwidth wide_connection_rate(const WideArea& area, const Hop& hop) {
  const int store = store_place(area);
  if (hop.destination == store || hop.source == store) {
    const int place = hop.destination == store ? hop.source : hop.destination;
    const Bandwidth served = hop.destination == store ? area.store->upload : area.store->download;
    const Bandwidth connected = connection_rate(area.transport, area.store->latency * 2, 0);
    return std::min(served, connected * senders(area.transport, site_of(area, place)));
  }
  const WideLink& path = path_between(area, hop.source, hop.destination);
  const int count = std::min(senders(area.transport, site_of(area, hop.source)),
                             senders(area.transport, site_of(area, hop.destination)));
  return connection_rate(area.transport, path.latency * 2, path.loss) * count;
}

Wiring wire(const Schedule& schedule, const WideArea& area) {
  Wiring wiring;
  Wirer wirer(area, wiring);
  std::vector<LinkId> crossed;
  for (const Route& route : schedule.routes) {
    auto& path = wiring.routes.emplace_back();
    for (const Hop& hop : route.hops) {
      crossed.clear();
      wirer.append(hop, crossed);
      for (int share = 0; share < hop.times; ++share) {
        path.insert(path.end(), crossed.begin(), crossed.end());
      }
    }
  }
  return wiring;
}

}  // namespace sim
