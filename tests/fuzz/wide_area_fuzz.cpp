// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <set>

#include "sim/base/quantity_text.hpp"
#include "sim/topology/wide_area.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

namespace {

// Clusters are those that ship, by their names alone.
std::filesystem::path cluster_file(const std::string& name) {
  for (const char* shipped : {"dgx_a100_x16", "dgx_b200", "dgx_h100_x16", "dgx_h200_x16"}) {
    if (name == shipped) {
      return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / "topologies" / (name + ".toml");
    }
  }
  throw sim::InputError("no cluster is called " + sim::printable(name));
}

bool is_sound(const sim::Variation& variation) {
  double at_s = 0;
  for (const sim::ShareChange& change : variation.changes) {
    if (!(change.at.base() > at_s) || !(change.share >= 0 && change.share <= 1)) return false;
    at_s = change.at.base();
  }
  return !variation.repeats || variation.repeats->base() > at_s;
}

bool is_sound(const sim::WideArea& area, int a, int b) {
  const sim::WideLink& path = sim::path_between(area, a, b);
  const double rate = sim::connection_rate(area.transport, path.latency * 2, path.loss).base();
  return rate > 0 && is_sound(path.variation) && path.background >= 0 && path.background < 1 &&
         (!path.bandwidth || path.bandwidth->base() > 0);
}

bool is_sound(const sim::Syncer& syncer) {
  const auto& memory = syncer.memory_bandwidth;
  return syncer.uplink.base() > 0 && syncer.downlink.base() > 0 && syncer.latency.base() >= 0 &&
         (!memory || memory->base() > 0);
}

bool is_sound(const sim::WideArea& area) {
  constexpr int kPairsOf = 32;  // of so many sites, for speed
  const int places = sim::place_count(area);
  if (places < 2 || places > 16'384) return false;
  std::set<std::string> names;
  for (int a = 0; a < places; ++a) {
    const sim::Site& site = sim::site_of(area, a);
    const bool good = names.insert(sim::place_name(area, a)).second && site.cluster.nodes > 0 &&
                      site.cluster.gpu.bf16.base() > 0 && site.uplink.base() > 0 &&
                      site.downlink.base() > 0 && site.speed > 0 && is_sound(site.variation);
    if (!good) return false;
    for (int b = 0; b < std::min(a, kPairsOf); ++b) {
      if (!is_sound(area, a, b)) return false;
    }
  }
  return !area.syncer || is_sound(*area.syncer);
}

}  // namespace

// A wide area that reads is one that can be wired: every pair of sites has a path, every rate is
// one. Text with sites in it is known for what it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz_reader(bytes, size, [](auto text, const auto& file, auto settings) {
    static_cast<void>(sim::has_sites(text));
    if (!is_sound(sim::parse_wide_area(text, file, cluster_file, settings))) std::abort();
  });
  return 0;
}
