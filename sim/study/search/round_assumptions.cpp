// SPDX-License-Identifier: Apache-2.0
// Assumptions about the network between sites.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/base/joined.hpp"
#include "sim/study/search/assumptions.hpp"
#include "sim/study/search/set_field.hpp"
#include "sim/study/search/wide_area_rates.hpp"

namespace sim::study {
namespace {

// Links with the table that they stand in: "links.line", "backbone".
template <class Area, class Visit>
void each_path(Area& area, const Visit& visit) {
  for (auto& link : area.links) visit(link, "links." + link.name);
  if (area.backbone) visit(*area.backbone, std::string("backbone"));
}

bool is_always_there(const WideArea&) { return true; }

// A rate is known where a line is one's own; what is shared, others use as well.
bool is_leased(const WideArea& area) {
  const auto is_line = [](const WideLink& link) { return link.bandwidth.has_value(); };
  return !area.backbone && !area.store && !area.syncer && std::ranges::all_of(area.links, is_line);
}

Spread bandwidth_spread(const WideArea& area) {
  if (is_leased(area)) {
    return {0.05, "a judgement: dedicated links; headers take up to 6 %"};
  }
  return {0.3, "a judgement: shared links vary with other traffic"};
}

void scale_bandwidths(WideArea& area, double factor) { area = with_rates(std::move(area), factor); }

std::string bandwidth_fields(const WideArea& area) {
  std::vector<std::string> fields;
  for (const Site& site : area.sites) {
    fields.push_back(set_field(fmt::format("sites.{}.uplink", site.name), site.uplink));
    fields.push_back(set_field(fmt::format("sites.{}.downlink", site.name), site.downlink));
  }
  each_path(area, [&](const WideLink& link, const std::string& table) {
    if (link.bandwidth) fields.push_back(set_field(table + ".bandwidth", *link.bandwidth));
  });
  if (area.store) {
    fields.push_back(set_field("store.upload", area.store->upload));
    fields.push_back(set_field("store.download", area.store->download));
  }
  if (area.syncer) {
    fields.push_back(set_field("syncer.uplink", area.syncer->uplink));
    fields.push_back(set_field("syncer.downlink", area.syncer->downlink));
  }
  return joined(fields, " ");
}

// The measured latencies of the shipped files, over 5 us a kilometre of the great circle: New York
// to Paris 1.3 and to California 1.9, Hong Kong to Virginia 1.5, to Tokyo 1.8 and to Frankfurt 2.2,
// Chicago to Virginia 2.1, Milan to Paris 3.4.
Spread latency_spread(const WideArea&) {
  return {0.29, "measured paths in the shipped files, 1.3 to 3.4 times straight fibre"};
}

void scale_latencies(WideArea& area, double factor) {
  each_path(area,
            [&](WideLink& link, const std::string&) { link.latency = link.latency * factor; });
  if (area.store) area.store->latency = area.store->latency * factor;
  if (area.syncer) area.syncer->latency = area.syncer->latency * factor;
}

std::string latency_fields(const WideArea& area) {
  std::vector<std::string> fields;
  each_path(area, [&](const WideLink& link, const std::string& table) {
    fields.push_back(set_field(table + ".latency", link.latency));
  });
  if (area.store) fields.push_back(set_field("store.latency", area.store->latency));
  if (area.syncer) fields.push_back(set_field("syncer.latency", area.syncer->latency));
  return joined(fields, " ");
}

// RDMA's rate does not know of loss (see connection_rate()).
bool loses_packets(const WideArea& area) {
  bool any = false;
  each_path(area, [&](const WideLink& link, const std::string&) { any = any || link.loss > 0; });
  return any && area.transport.kind == Transport::Kind::tcp;
}

Spread loss_spread(const WideArea&) {
  return {1.15, "a judgement: known to within a power of ten, which is two of these"};
}

void scale_losses(WideArea& area, double factor) {
  constexpr double kMost = 0.5;  // that a file may say
  each_path(area, [&](WideLink& link, const std::string&) {
    link.loss = std::min(kMost, link.loss * factor);
  });
}

std::string loss_fields(const WideArea& area) {
  std::vector<std::string> fields;
  each_path(area, [&](const WideLink& link, const std::string& table) {
    if (link.loss > 0) fields.push_back(set_field(table + ".loss", link.loss));
  });
  return joined(fields, " ");
}

constexpr std::array kBetweenSites{
    Assumption{
        .name = "wan_bandwidth",
        .meaning = "bandwidth of access links, paths between sites, storage, and syncer",
        .concern = Concern::wide_area,
        .more_is_faster = true,
        .between_sites = {is_always_there, bandwidth_spread, scale_bandwidths, bandwidth_fields}},
    Assumption{
        .name = "wan_latency",
        .meaning = "one-way latency of the paths between sites, to storage, and to the syncer",
        .concern = Concern::wide_area,
        .between_sites = {is_always_there, latency_spread, scale_latencies, latency_fields}},
    Assumption{.name = "wan_loss",
               .meaning = "packet loss on the paths between sites",
               .concern = Concern::wide_area,
               .between_sites = {loses_packets, loss_spread, scale_losses, loss_fields}},
    Assumption{
        .name = "store_request",
        .meaning = "time to the first byte of a request to object storage",
        .concern = Concern::wide_area,
        .between_sites = {
            [](const WideArea& area) { return area.store.has_value(); },
            [](const WideArea&) {
              return Spread{0.78, "the chosen 50 ms and Amazon's figure for S3, 100 to 200 ms"};
            },
            [](WideArea& area, double factor) {
              area.store->request = area.store->request * factor;
            },
            [](const WideArea& area) { return set_field("store.request", area.store->request); }}},
};

}  // namespace

std::span<const Assumption> assumptions_between_sites() { return kBetweenSites; }

}  // namespace sim::study
