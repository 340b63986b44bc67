// SPDX-License-Identifier: Apache-2.0
// Writers of RoundReports: tables for people, JSON and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/side_by_side.hpp"
#include "sim/rounds/round_report.hpp"

namespace sim {
namespace {

using Json = nlohmann::ordered_json;
using Row = TableRow<RoundReport>;

// Of the objects: grows when a field goes or changes its meaning, not when one is added.
constexpr int kSchemaVersion = 1;

std::string time_text(double seconds) {
  return std::isfinite(seconds) ? to_text(Seconds::from_base(seconds)) : "never";
}
std::string byte_text(double bytes) {
  return to_text(Bytes{static_cast<std::int64_t>(std::llround(bytes))});
}
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

bool fits(const RoundReport& report) { return report.fits_memory(); }
bool both_fit(const RoundReport& report) { return fits(report) && report.baseline_fits; }

std::vector<Row> speed_rows() {
  return {{"compute utilisation", [](const RoundReport& r) { return percent(r.utilisation); }},
          {"tokens per second",
           [](const RoundReport& r) { return fmt::format("{:.0f}", r.tokens_per_s); }},
          {kRangeLabel, throughput_range<RoundReport>},
          {"time per round", [](const RoundReport& r) { return time_text(r.round_time_s); }}};
}

std::vector<Row> round_rows() {
  return {{"inner steps per round",
           [](const RoundReport& r) { return fmt::format("{}", r.inner_steps); }},
          {"  fragments",
           [](const RoundReport& r) {
             return r.fragments == 1 ? "-" : fmt::format("{}", r.fragments);
           }},
          {"exchange after the round", [](const RoundReport& r) {
             return r.exchange_after_round_s > 0 ? time_text(r.exchange_after_round_s) : "-";
           }}};
}

std::vector<Row> time_rows() {
  std::vector<Row> rows{
      {"where the time of a round goes"},
      {"  at the site", [](const RoundReport& r) { return r.ended() ? r.time_site : "-"; }}};
  const auto add = [&](const char* label, double TimeParts::*part) {
    rows.push_back({label, [part](const RoundReport& r) {
                      const double seconds = r.time.*part;
                      if (!(seconds > 0)) return std::string("-");
                      return fmt::format("{} {:2.0f} %", time_text(seconds),
                                         100 * seconds / r.round_time_s);
                    }});
  };
  add("  inner steps", &TimeParts::compute_s);
  add("  exposed communication", &TimeParts::exposed_comm_s);
  add("  codec kernels", &TimeParts::codec_s);
  add("  waiting for other sites", &TimeParts::bubble_s);
  add("  outer update", &TimeParts::optimizer_s);
  return rows;
}

std::vector<Row> volume_rows() {
  std::vector<Row> rows{{"sent per site per round", [](const RoundReport& r) {
                           return r.ended() ? byte_text(r.wire_bytes_wan) : "-";
                         }}};
  const auto add = [&](const char* label, const char* suffix, double RoundReport::*figure) {
    rows.push_back({label, [figure, suffix](const RoundReport& r) {
                      return r.sites == 1 ? "-" : fmt::format("{:.4g}{}", r.*figure, suffix);
                    }});
  };
  add("  bits per parameter", "", &RoundReport::bits_per_parameter);
  add("  compression over FP32", "x", &RoundReport::compression_ratio_fp32);
  add("  compression over BF16", "x", &RoundReport::compression_ratio_bf16);
  return rows;
}

std::vector<Row> price_rows() {
  const auto usd = [](const char* label, double RoundReport::*figure) {
    return Row{label, [figure](const RoundReport& r) {
                 return r.ended() && r.*figure > 0 ? fmt::format("{:.4g} USD", r.*figure) : "-";
               }};
  };
  return {usd("egress per round", &RoundReport::egress_usd),
          usd("leased links per round", &RoundReport::link_usd)};
}

std::vector<Row> token_price_rows() {
  return {{"USD per million tokens",
           [](const RoundReport& r) {
             return r.ended() ? fmt::format("{:.3f}", r.usd_per_million_tokens) : "-";
           }},
          {kRangeLabel, price_range<RoundReport>}};
}

std::vector<Row> loss_rows() {
  std::vector<Row> rows = error_rows<RoundReport>("error of one encode, relative L2");
  rows.push_back({"error of 256 summed steps", [](const RoundReport& r) {
                    const auto sum = r.codec_error.find("sum_of_256");
                    if (sum == r.codec_error.end()) return std::string("-");
                    return sum->second ? fmt::format("{:.3g}", *sum->second) : "not known";
                  }});
  return rows;
}

std::vector<Row> memory_rows() {
  return {{"memory per GPU",
           [](const RoundReport& r) { return byte_text(r.fullest_site().memory.total()); }},
          {"  at the fullest site",
           [](const RoundReport& r) { return r.by_site.size() > 1 ? r.fullest_site().name : "-"; }},
          fit_row(fits)};
}

std::string full_name(std::string link) { return link; }

std::vector<Row> all_rows() {
  std::vector<Row> rows{
      {"", [](const RoundReport& r) { return TableCell(r.scheme, Style::heading); }}};
  for (auto part :
       {if_they_fit(speed_rows(), fits), speedup_rows(both_fit), round_rows(), time_rows(),
        volume_rows(), link_rows<RoundReport>("  share of the round busy", full_name), price_rows(),
        if_they_fit(token_price_rows(), fits), loss_rows(), memory_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json figures(const RoundReport& r) {
  Json json = {{"topology", r.topology},
               {"model", r.model},
               {"scheme", r.scheme},
               {"inner_scheme", r.inner_scheme},
               {"sites", r.sites},
               {"gpus", r.gpus},
               {"global_batch", r.global_batch},
               {"sequence", r.sequence},
               {"inner_steps", r.inner_steps},
               {"fragments", r.fragments},
               {"overlap_steps", r.overlap_steps},
               {"outcome", outcome_name(r.outcome)},
               {"round_time_s", number(r.round_time_s)},
               {"step_time_s", number(r.round_time_s / r.inner_steps)},
               {"tokens_per_s", r.tokens_per_s},
               {"compute_utilisation", r.utilisation},
               {"exchange_after_round_s", number(r.exchange_after_round_s)},
               {"time_site", r.time_site}};
  add_time_parts(r.time, json);
  json.update(Json{{"wire_bytes_wan", r.ended() ? Json(r.wire_bytes_wan) : Json(nullptr)},
                   {"bits_per_parameter", r.bits_per_parameter},
                   {"compression_ratio_fp32", r.compression_ratio_fp32},
                   {"compression_ratio_bf16", r.compression_ratio_bf16},
                   {"egress_usd", r.egress_usd},
                   {"link_usd", number(r.link_usd)},
                   {"usd_per_million_tokens", number(r.usd_per_million_tokens)},
                   {"energy_j", number(r.energy_j)}});
  add_range(r.range, json);
  json["speedup"] = r.baseline.empty() ? Json(nullptr) : Json(r.speedup);
  json["baseline"] = r.baseline.empty() ? Json(nullptr) : Json(r.baseline);
  json["baseline_fits_memory"] = r.baseline.empty() ? Json(nullptr) : Json(r.baseline_fits);
  return json;
}

Json to_object(const RoundReport& r) {
  Json json = {{"schema_version", kSchemaVersion}};
  json.update(figures(r));
  json["events"] = r.events;
  Json sites = Json::array();
  for (const SiteReport& site : r.by_site) {
    sites.push_back({{"site", site.name},
                     {"count", site.count},
                     {"gpu", site.gpu},
                     {"gpus", site.gpus},
                     {"inner_step_s", site.inner_step_s},
                     {"slowdown_beside_traffic", site.slowdown},
                     {"sent_bytes", site.sent_bytes},
                     {"received_bytes", site.received_bytes},
                     {"memory_per_gpu_bytes", site.memory.total()},
                     {"fits_memory", site.fits_memory}});
  }
  json["by_site"] = sites;
  json["busiest_links"] = json_of(r.busiest_links);
  json["codec_error"] = json_of(r.codec_error);
  json["sources"] = r.sources;
  return json;
}

// What has kept a round from being complete.
std::string events_of(const RoundReport& report) {
  if (report.outcome == RoundOutcome::complete) return "";
  constexpr std::size_t kShown = 4;
  const auto shown = std::span(report.events).first(std::min(kShown, report.events.size()));
  const std::size_t more = report.events.size() - shown.size();
  return fmt::format("{}: the round is {}: {}{}\n", report.scheme, outcome_name(report.outcome),
                     fmt::join(shown, "; "),
                     more > 0 ? fmt::format("; and {} more (--format json has all)", more) : "");
}

}  // namespace

StyledText to_table(std::span<const RoundReport> reports, std::size_t width) {
  if (reports.empty()) return {};
  const RoundReport& first = reports.front();
  StyledText text;
  append(text, fmt::format("{} on {}: {} {}, {} GPUs; {} inside a site\n{}\n\n", first.model,
                           first.topology, first.sites, first.sites == 1 ? "site" : "sites",
                           first.gpus, first.inner_scheme,
                           batch_text(first.global_batch, first.sequence, "inner step")));
  append(text, to_text(side_by_side(reports, all_rows()), width));
  append(text, range_and_fit_notes(reports, fits));
  append(text, "\n");
  for (const SiteReport& site : first.by_site) {
    append(text, fmt::format("{} x {}: {} {}, inner step {}\n", site.count, site.name, site.gpus,
                             site.gpu, time_text(site.inner_step_s)));
  }
  for (const RoundReport& report : reports) append(text, events_of(report), Style::bad);
  append(text, "\n");
  append(text, source_lines(reports));
  return text;
}

std::string to_json(std::span<const RoundReport> reports) {
  std::vector<Json> objects;
  for (const RoundReport& report : reports) objects.push_back(to_object(report));
  return json_text(objects);
}

std::string to_csv(std::span<const RoundReport> reports) {
  std::vector<Json> rows;
  for (const RoundReport& report : reports) rows.push_back(figures(report));
  return csv_text(rows);
}

}  // namespace sim
