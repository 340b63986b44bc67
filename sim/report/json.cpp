// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using Json = nlohmann::ordered_json;

// Of the objects: grows when a field goes or changes its meaning, not when one is added.
constexpr int kSchemaVersion = 1;

Json wire_by_phase(const StepReport& report) {
  Json phases = Json::object();
  for (const auto& [phase, wire] : report.wire_by_phase) {
    phases[phase_name(phase)] = {{"intra_node", wire.intra_node}, {"inter_node", wire.inter_node}};
  }
  return phases;
}

Json memory(const MemoryUse& use) {
  Json json = Json::object();
  for (const MemoryPart& part : memory_parts()) json[part.name] = use.*part.bytes;
  return json;
}

// The flat part: what JSON and CSV share, in order.
Json figures(const StepReport& r) {
  Json json = {{"topology", r.topology},
               {"model", r.model},
               {"scheme", r.scheme},
               {"calibration", r.calibration},
               {"gpus", r.gpus},
               {"data_parallel", r.data},
               {"tensor_parallel", r.tensor},
               {"pipeline_parallel", r.pipeline},
               {"zero_stage", r.parallelism.sharding.stage},
               {"hybrid_shard", r.parallelism.sharding.ranks},
               {"micro_batch", r.parallelism.micro_batch},
               {"accumulation", r.parallelism.accumulation},
               {"global_batch", r.global_batch},
               {"sequence", r.sequence},
               {"precision", name_of(r.parallelism.matrices, kMatrixPrecisions)},
               {"weight_precision", r.parallelism.gathers_matrices ? "fp8" : "bf16"},
               {"gradient_precision", name_of(r.parallelism.gradients, kPrecisions)},
               {"optimizer", name_of(r.parallelism.optimizer, kOptimizers)},
               {"recompute", name_of(r.parallelism.recompute, kRecomputes)},
               {"overlap", to_text(r.parallelism.overlap)},
               {"step_time_s", r.step_time_s},
               {"tokens_per_s", r.tokens_per_s},
               {"tflops_per_gpu", r.tflops_per_gpu},
               {"mfu", r.mfu}};
  add_time_parts(r.time, json);
  json.update(Json{{"wire_bytes_intra_node", r.wire.intra_node},
                   {"wire_bytes_inter_node", r.wire.inter_node},
                   {"wire_bytes_wan", 0.0},
                   {"compression_ratio_fp32", r.compression_ratio_fp32},
                   {"compression_ratio_bf16", r.compression_ratio_bf16},
                   {"gradient_exchange_s", r.gradient_exchange_s},
                   {"memory_per_gpu_bytes", r.memory.total()},
                   {"fits_memory", r.fits_memory},
                   {"energy_j", r.energy_j},
                   {"usd_per_million_tokens", r.usd_per_million_tokens}});
  add_range(r.range, json);
  json["speedup"] = r.baseline.empty() ? Json(nullptr) : Json(r.speedup);
  json["baseline"] = r.baseline.empty() ? Json(nullptr) : Json(r.baseline);
  json["baseline_fits_memory"] = r.baseline.empty() ? Json(nullptr) : Json(r.baseline_fits);
  const auto chosen = [](const std::optional<std::string>& flags) {
    return flags ? Json(*flags) : Json(nullptr);
  };
  json["flags"] = chosen(r.flags);
  json["baseline_flags"] = chosen(r.baseline_flags);
  // JSON has no infinity: null says that it still pays at the end of the search.
  const auto bandwidth = [&](double value) {
    return r.break_even && std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  json["pays_at_nic_Bps"] = bandwidth(r.break_even ? r.break_even->pays_at_Bps : 0);
  json["loses_at_nic_Bps"] = bandwidth(r.break_even ? r.break_even->loses_at_Bps : 0);
  return json;
}

Json to_object(const StepReport& r) {
  Json json = {{"schema_version", kSchemaVersion}};
  json.update(figures(r));
  Json exposed = Json::object();
  for (const auto& [phase, seconds] : r.time.exposed_by_phase_s) {
    exposed[phase_name(phase)] = seconds;
  }
  json["exposed_comm_by_phase_s"] = exposed;
  json["wire_bytes_by_phase"] = wire_by_phase(r);
  json["memory_by_part_bytes"] = memory(r.memory);
  json["busiest_links"] = json_of(r.busiest_links);
  json["bound"] = r.bound;
  json["codec_error"] = json_of(r.codec_error);
  json["pareto"] = Json::object();
  if (r.pareto) {
    json["pareto"] = {{"sends_plain", r.pareto->sends_plain},
                      {"error", r.pareto->error ? Json(*r.pareto->error) : Json(nullptr)},
                      {"on_front", r.pareto->on_front}};
  }
  json["sources"] = r.sources;
  return json;
}

}  // namespace

std::string to_json(std::span<const StepReport> reports) {
  std::vector<Json> objects;
  for (const StepReport& report : reports) objects.push_back(to_object(report));
  return json_text(objects);
}

std::string to_csv(std::span<const StepReport> reports) {
  std::vector<Json> rows;
  for (const StepReport& report : reports) rows.push_back(figures(report));
  return csv_text(rows);
}

}  // namespace sim
