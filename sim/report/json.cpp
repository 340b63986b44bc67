// SPDX-License-Identifier: Apache-2.0
// Reports as JSON and CSV. A step and a round have the same names in the same order; a name
// that does not apply is absent.
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/report/goodput_rows.hpp"
#include "sim/report/membership_rows.hpp"
#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using Json = nlohmann::ordered_json;

// Of the objects: grows when a field goes or changes its meaning, not when one is added.
constexpr int kSchemaVersion = 1;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

void add_parallelism(const Parallelism& p, Json& json) {
  json.update(Json{{"tensor_parallel", p.tensor},
                   {"pipeline_parallel", p.pipeline},
                   {"zero_stage", p.sharding.stage},
                   {"hybrid_shard", p.sharding.ranks},
                   {"micro_batch", p.micro_batch},
                   {"accumulation", p.accumulation}});
}

void add_precisions(const Parallelism& p, Json& json) {
  json.update(Json{{"precision", name_of(p.matrices, kMatrixPrecisions)},
                   {"weight_precision", p.gathers_matrices ? "fp8" : "bf16"},
                   {"gradient_precision", name_of(p.gradients, kPrecisions)},
                   {"optimizer", name_of(p.optimizer, kOptimizers)},
                   {"optimizer_state", name_of(p.optimizer_state, kOptimizerStates)},
                   {"recompute", name_of(p.recompute, kRecomputes)},
                   {"overlap", to_text(p.overlap)}});
}

void add_setup(const Report& r, Json& json) {
  json.update(Json{{"topology", r.topology}, {"model", r.model}, {"scheme", r.scheme}});
  if (r.step) json["calibration"] = r.step->calibration;
  if (r.round) json["inner_scheme"] = r.round->inner_scheme;
  if (r.round) json["sites"] = r.round->sites;
  json["gpus"] = r.gpus;
  if (!r.node_placement.empty()) json["node_placement"] = r.node_placement;
  if (r.step) json["data_parallel"] = r.step->data;
  add_parallelism(r.parallelism, json);
  json["global_batch"] = r.global_batch;
  json["sequence"] = r.sequence;
  add_precisions(r.parallelism, json);
  if (!r.round) return;
  json["inner_steps"] = r.round->inner_steps;
  json["across_every"] = r.round->across_every;
  json["fragments"] = r.round->fragments;
  json["overlap_steps"] = r.round->overlap_steps;
}

void add_times(const Report& r, Json& json) {
  if (r.round) json["outcome"] = r.round->outcome;
  if (r.round) json["round_time_s"] = r.time_s;
  json["step_time_s"] = r.time_s / (r.round ? r.round->inner_steps : 1);
  json["tokens_per_s"] = r.tokens_per_s;
  if (r.step) {
    json["tflops_per_gpu"] = r.step->tflops_per_gpu;
    json["mfu"] = r.step->mfu;
  }
  if (r.round) {
    json["compute_utilisation"] = r.round->utilisation;
    json["exchange_after_round_s"] = r.round->exchange_after_round_s;
    json["time_site"] = r.round->time_site;
  }
  add_time_parts(r.time, json);
}

void add_costs(const Report& r, Json& json) {
  if (r.step) {
    json["wire_bytes_intra_node"] = r.step->wire.intra_node;
    json["wire_bytes_inter_node"] = r.step->wire.inter_node;
  }
  json["wire_bytes_wan"] = r.ended() ? Json(r.wire_bytes_wan) : Json();
  if (r.round) json["bits_per_parameter"] = r.round->bits_per_parameter;
  json["compression_ratio_fp32"] = r.compression_ratio_fp32;
  json["compression_ratio_bf16"] = r.compression_ratio_bf16;
  if (r.step) json["gradient_exchange_s"] = r.step->gradient_exchange_s;
  json["memory_per_gpu_bytes"] = r.memory.total();
  json["fits_memory"] = r.fits_memory;
  if (r.round) json["egress_usd"] = r.round->egress_usd;
  if (r.round) json["link_usd"] = r.round->link_usd;
  json["energy_j"] = r.energy_j;
  json["usd_per_million_tokens"] = r.usd_per_million_tokens;
}

// Null where it was not simulated.
void add_range(const std::optional<LikelyRange>& range, Json& json) {
  const auto end = [&](double LikelyRange::*one) { return range ? Json((*range).*one) : Json(); };
  json["tokens_per_s_low"] = end(&LikelyRange::tokens_per_s_low);
  json["tokens_per_s_high"] = end(&LikelyRange::tokens_per_s_high);
  json["usd_per_million_tokens_low"] = end(&LikelyRange::usd_per_million_tokens_low);
  json["usd_per_million_tokens_high"] = end(&LikelyRange::usd_per_million_tokens_high);
}

