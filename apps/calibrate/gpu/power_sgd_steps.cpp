// SPDX-License-Identifier: Apache-2.0
// PowerSGD of one rank. Its matrix M lies in the workspace's output. Sums are in other orders
// than the reference's, so steps are held against float64 and what loops in float32 lose of it.
#include "apps/calibrate/gpu/method_steps.hpp"
#include "codecs/power_sgd/kernels.hpp"
#include "codecs/power_sgd/loops.hpp"

namespace calibrate {
namespace {

using codecs::PowerSgd;
using codecs::PowerSgdLoops;
using codecs::cuda::PowerSgdBuffers;

constexpr double kMostError = 2;  // times that of the loops in float32

struct PowerSgdCase {
  const Workspace& w;
  PowerSgd shape;
  codecs::cuda::Multiply multiply;
  std::shared_ptr<codecs::cuda::DeviceBuffer<float>> p, q, next_q;

  [[nodiscard]] PowerSgdBuffers buffers(std::size_t launch) const {
    return {.residual = w.residual.at(launch),
            .matrix = sent(launch),
            .p = p->get(),
            .q = q->get(),
            .next_q = next_q->get()};
  }
  [[nodiscard]] float* sent(std::size_t launch) const {
    return reinterpret_cast<float*>(w.output.at(launch));
  }
  void run_p(std::size_t launch, cudaStream_t stream) const {
    power_sgd_p_async(shape, w.input.at(launch), buffers(launch), multiply, stream);
  }
  void run_q(std::size_t launch, cudaStream_t stream) const {
    power_sgd_q_async(shape, buffers(launch), multiply, stream);
  }
  void run_finish(std::size_t launch, cudaStream_t stream) const {
    power_sgd_finish_async(shape, buffers(launch), stream);
  }
  void start(cudaStream_t stream) const {
    w.residual.clear(stream);
    w.output.clear(stream);
    codecs::cuda::power_sgd_start_async(shape, key_of(0, 0), q->get(), stream);
  }
  // Two whole steps from the start, as the second one's Q and residual are the first one's.
  [[nodiscard]] bool agrees() const {
    const codecs::cuda::Stream stream;
    start(stream.get());
    const std::vector<float> first = codecs::power_sgd_start(shape, key_of(0, 0));
    PowerSgdLoops<double> exact(shape, 1, first);
    PowerSgdLoops<float> plain(shape, 1, first);
    const std::vector<std::vector<float>> values{w.pattern.input({0, shape.elements()})};
    bool close = true;
    for (int step = 0; step < 2; ++step) {
      run_p(0, stream.get());
      run_q(0, stream.get());
      run_finish(0, stream.get());
      stream.wait();
      const std::vector<double> expected = exact.step(values);
      const double allowed = kMostError * codecs::distance(plain.step(values), expected);
      const auto found = from_device<float>(sent(0), {0, shape.elements()});
      close = close && codecs::distance(found, expected) <= allowed;
    }
    return close;
  }
};

PowerSgdCase case_of(const StepCase& one) {
  using Factor = codecs::cuda::DeviceBuffer<float>;
  const PowerSgd shape = codecs::power_sgd_of(one.shape);
  return {one.w,
          shape,
          one.multiply,
          std::make_shared<Factor>(shape.rows * shape.rank),
          std::make_shared<Factor>(shape.columns * shape.rank),
          std::make_shared<Factor>(shape.columns * shape.rank)};
}

using Run = void (PowerSgdCase::*)(std::size_t, cudaStream_t) const;

StepKernels kernels_of(const StepCase& one, Run run) {
  const PowerSgdCase of = case_of(one);
  return {.prepare =
              [of](cudaStream_t stream) {
                of.start(stream);
                of.run_p(0, stream);
                of.run_q(0, stream);
              },
          .launch = [of, run](std::size_t i, cudaStream_t stream) { (of.*run)(i, stream); },
          .agrees = [of] { return of.agrees(); }};
}

}  // namespace

StepKernels power_sgd_p(const StepCase& one) { return kernels_of(one, &PowerSgdCase::run_p); }
StepKernels power_sgd_q(const StepCase& one) { return kernels_of(one, &PowerSgdCase::run_q); }
StepKernels power_sgd_finish(const StepCase& one) {
  return kernels_of(one, &PowerSgdCase::run_finish);
}

}  // namespace calibrate
