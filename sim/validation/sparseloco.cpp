// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/sparseloco.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim::validation {
namespace {

constexpr double kGB = 1e9;

struct Run {
  std::string model;
  double parameters = 0;
  int inner_steps = 0;
  double compute_s = 0;
  double communication_s = 0;
  double payload_gb = 0;  // 0: not published, as below
  double utilisation_percent = 0;
  int peers = 0;
  Bandwidth uplink, downlink;
};

Run read_run(const CsvRow& row) {
  const auto published = [&](const char* column) {
    return row.text(column) == "-" ? 0 : row.number(column);
  };
  return {.model = row.text("model"),
          .parameters = row.number("parameters"),
          .inner_steps = row.integer("inner_steps"),
          .compute_s = row.number("compute_s"),
          .communication_s = row.number("communication_s"),
          .payload_gb = published("payload_gb"),
          .utilisation_percent = published("utilisation_percent"),
          .peers = static_cast<int>(published("peers")),
          .uplink = Bandwidth::from_base(published("uplink_mbps") * 1e6 / 8),
          .downlink = Bandwidth::from_base(published("downlink_mbps") * 1e6 / 8)};
}

double payload_bytes(const Run& run) {
  return scheme_named("sparseloco").between_sites->wire.bytes(run.parameters);
}

// Peers of which only their lines limit anything, and storage that serves at any rate.
WideArea peers_of(const Run& run, double rates) {
  WideArea area = sites_of_lines(run.peers, run.uplink * rates, run.downlink * rates);
  area.store = Store{.upload = Bandwidth::from_base(1e15), .download = Bandwidth::from_base(1e15)};
  return area;
}

// Seconds that a round lasts beyond its steps, with rates so many times as stated.
double communication_s(const Run& run, const Exchange& exchange, double rates) {
  const double step_s = run.compute_s / run.inner_steps;
  const SiteWork work{.step_s = step_s,
                      .ready_s = {step_s},
                      .needed_s = step_s,
                      .whole_bytes = payload_bytes(run),
                      .part_bytes = payload_bytes(run) / run.peers};
  const RoundShape shape{.exchange = &exchange,
                         .inner_steps = run.inner_steps,
                         .sites = std::vector<SiteWork>(static_cast<std::size_t>(run.peers), work)};
  return simulate_round(peers_of(run, rates), shape).round_s - run.compute_s;
}

// How many times the stated rates the published time takes, by bracketing.
double rates_for(const Run& run, const Exchange& exchange) {
  double low = 0.01;
  double high = 100;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (communication_s(run, exchange, middle) > run.communication_s ? low : high) = middle;
  }
  return high;
}

void add_run(const Run& run, std::vector<Figure>& figures) {
  const auto add = [&](const char* what, const char* unit, double published, double computed,
                       std::string how) {
    figures.push_back({run.model + ": " + what, unit, published, computed, std::move(how)});
  };
  const double utilisation = run.compute_s / (run.compute_s + run.communication_s);
  add("payload per peer", "GB", run.payload_gb, payload_bytes(run) / kGB, "codec");
  add("compute utilisation", "%", run.utilisation_percent, 100 * utilisation,
      "by definition: published compute time divided by published compute plus communication time");
  if (run.peers == 0) return;
  add("communication, every peer downloads from every other", "s", run.communication_s,
      communication_s(run, exchanges::store, 1),
      fmt::format("simulated: {} peers, stated links, object storage", run.peers));
  add("communication, parts summed by owners", "s", run.communication_s,
      communication_s(run, exchanges::all_to_all, 1),
      "simulated: each peer sums its part of all payloads and forwards the sum, as large as that "
      "part");
  const double times = rates_for(run, exchanges::store);
  add("rates needed for the published time", "x stated", 0, times,
      fmt::format("simulated: {:.0f} Mb/s up and {:.0f} Mb/s down",
                  times * run.uplink.base() * 8 / 1e6, times * run.downlink.base() * 8 / 1e6));
}

}  // namespace

std::vector<Figure> sparseloco_figures(const std::filesystem::path& runs) {
  const double bits = 8 * scheme_named("sparseloco").between_sites->wire.bytes_per_element();
  std::vector<Figure> figures{
      {"bits per parameter", "bit", 0.21875, bits, "codec: 64 of 4096, 12 + 2 bits each"},
      {"compression ratio relative to FP32", "x", 146, 32 / bits, "codec"},
      {"bits per parameter, as deployed", "bit", 0.3125,
       bits * scheme_named("sparseloco_deployed").between_sites->sent_per_byte,
       "codec: codes as bytes, 12 + 8 bits each"}};
  for (const CsvRow& row : read_csv(runs)) add_run(read_run(row), figures);
  return figures;
}

}  // namespace sim::validation
