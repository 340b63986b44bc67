// SPDX-License-Identifier: Apache-2.0
// The part of the catalogue that says what files may hold.
#include <fmt/format.h>

#include "apps/catalogue.hpp"
#include "apps/sweep/points.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/reliability/reliability.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/times/codec_card.hpp"
#include "sim/topology/bill.hpp"
#include "sim/topology/price_list.hpp"
#include "sim/topology/traffic.hpp"
#include "sim/topology/wide_area.hpp"
#include "sim/workload/model.hpp"

namespace apps {
namespace {

Listing listing_of(std::string_view name, std::string heading, std::span<const sim::TomlKey> keys) {
  Listing listing{name,
                  std::move(heading),
                  {"key", "value", "default", "meaning"},
                  {},
                  "{}: {}; default: {}\n      {}"};
  for (const sim::TomlKey& row : keys) {
    listing.rows.push_back({std::string(row.key), std::string(row.value),
                            std::string(row.usual.empty() ? "none (required)" : row.usual),
                            std::string(row.meaning)});
  }
  return listing;
}

}  // namespace

std::vector<Listing> key_listings() {
  const auto inside = sim::scheme_settings(sim::SchemeKind::inside);
  const auto between = sim::scheme_settings(sim::SchemeKind::between_sites);
  return {
      listing_of("cluster_keys", "keys of a cluster file (run --topology FILE)",
                 sim::cluster_keys()),
      listing_of("site_keys", "keys of a sites file (run --topology FILE)", sim::wide_area_keys()),
      listing_of("traffic_keys", "keys of a traffic file (run --traffic FILE)",
                 sim::traffic_keys()),
      listing_of("model_keys", "keys of a model file (run --model FILE)", sim::model_keys()),
      listing_of("scheme_keys", "keys of a scheme file (run --scheme FILE)",
                 sim::scheme_file_keys()),
      listing_of("network_parts_keys", "keys of a file of network parts (bom --parts FILE)",
                 sim::network_parts_keys()),
      listing_of("price_list_keys", "keys of a file of prices (plan --prices FILE)",
                 sim::price_list_keys()),
      listing_of("reliability_keys", "keys of a reliability file (run --reliability FILE)",
                 sim::reliability_keys()),
      listing_of("codec_card_keys", "keys of a codec card (codec = \"FILE\" in a scheme file)",
                 sim::codec_card_keys()),
      listing_of("scheme_settings", "settings of a scheme within a cluster (run --set KEY=VALUE)",
                 inside),
      listing_of("settings_between_sites",
                 "settings of a scheme between sites (run --set KEY=VALUE)", between),
      listing_of("sweep_keys", "keys of a sweep spec (sweep FILE)", spec_keys()),
  };
}

std::vector<Listing> unit_listings() {
  Listing listing{"units",
                  "units: the prefixes k, M, G, T and P stand for powers of 1000; Ki, Mi, Gi and "
                  "Ti stand for powers of 1024; b stands for bits and B for bytes",
                  {"quantity", "units"},
                  {},
                  "{:<34} {}"};
  for (const sim::QuantityUnits& quantity : sim::all_quantities()) {
    listing.rows.push_back({std::string(quantity.noun), sim::joined(quantity.units, " ")});
  }
  return {listing};
}

}  // namespace apps