void add_comparison(const Report& r, Json& json) {
  const bool compared = !r.baseline.empty();
  json["speedup"] = compared ? Json(r.speedup) : Json();
  json["speedup_low"] = r.speedup_range ? Json(r.speedup_range->low) : Json();
  json["speedup_high"] = r.speedup_range ? Json(r.speedup_range->high) : Json();
  json["verdict"] = r.verdict ? Json(verdict_name(*r.verdict)) : Json();
  json["baseline"] = compared ? Json(r.baseline) : Json();
  json["baseline_fits_memory"] = compared ? Json(r.baseline_fits) : Json();
  if (r.round) return;
  json["flags"] = or_null(r.flags);
  json["baseline_flags"] = or_null(r.baseline_flags);
  json["pays_at_nic_Bps"] = r.break_even ? Json(r.break_even->pays_at_Bps) : Json();
  json["loses_at_nic_Bps"] = r.break_even ? Json(r.break_even->loses_at_Bps) : Json();
  json["break_even_low_nic_Bps"] = r.break_even ? Json(r.break_even->low_Bps) : Json();
  json["break_even_high_nic_Bps"] = r.break_even ? Json(r.break_even->high_Bps) : Json();
}

// The flat part: what JSON and CSV share, in order.
Json figures(const Report& report) {
  Json json = Json::object();
  add_setup(report, json);
  add_times(report, json);
  add_costs(report, json);
  add_range(report.range, json);
  if (report.goodput) add_goodput(*report.goodput, json);
  if (report.membership) add_membership(*report.membership, json);
  add_comparison(report, json);
  if (report.step) json["host_memory_per_node_bytes"] = report.step->host_memory_bytes;
  return json;
}

void add_phases(const Report& r, Json& json) {
  Json& exposed = json["exposed_comm_by_phase_s"] = Json::object();
  for (const auto& [phase, seconds] : r.time.exposed_by_phase_s) {
    exposed[phase_name(phase)] = seconds;
  }
  Json& sent = json["wire_bytes_by_phase"] = Json::object();
  for (const auto& [phase, wire] : r.step->wire_by_phase) {
    sent[phase_name(phase)] = {{"intra_node", wire.intra_node}, {"inter_node", wire.inter_node}};
  }
}

void add_sites(const RoundFigures& round, Json& json) {
  json["events"] = round.events;
  json["by_site"] = Json::array();
  for (const SiteReport& site : round.by_site) {
    Json& one = json["by_site"].emplace_back(Json{{"site", site.name},
                                                  {"count", site.count},
                                                  {"gpu", site.gpu},
                                                  {"gpus", site.gpus},
                                                  {"inner_scheme", site.inner_scheme}});
    add_parallelism(site.parallelism, one);
    one.update(Json{{"inner_steps", site.inner_steps},
                    {"inner_step_s", site.inner_step_s},
                    {"slowdown_beside_traffic", site.slowdown},
                    {"sent_bytes", site.sent_bytes},
                    {"received_bytes", site.received_bytes},
                    {"memory_per_gpu_bytes", site.memory.total()},
                    {"fits_memory", site.fits_memory},
                    {"host_memory_per_node_bytes", site.host_memory_bytes}});
  }
}

Json to_object(const Report& r) {
  Json json = {{"schema_version", kSchemaVersion}};
  json.update(figures(r));
  if (r.step) add_phases(r, json);
  if (r.round) add_sites(*r.round, json);
  for (const MemoryPart& part : memory_parts()) {
    json["memory_by_part_bytes"][part.name] = r.memory.*part.bytes;
  }
  if (r.sensitivity) {
    json["sensitivity"] = {{"compute", r.sensitivity->compute},
                           {"network", r.sensitivity->network},
                           {"codecs", r.sensitivity->codecs},
                           {"slower_host", r.sensitivity->slower_host},
                           {"faster_host", r.sensitivity->faster_host}};
  }
  json["busiest_links"] = Json::array();
  for (const LinkUse& use : r.busiest_links) {
    json["busiest_links"].push_back(
        {{"link", use.link}, {"set_by", use.set_by}, {"busy", use.busy}});
  }
  json["bound"] = r.bound;
  json["codec_error"] = Json::object();
  for (const auto& [name, error] : r.codec_error) json["codec_error"][name] = or_null(error);
  if (r.step) json["pareto"] = Json::object();
  if (r.pareto) {
    json["pareto"] = {{"sends_plain", r.pareto->sends_plain},
                      {"error", or_null(r.pareto->error)},
                      {"on_front", r.pareto->on_front}};
  }
  json["sources"] = r.sources;
  return json;
}

std::vector<Json> each(std::span<const Report> reports, Json (*record)(const Report&)) {
  std::vector<Json> records;
  for (const Report& report : reports) records.push_back(record(report));
  return records;
}

}  // namespace

std::string to_json(std::span<const Report> reports) { return json_text(each(reports, to_object)); }
std::string to_csv(std::span<const Report> reports) { return csv_text(each(reports, figures)); }

}  // namespace sim
