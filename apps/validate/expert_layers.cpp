// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/expert_layers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/data_files.hpp"
#include "apps/validate/blind_runs.hpp"
#include "sim/base/csv.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/simulation.hpp"
#include "sim/validation/steps.hpp"

namespace apps {
namespace {

double step_seconds(const ExpertLayer& layer, int layers, int micro_batches) {
  const BlindRun run =
      training_run(layer.id, arguments_of(fmt::format("{} --set model.layers={} --accumulation {}",
                                                      layer.flags, layers, micro_batches)));
  return sim::study::seconds_of(run.job, run.setup);
}

// What a micro-batch more takes, of which all but the layers cancels out.
double layer_seconds(const ExpertLayer& layer) {
  const auto micro_batch = [&](int layers) {
    return step_seconds(layer, layers, 2) - step_seconds(layer, layers, 1);
  };
  constexpr int kFew = 1, kMany = 3;
  return (micro_batch(kMany) - micro_batch(kFew)) / (kMany - kFew);
}

}  // namespace

std::vector<ExpertLayer> read_expert_layers() {
  std::vector<ExpertLayer> layers;
  for (const sim::CsvRow& line :
       sim::read_csv(data_directory() / "traces" / "published" / "expert_layers.csv")) {
    const std::string& dispatcher = line.text("dispatcher");
    layers.push_back({.id = line.text("id"),
                      .dispatcher = dispatcher,
                      .flags = fmt::format("{} --dispatcher {}", line.text("flags"),
                                           sim::validation::modelled_dispatcher(dispatcher)),
                      .published_s = line.number("forward_s") + line.number("backward_s")});
  }
  return layers;
}

void predict_layers(std::vector<ExpertLayer>& layers, int jobs, const std::function<void()>& step) {
  sim::for_each_in_parallel(jobs, layers.size(), [&](std::size_t i) {
    step();
    layers[i].predicted_s = layer_seconds(layers[i]);
  });
}

double layers_error(const std::vector<ExpertLayer>& layers) {
  double sum = 0;
  for (const ExpertLayer& one : layers)
    sum += std::abs(std::log(one.predicted_s / one.published_s));
  return layers.empty() ? 0 : sum / static_cast<double>(layers.size());
}

}  // namespace apps
