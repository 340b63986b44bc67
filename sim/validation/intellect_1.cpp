// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/intellect_1.hpp"

#include <fmt/format.h>

#include "sim/base/csv.hpp"
#include "sim/base/file.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/sites/ring_order.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim::validation {
namespace {

// 42 layers of Llama 3's form, 4096 wide with 14336 in between and 8 key-value heads of 32, and two
// embeddings of 128 256 tokens.
constexpr double kParameters =
    42.0 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336) + 2.0 * 128'256 * 4096;

WideArea area_of_nodes(const std::filesystem::path& folder) {
  const auto file = folder / "topologies" / "wide_area" / "three_continents.toml";
  return parse_wide_area(read_file(file), file, [&](const std::string& name) {
    return folder / "topologies" / (name + ".toml");
  });
}

// Of a ring's hops, those whose ends are sites of different tables.
int hops_between_tables(const WideArea& area, const std::vector<int>& ring) {
  int hops = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Site& from = site_of(area, ring[i]);
    const Site& to = site_of(area, ring[(i + 1) % ring.size()]);
    hops += from.name != to.name ? 1 : 0;
  }
  return hops;
}

}  // namespace

std::vector<Figure> intellect_1_figures(const std::filesystem::path& folder) {
  const WideArea area = area_of_nodes(folder);
  const SiteExchange& exchange = *scheme_named("diloco_int8").between_sites;
  const int nodes = place_count(area);
  const double bytes = exchange.wire.bytes(kParameters);
  std::vector<Figure> figures{
      {"bits per parameter", "bit", 8, 8 * exchange.wire.bytes_per_element(),
       "codec: 8 bits, and a scale for 2048 of them"},
      {"less than FP32 gradients in every step", "x", 400,
       exchange.inner_steps * 4 / exchange.wire.bytes_per_element(),
       fmt::format("by definition: {} steps per round, times 32 bits over those of the codec",
                   exchange.inner_steps)},
      {fmt::format("sent by a node in a round of {}", nodes), "GB", 0,
       bytes * exchange.exchange->copies_sent(nodes) / 1e9,
       fmt::format("by definition: 2 ({} - 1) / {} of the codes of {:.1f}e9 parameters", nodes,
                   nodes, kParameters / 1e9)},
      {"hops of the ring between continents", "", 3,
       static_cast<double>(
           hops_between_tables(area, ordered_ring(area, all_places(area), exchange.ring_order))),
       "the order whose slowest hop is fastest over the links of three_continents: to Asia and "
       "back "
       "by Europe, since the Pacific is the slowest path"}};
  for (const CsvRow& row : read_csv(folder / "traces/published/intellect_1.csv")) {
    const double compute_s = 60 * row.number("inner_steps_min");
    figures.push_back({row.text("scenario") + ": compute utilisation", "%",
                       row.number("utilisation_percent"),
                       100 * compute_s / (compute_s + row.number("all_reduce_s")),
                       fmt::format("by definition: {} min of steps, {} s of all_reduce",
                                   row.text("inner_steps_min"), row.text("all_reduce_s"))});
  }
  return figures;
}

}  // namespace sim::validation
