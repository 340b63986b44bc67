// SPDX-License-Identifier: Apache-2.0
// Predictions of published rows: by simulation, and by arithmetic alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/schemes/scheme.hpp"
#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/validation/published.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim::validation {

// Every input of the rows' jobs, loaded once. Callers may change values to see the effect.
struct Inputs {
  std::map<std::string, Cluster> clusters;
  std::map<std::string, Model> models;
  // For each cluster: SDP4Bit's own quantisers if published for its GPU, else none.
  std::map<std::string, Calibration> calibrations;
  EfficiencyTable efficiencies;  // the defaults used by by_default()
};
// Reads the inputs named by `measurements` from the folder that contains topologies/ and traces/.
[[nodiscard]] Inputs read_inputs(const std::filesystem::path& folder,
                                 const std::vector<Measurement>& measurements);

// The inputs without fitted constants and measured codecs: published kernels remain.
[[nodiscard]] Inputs without_fits(Inputs inputs);
// The inputs with data-sheet values only: no fitted constant, no measured or published kernel.
[[nodiscard]] Inputs data_sheets_only(Inputs inputs);

// The inputs with the default compute efficiency for the row's cluster and precision.
[[nodiscard]] Inputs by_default(Inputs inputs, const Setup& setup);
// Whether that default rests on the row or its source.
[[nodiscard]] bool rests_on(const Inputs& inputs, const Measurement& one);

struct Prediction {
  double tflops_per_gpu = 0;
  double gradient_exchange_ms = 0;
  double tokens_per_s_per_gpu = 0;
  // Per GPU, and whether the GPU has as much. predict() only.
  double memory_bytes = 0;
  bool fits_memory = true;
  [[nodiscard]] double of(Metric metric) const;
};

// plan_step() and simulate().
[[nodiscard]] Prediction predict(const Inputs& inputs, const Setup& setup);

// The null model: model FLOP over the peak rate times the compute efficiency, plus each phase's
// bytes over the bandwidth of its level. It uses the same constants but no simulation: no
// operators, passes, kernels, latencies or bubbles.
[[nodiscard]] Prediction predict_null(const Inputs& inputs, const Setup& setup);

using Predictor = Prediction (*)(const Inputs&, const Setup&);

}  // namespace sim::validation
