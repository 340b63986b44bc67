// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <tuple>

#include "apps/calibrate/gpu/method_steps.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {
namespace {

using codecs::MethodStep;
using codecs::StepShape;

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

}  // namespace

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

}  // namespace calibrate
