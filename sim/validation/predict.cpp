// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/predict.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/simulate.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/report/report.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/topology.hpp"
#include "sim/validation/serial.hpp"
#include "sim/workload/parameters.hpp"

namespace sim::validation {
namespace {

struct Case {
  Cluster cluster;
  const Model& model;
  Parallelism parallelism;
  Scheme scheme;
};

Case case_of(const Inputs& inputs, const Setup& setup) {
  const Cluster& whole = inputs.clusters.at(setup.cluster);
  Case one{
      .cluster = part_of(whole, setup.nodes > 0 ? setup.nodes : whole.nodes, whole.gpus_per_node),
      .model = inputs.models.at(setup.model),
      .parallelism = setup.parallelism,
      .scheme = scheme_named(setup.scheme)};
  if (one.scheme.gradients.algorithm->has_levels()) {
    one.scheme.gradients.slices = setup.slices;
  }
  return one;
}

EfficiencyDefault default_of(const Inputs& inputs, const Setup& setup) {
  return default_efficiency(
      inputs.efficiencies, inputs.clusters.at(setup.cluster).gpu.name,
      {.bits = product_bits(setup.parallelism.matrices),
       .published = inputs.calibrations.at(setup.cluster).published != nullptr});
}

}  // namespace

double Prediction::of(Metric metric) const {
  switch (metric) {
    case Metric::tflops_per_gpu:
      return tflops_per_gpu;
    case Metric::gradient_exchange_ms:
      return gradient_exchange_ms;
    case Metric::tokens_per_s_per_gpu:
      return tokens_per_s_per_gpu;
  }
  throw std::logic_error("unknown metric");
}

Inputs read_inputs(const std::filesystem::path& folder,
                   const std::vector<Measurement>& measurements) {
  Inputs inputs;
  inputs.efficiencies = read_efficiencies(folder / "traces" / "compute_efficiency.toml");
  const Calibration published =
      read_calibration(folder / "traces" / "calibration" / "a100_sdp4bit_published.json");
  for (const Measurement& one : measurements) {
    const Setup& setup = one.setup;
    if (!inputs.clusters.contains(setup.cluster)) {
      const Cluster cluster = read_cluster(folder / "topologies" / (setup.cluster + ".toml"));
      Calibration& table = inputs.calibrations[setup.cluster];
      table = published.gpu == cluster.gpu.name ? published : roofline();
      table.published = read_published_kernels(folder / "traces" / "kernels", cluster.gpu);
      inputs.clusters[setup.cluster] = cluster;
    }
    if (!inputs.models.contains(setup.model)) {
      inputs.models[setup.model] =
          read_model(folder / "traces" / "models" / (setup.model + ".toml"));
    }
  }
  return inputs;
}

Inputs without_fits(Inputs inputs) {
  for (auto& [name, cluster] : inputs.clusters) cluster = data_sheet_only(cluster);
  for (auto& [name, table] : inputs.calibrations) {
    const auto published = table.published;
    table = roofline();
    table.published = published;
  }
  return inputs;
}

Inputs data_sheets_only(Inputs inputs) {
  for (auto& [name, cluster] : inputs.clusters) cluster = data_sheet_only(cluster);
  for (auto& [name, table] : inputs.calibrations) table = roofline();
  return inputs;
}

Inputs by_default(Inputs inputs, const Setup& setup) {
  Cluster& cluster = inputs.clusters.at(setup.cluster);
  cluster.default_efficiency = default_of(inputs, setup);
  return inputs;
}

bool rests_on(const Inputs& inputs, const Measurement& one) {
  return std::ranges::any_of(default_of(inputs, one.setup).rows,
                             [&](const std::string& begin) { return one.row.starts_with(begin); });
}

Prediction predict(const Inputs& inputs, const Setup& setup) {
  const Case one = case_of(inputs, setup);
  const StepContext context{one.cluster, one.model, inputs.calibrations.at(setup.cluster),
                            one.parallelism, Detail::folded};
  PlannedStep step = plan_few_periods(context, one.scheme);
  const Timeline timeline = simulate_step(context, one.scheme, step);
  const Report report = summarize(context, one.scheme, step.schedule, step.wiring, timeline);
  return {.tflops_per_gpu = report.step->tflops_per_gpu,
          .gradient_exchange_ms = report.step->gradient_exchange_s * 1e3,
          .tokens_per_s_per_gpu = report.tokens_per_s / report.gpus,
          .memory_bytes = report.memory.total(),
          .fits_memory = report.fits_memory};
}

Prediction predict_null(const Inputs& inputs, const Setup& setup) {
  const Case one = case_of(inputs, setup);
  const StepContext context{one.cluster, one.model, inputs.calibrations.at(setup.cluster),
                            one.parallelism, Detail::folded};
  const Schedule schedule = plan_step(context, one.scheme).schedule;
  const double gradients_s = phase_seconds(context, one.scheme, schedule, Phase::gradient_comm);
  const double communication_s = communication_seconds(context, one.scheme, schedule);
  const double gpus = rank_count(one.cluster);
  const std::int64_t samples = global_batch(one.cluster, one.parallelism);
  const double flop = model_flop(one.model, samples).base() / gpus;
  const double tokens = static_cast<double>(samples) * one.model.sequence / gpus;
  const double compute_s = flop / (one.cluster.gpu.bf16.base() * compute_efficiency(one.cluster));
  const double step_s = compute_s + communication_s;
  return {.tflops_per_gpu = flop / step_s / 1e12,
          .gradient_exchange_ms = gradients_s * 1e3,
          .tokens_per_s_per_gpu = tokens / step_s};
}

}  // namespace sim::validation
