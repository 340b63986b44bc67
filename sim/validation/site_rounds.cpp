// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/site_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/base/csv.hpp"
#include "sim/base/names.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim::validation {
namespace {

constexpr EnumName<RoundQuantity> kRoundQuantities[] = {
    {"step_s", RoundQuantity::step_s}, {"communication", RoundQuantity::communication}};

// A round, and what its prediction rests on.
struct Round {
  SiteExchange exchange;
  int sites = 0, ranks = 0;  // and ranks of a site
  double parameters = 0;     // that a rank exchanges
  double step_s = 0;
  double link_Bps = 0;
  std::optional<double> all_reduce_Bps;
  Cluster cluster;
  Calibration calibration;

  [[nodiscard]] double steps_s() const { return exchange.inner_steps * step_s; }
  [[nodiscard]] double payload_bytes() const { return ranks * exchange.wire.bytes(parameters); }
};

// A site's GPUs: those of topologies/dgx_h100_x16.toml, measured. What hosts encode is timed by the
// CPU's table.
void read_gpus(const CsvRow& line, const std::filesystem::path& folder, Round& round) {
  round.cluster = read_cluster(folder / "topologies" / "dgx_h100_x16.toml");
  round.calibration =
      read_calibration(folder / "traces" / "calibration" / "nvidia_h100_80gb_hbm3.json");
  round.cluster.gpu = as_measured(round.cluster.gpu, round.calibration);
  const std::string& host = line.text("host_codecs");
  if (host == "-") return;
  round.calibration.host_codecs = std::make_shared<const Calibration>(
      read_host_codecs(folder / "traces" / "host_codecs" / (host + ".json")));
}

Round round_in(const CsvRow& line, const std::filesystem::path& folder) {
  const Scheme& scheme = scheme_named(line.text("scheme"), line.place_of("scheme"));
  if (!scheme.between_sites || !scheme.between_sites->exchange->is_ring) {
    line.fail("scheme: is not that of a ring between sites");
  }
  Round round{.exchange = *scheme.between_sites,
              .sites = line.integer("sites"),
              .ranks = line.integer("ranks"),
              .parameters = line.number("parameters"),
              .step_s = line.number("step_s") * line.number("node_batches"),
              .link_Bps = line.number("link_gbps") * 1e9 / 8};
  round.exchange.inner_steps = line.integer("inner_steps");
  if (const auto rate = line.known("all_reduce_gBps")) round.all_reduce_Bps = *rate * 1e9;
  read_gpus(line, folder, round);
  return round;
}

// Nothing is ready before the last step ends: gradients accumulate, and only the last micro-batch's
// backward pass could overlap their exchange.
RoundShape shape_of_round(const Round& round) {
  const SiteExchange& exchange = round.exchange;
  SiteWork work =
      exchange_kernels(exchange, round.cluster, round.calibration,
                       static_cast<std::size_t>(std::llround(round.parameters)), round.sites);
  work.step_s = round.step_s;
  work.ready_s = {round.step_s};
  work.needed_s = round.step_s;
  work.whole_bytes = round.payload_bytes();
  work.part_bytes = round.payload_bytes() / round.sites;
  return {.exchange = exchange.exchange,
          .inner_steps = exchange.inner_steps,
          .overlap_steps = exchange.overlap_steps,
          .delayed = exchange.delayed,
          .rounds = exchange.overlap_steps > 0 ? 3 : 1,
          .sites = std::vector<SiteWork>(static_cast<std::size_t>(round.sites), work)};
}

double quantity_of(const Round& round, RoundQuantity quantity, double round_s) {
  if (quantity == RoundQuantity::step_s) return round_s / round.exchange.inner_steps;
  return 1 - round.steps_s() / round_s;
}

PublishedRound published_round(const CsvRow& line, const std::filesystem::path& folder) {
  const auto quantity = value_named(line.text("quantity"),
                                    std::span<const EnumName<RoundQuantity>>(kRoundQuantities));
  if (!quantity) line.fail("quantity: is not one of this table");
  const Round round = round_in(line, folder);
  const Bandwidth link = Bandwidth::from_base(round.link_Bps);
  const double round_s =
      simulate_round(sites_of_lines(round.sites, link, link), shape_of_round(round)).round_s;
  const double sent = round.payload_bytes() * round.exchange.exchange->copies_sent(round.sites);
  const auto arithmetic = [&](double rate_Bps) {
    const double sending_s = sent / rate_Bps;
    const bool beside = round.exchange.overlap_steps > 0;
    return quantity_of(round, *quantity,
                       beside ? std::max(round.steps_s(), sending_s) : round.steps_s() + sending_s);
  };
  PublishedRound row{.row = line.text("row"),
                     .scheme = line.text("scheme"),
                     .source = line.text("source"),
                     .note = line.text("note") == "-" ? "" : line.text("note"),
                     .quantity = *quantity,
                     .published = line.known("published"),
                     .bar = line.known("bar"),
                     .predicted = quantity_of(round, *quantity, round_s),
                     .sent_bytes = sent,
                     .arithmetic = arithmetic(round.link_Bps)};
  if (round.all_reduce_Bps) row.by_all_reduce = arithmetic(*round.all_reduce_Bps);
  return row;
}

}  // namespace

double PublishedRound::off(double value) const {
  return quantity == RoundQuantity::communication ? value - *published : value / *published - 1;
}

bool PublishedRound::within_bar() const { return is_scored() && std::abs(off(predicted)) <= *bar; }

std::vector<PublishedRound> predict_rounds(const std::filesystem::path& folder,
                                           std::string_view study) {
  std::vector<PublishedRound> rows;
  for (const CsvRow& line : read_csv(folder / "traces/published/site_rounds.csv")) {
    if (line.text("study") == study) rows.push_back(published_round(line, folder));
  }
  return rows;
}

RoundErrors errors_of(const std::vector<PublishedRound>& rows) {
  RoundErrors errors;
  for (const PublishedRound& row : rows) {
    if (!row.is_scored()) continue;
    ++errors.rows;
    errors.within_bar += row.within_bar() ? 1 : 0;
    errors.mean += (std::abs(row.off(row.predicted)) - errors.mean) / errors.rows;
    errors.arithmetic_mean +=
        (std::abs(row.off(row.arithmetic)) - errors.arithmetic_mean) / errors.rows;
  }
  return errors;
}

}  // namespace sim::validation
