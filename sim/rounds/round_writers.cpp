// Writers of RoundReports: tables for people, JSON and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/text_table.hpp"
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

void add_times(std::vector<Row>& rows) {
  rows.push_back({"where the time of a round goes, at",
                  [](const RoundReport& r) { return r.ended() ? r.time_site : "-"; }});
  const auto add = [&](const char* label, double TimeParts::*part) {
    rows.push_back({label, [part](const RoundReport& r) {
                      const double seconds = r.time.*part;
                      if (!(seconds > 0)) return std::string("-");
                      return fmt::format("{} {:3.0f} %", time_text(seconds),
                                         100 * seconds / r.round_time_s);
                    }});
  };
  add("  inner steps", &TimeParts::compute_s);
  add("  exposed communication", &TimeParts::exposed_comm_s);
  add("  codec kernels", &TimeParts::codec_s);
  add("  waiting for other sites", &TimeParts::bubble_s);
  add("  outer update", &TimeParts::optimizer_s);
}

void add_volume(std::vector<Row>& rows) {
  rows.push_back({"sent by a site in a round, mean", [](const RoundReport& r) {
                    return r.ended() ? byte_text(r.wire_bytes_wan) : "-";
                  }});
  rows.push_back({"bits per parameter; over FP32, BF16", [](const RoundReport& r) {
                    if (r.sites == 1) return std::string("-");
                    return fmt::format("{:.4g}; {:.3g}x, {:.3g}x", r.bits_per_parameter,
                                       r.compression_ratio_fp32, r.compression_ratio_bf16);
                  }});
  rows.push_back({"busiest link, share of round full", [](const RoundReport& r) {
                    if (r.busiest_links.empty()) return std::string("-");
                    return fmt::format("{} {:.0f} %", r.busiest_links.front().link,
                                       100 * r.busiest_links.front().busy);
                  }});
  rows.push_back({"egress in a round; leased links", [](const RoundReport& r) {
                    if (!r.ended()) return std::string("-");
                    return fmt::format("{:.4g} USD; {:.4g} USD", r.egress_usd, r.link_usd);
                  }});
}

std::vector<Row> price_rows() {
  return {{"USD per million tokens",
           [](const RoundReport& r) {
             return r.ended() ? fmt::format("{:.3f}", r.usd_per_million_tokens) : "-";
           }},
          {kRangeLabel, price_range<RoundReport>}};
}

void add_error(std::vector<Row>& rows) {
  rows.push_back({"error of one encode, normal / t3", [](const RoundReport& r) {
                    return error_text(r.codec_error,
                                      [](double e) { return fmt::format("{:.3g}", e); });
                  }});
  rows.push_back({"error of the sum of 256, fed back", [](const RoundReport& r) {
                    const auto sum = r.codec_error.find("sum_of_256");
                    if (sum == r.codec_error.end()) return std::string("-");
                    return sum->second ? fmt::format("{:.3g}", *sum->second) : "not known";
                  }});
}

std::vector<Row> speed_rows(bool compared) {
  std::vector<Row> rows{
      {"compute utilisation", [](const RoundReport& r) { return percent(r.utilisation); }},
      {"tokens per second",
       [](const RoundReport& r) { return fmt::format("{:.0f}", r.tokens_per_s); }},
      {kRangeLabel, throughput_range<RoundReport>}};
  if (compared) {
    rows.push_back({"speed-up", [](const RoundReport& r) {
                      return r.baseline.empty()
                                 ? "-"
                                 : fmt::format("{:.2f}x over {}", r.speedup, r.baseline);
                    }});
  }
  rows.push_back({"round", [](const RoundReport& r) { return time_text(r.round_time_s); }});
  return rows;
}

bool fits(const RoundReport& report) { return report.fits_memory(); }

std::vector<Row> rows_of(bool compared) {
  std::vector<Row> rows{{"", [](const RoundReport& r) { return r.scheme; }}};
  const auto append = [&](const std::vector<Row>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  append(if_they_fit(speed_rows(compared), fits));
  rows.push_back({"inner steps of a round", [](const RoundReport& r) {
                    return fmt::format(
                        "{} in {}", r.inner_steps,
                        r.fragments == 1 ? "one piece" : fmt::format("{} fragments", r.fragments));
                  }});
  rows.push_back({"exchange goes on after the round for", [](const RoundReport& r) {
                    return r.exchange_after_round_s > 0 ? time_text(r.exchange_after_round_s) : "-";
                  }});
  add_times(rows);
  add_volume(rows);
  append(if_they_fit(price_rows(), fits));
  add_error(rows);
  rows.push_back({"memory per GPU, where it is fullest", [](const RoundReport& r) {
                    const SiteReport& site = r.fullest_site();
                    return byte_text(site.memory.total()) +
                           (r.by_site.size() > 1 ? " at " + site.name : "") +
                           (site.fits_memory ? "" : " DOES NOT FIT");
                  }});
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

}  // namespace

std::string to_table(std::span<const RoundReport> reports) {
  if (reports.empty()) return "";
  const RoundReport& first = reports.front();
  std::string text =
      fmt::format("{} on {}: {} {}, {} GPUs; {} inside a site\n\n", first.model, first.topology,
                  first.sites, first.sites == 1 ? "site" : "sites", first.gpus, first.inner_scheme);
  const bool compared = std::any_of(reports.begin(), reports.end(),
                                    [](const RoundReport& r) { return !r.baseline.empty(); });
  text += side_by_side(reports, rows_of(compared)) + "\n";
  if (!std::ranges::all_of(reports, fits)) text += std::string(kDoesNotFitNote) + "\n";
  for (const SiteReport& site : first.by_site) {
    text += fmt::format("{} x {}: {} {}, inner step {}\n", site.count, site.name, site.gpus,
                        site.gpu, time_text(site.inner_step_s));
  }
  for (const RoundReport& report : reports) {
    if (report.outcome == RoundOutcome::complete) continue;
    constexpr std::size_t kShown = 4;
    const auto shown = std::span(report.events).first(std::min(kShown, report.events.size()));
    text += fmt::format("{}: the round is {}: {}", report.scheme, outcome_name(report.outcome),
                        fmt::join(shown, "; "));
    const std::size_t more = report.events.size() - shown.size();
    text += more > 0 ? fmt::format("; and {} more (--format json has all)\n", more) : "\n";
  }
  return text + "\n" + source_lines(reports);
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
