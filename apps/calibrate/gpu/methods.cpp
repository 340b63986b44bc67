// SPDX-License-Identifier: Apache-2.0
// The steps of methods over all sizes.
#include <cstdio>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/method_steps.hpp"
#include "apps/calibrate/gpu/operations.hpp"

namespace calibrate {
namespace {

// Larger tensors would keep the references busy for seconds: 16 MiB of float32.
constexpr std::size_t kMostChecked = std::size_t{1} << 22;
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
