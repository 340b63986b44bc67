// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/zeropp.hpp"

#include <fmt/format.h>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/times/published.hpp"
#include "sim/validation/fit.hpp"

namespace sim::validation {
namespace {

constexpr const char* kTopology = "dgx2_v100_x24";
constexpr const char* kModel = "gpt_18b_zeropp";
constexpr int kFittedNics = 8;

Model model_of(const std::filesystem::path& folder) {
  return read_model(folder / "traces" / "models" / fmt::format("{}.toml", kModel));
}

// docs/_tutorials/zeropp.md: FP16, checkpointed activations, Megatron's kernels.
Parallelism deepspeed(int micro_batch) {
  return {.micro_batch = micro_batch,
          .recompute = Recompute::full,
          .gradients = Precision::bf16,
          .sharding = {.stage = 3}};
}

// So many of each node's NICs.
struct NicSetup {
  int nics = 0;
  std::string text;  // "4 NICs, 1024 tokens"
  [[nodiscard]] std::string cluster() const { return fmt::format("{}/{}", kTopology, text); }
};

std::vector<CsvRow> lines_of(const std::filesystem::path& folder) {
  return read_csv(folder / "traces/published/zeropp_throughput.csv");
}

NicSetup setup_of(const CsvRow& line) {
  const int nics = line.integer("nics");
  return {nics, fmt::format("{} {}, {} tokens", nics, nics > 1 ? "NICs" : "NIC",
                            line.integer("tokens_per_gpu"))};
}

Measurement measurement_of(const CsvRow& line, const Model& model, const char* scheme,
                           const char* column) {
  const NicSetup network = setup_of(line);
  return {.row = fmt::format("zeropp_throughput/{}/{}", network.text, scheme),
          .setup = {.cluster = network.cluster(),
                    .model = kModel,
                    .scheme = scheme,
                    .parallelism = deepspeed(line.integer("tokens_per_gpu") / model.sequence)},
          .metric = Metric::tflops_per_gpu,
          .value = line.number(column) / recomputed_flop(model)};
}

Inputs inputs_of(const std::filesystem::path& folder) {
  Inputs inputs;
  inputs.models[kModel] = model_of(folder);
  inputs.efficiencies = read_efficiencies(folder / "traces" / "compute_efficiency.toml");
  for (const CsvRow& line : lines_of(folder)) {
    const NicSetup network = setup_of(line);
    const Setting setting{"network.nics_per_node", fmt::to_string(network.nics)};
    const Cluster& cluster = inputs.clusters[network.cluster()] =
        read_cluster(folder / "topologies" / fmt::format("{}.toml", kTopology), {&setting, 1});
    Calibration& table = inputs.calibrations[network.cluster()] = roofline();
    table.published = read_published_kernels(folder / "traces" / "kernels", cluster.gpu);
  }
  return inputs;
}

bool is_fitted_on(const Inputs& inputs, const Measurement& one) {
  return one.setup.scheme == "sharded" &&
         inputs.clusters.at(one.setup.cluster).network.nics_per_node == kFittedNics;
}

Fitted fit_efficiency(Inputs inputs, const std::vector<Measurement>& measurements) {
  for (const Measurement& one : measurements) {
    if (!is_fitted_on(inputs, one)) continue;
    inputs.clusters.at(one.setup.cluster).fitted = {.compute_efficiency = 1, .rows = {one.row}};
    return fit(inputs, one.setup.cluster, {one});
  }
  throw InputError("zeropp_throughput.csv: has no row of 8 NICs, to which the constant is fitted");
}

}  // namespace

double recomputed_flop(const Model& model) {
  const double sequence = static_cast<double>(model.sequence) / (6.0 * model.hidden);
  const double words = static_cast<double>(model.vocabulary) / model.layers / model.hidden;
  return 96 * (1 + sequence + words / 16) / (72 * (1 + sequence + words / 12));
}

std::vector<Measurement> read_zeropp(const std::filesystem::path& folder) {
  const Model model = model_of(folder);
  std::vector<Measurement> all;
  for (const CsvRow& line : lines_of(folder)) {
    all.push_back(measurement_of(line, model, "sharded", "zero3_tflops"));
    all.push_back(measurement_of(line, model, "zeropp", "zeropp_tflops"));
  }
  return all;
}

ZeroppStudy predict_zeropp(const std::filesystem::path& folder,
                           const std::vector<Measurement>& measurements, int jobs,
                           const Tick& tick) {
  Inputs inputs = inputs_of(folder);
  ZeroppStudy study{.fitted = fit_efficiency(inputs, measurements),
                    .recomputed = recomputed_flop(inputs.models.at(kModel))};
  for (auto& [name, cluster] : inputs.clusters) cluster.fitted = study.fitted;
  study.rows = predict_rows(inputs, measurements, jobs, tick);
  study.speed_ups = speed_ups(study.rows);
  return study;
}

}  // namespace sim::validation
