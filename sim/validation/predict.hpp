// Predictions of published rows: by simulation, and by arithmetic without one.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/cluster/cluster.hpp"
#include "sim/cluster/compute_efficiency.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/validation/published.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim::validation {

// Everything that the rows' jobs read, loaded once. Values may be changed to see what they move.
struct Inputs {
  std::map<std::string, Cluster> clusters;
  std::map<std::string, Model> models;
  // Of each cluster: SDP4Bit's own quantisers where they were published for its GPU, else none.
  std::map<std::string, Calibration> calibrations;
  EfficiencyTable efficiencies;  // the defaults that by_default() takes
};
// Reads what `measurements` name from the folder that holds topologies/ and traces/.
[[nodiscard]] Inputs read_inputs(const std::filesystem::path& folder,
                                 const std::vector<Measurement>& measurements);

// The inputs with what data sheets say, and nothing else: no fitted constant, no measured kernel.
[[nodiscard]] Inputs data_sheets_only(Inputs inputs);

// The inputs with the default of the compute efficiency for the row's cluster and precision.
[[nodiscard]] Inputs by_default(Inputs inputs, const Setup& setup);
// Whether that default rests on the row, or on its source.
[[nodiscard]] bool rests_on(const Inputs& inputs, const Measurement& one);

struct Prediction {
  double tflops_per_gpu = 0;
  double gradient_exchange_ms = 0;
  double tokens_per_s_per_gpu = 0;
  // Of a GPU, and whether it has as much. predict() alone.
  double memory_bytes = 0;
  bool fits_memory = true;
  [[nodiscard]] double of(Metric metric) const;
};

// plan_step() and simulate().
[[nodiscard]] Prediction predict(const Inputs& inputs, const Setup& setup);

// The null model: model FLOP over the peak rate times the compute efficiency, plus the bytes that
// each phase sends over the bandwidth of its level. The same constants, no simulation: no
// operators, passes, kernels, latencies or bubbles.
[[nodiscard]] Prediction predict_null(const Inputs& inputs, const Setup& setup);

using Predictor = Prediction (*)(const Inputs&, const Setup&);

}  // namespace sim::validation
