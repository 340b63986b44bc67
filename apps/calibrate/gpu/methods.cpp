// SPDX-License-Identifier: Apache-2.0
// The steps of methods over all sizes.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <tuple>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/method_steps.hpp"
#include "apps/calibrate/gpu/operations.hpp"

namespace calibrate {
namespace {

using codecs::MethodStep;
using codecs::StepShape;

// Larger tensors would keep the references busy for seconds: 16 MiB of float32.
constexpr std::size_t kMostChecked = std::size_t{1} << 22;
constexpr std::size_t kRanks[] = {4, 16};
constexpr std::size_t kFactorRank = 4;  // of PowerSGD's language model (its section 5)

using Make = StepKernels (*)(const StepCase&);

Make maker_of(const MethodStep& step) {
  constexpr std::tuple<const char*, const char*, Make> kMakers[] = {
      {"loco", "encode", loco_encode},
      {"sparseloco", "aggregate", sparse_aggregate},
      {"one_bit_adam", "encode", one_bit_encode},
      {"one_bit_adam", "reduce", one_bit_reduce},
      {"one_bit_adam", "decode", one_bit_decode},
      {"dgc", "encode", dgc_encode},
      {"dgc", "decode_mean", dgc_decode_mean},
      {"power_sgd", "p", power_sgd_p},
      {"power_sgd", "q", power_sgd_q},
      {"power_sgd", "finish", power_sgd_finish}};
  for (const auto& [method, name, make] : kMakers) {
    if (step.method == method && step.step == name) return make;
  }
  throw std::out_of_range("no kernels: " + name_of(step, {}));
}

// The squarest matrix whose columns are a power of two.
std::size_t columns_of(std::size_t elements) {
  std::size_t columns = 1;
  while (4 * columns * columns <= elements && elements % (2 * columns) == 0) columns *= 2;
  return columns;
}

std::vector<StepShape> shapes_of(const MethodStep& step, std::size_t elements) {
  std::vector<StepShape> shapes{{.elements = elements}};
  if (step.takes_matrix) {
    shapes[0].columns = columns_of(elements);
    shapes[0].factor_rank = kFactorRank;
  }
  if (!step.takes_ranks) return shapes;
  shapes.clear();
  for (const std::size_t ranks : kRanks) shapes.push_back({.elements = elements, .ranks = ranks});
  return shapes;
}

struct MeasuredStep {
  const MethodStep& step;
  StepShape shape;
  StepKernels kernels;
};

std::vector<MeasuredStep> all_steps(const Workspace& w, const codecs::cuda::Multiply& multiply) {
  std::vector<MeasuredStep> all;
  for (const MethodStep& step : codecs::all_method_steps()) {
    if (step.takes_matrix && !multiply) continue;
    for (const StepShape& shape : shapes_of(step, w.elements)) {
      all.push_back({step, shape, maker_of(step)({w, shape, multiply})});
    }
  }
  return all;
}

// Null where the output is wrong.
Json measure(Session& session, const MeasuredStep& one) {
  const codecs::cuda::Stream& stream = session.benchmark.stream();
  one.kernels.prepare(stream.get());
  for (int i = 0; i < kCheckedLaunches; ++i) one.kernels.launch(0, stream.get());
  stream.wait();
  const bool right = one.shape.elements > kMostChecked || one.kernels.agrees();
  const Time time = time_of(session, one.kernels.launch);
  const std::string name = name_of(one.step, one.shape);
  if (!right) {
    session.disagreed.push_back(name);
    return nullptr;
  }
  report(session, name, time.median_s, rate_text(one.step.moved_bytes(one.shape), time.median_s));
  return json_of(one.step, one.shape, time);
}

}  // namespace

Json measure_methods(Session& session, const Sizes& sizes, const std::string& cublas_file) {
  const auto cublas = codecs::cuda::load_cublas(cublas_file);
  if (!cublas) std::fprintf(stderr, "no cuBLAS found: PowerSGD is not measured\n");
  const codecs::cuda::Multiply multiply = cublas ? cublas->multiply : nullptr;
  Json rows = Json::array();
  const std::vector<std::size_t> fitting = kernel_sizes(sizes, free_bytes());
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const std::size_t elements = fitting[i] / sizeof(float);
    const Workspace workspace(elements, wire_bytes(elements),
                              copies(fitting[i], codecs::cuda::l2_bytes(), free_bytes()));
    const std::vector<MeasuredStep> all = all_steps(workspace, multiply);
    if (i == 0) session.budget.expect(all.size() * fitting.size());
    for (const MeasuredStep& one : all) {
      if (const Json row = measure(session, one); !row.is_null()) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace calibrate
