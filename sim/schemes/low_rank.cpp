// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/low_rank.hpp"

#include <functional>

#include "codecs/power_sgd/power_sgd.hpp"
#include "sim/base/error.hpp"
#include "sim/workload/calibration_rows.hpp"
#include "sim/workload/matrices.hpp"

namespace sim {
namespace {

codecs::PowerSgd shape_of(const MatrixShape& matrix, int factor_rank) {
  return {.rows = static_cast<std::size_t>(matrix.rows),
          .columns = static_cast<std::size_t>(matrix.columns),
          .rank = static_cast<std::size_t>(factor_rank)};
}

// Matrices of a bucket: those of its layers, embedding and head.
std::vector<MatrixShape> matrices_of(const Model& model, const Parallelism& p, int stage,
                                     const Bucket& bucket) {
  std::vector<MatrixShape> all = layer_matrices(model, p.tensor);
  for (MatrixShape& one : all) one.count *= bucket.last_layer - bucket.first_layer + 1;
  const StageParameters held = stage_parameters(model, p, stage);
  const double words = static_cast<double>(model.vocabulary) / p.tensor;
  const double width = model.hidden;
  if (bucket.first_layer == 0 && stage == 0) all.push_back({words, width});
  const bool last = stage == p.pipeline - 1 && bucket.last_layer == held.layers - 1;
  if (last && held.head >= words * width) all.push_back({words, width});
  std::erase_if(all, [](const MatrixShape& one) { return one.rows < 1 || one.columns < 1; });
  return all;
}

using EachMatrix = std::function<void(const MatrixShape& matrix)>;

// Those that travel as factors.
void for_each_factored(const Model& model, const Parallelism& p, int stage, const Bucket& bucket,
                       int factor_rank, const EachMatrix& visit) {
  for (const MatrixShape& matrix : matrices_of(model, p, stage, bucket)) {
    if (codecs::travels_as_factors(shape_of(matrix, factor_rank))) visit(matrix);
  }
}

// One kernel a matrix.
CodecKernel kernels(Step& step, int stage, const Bucket& bucket, const char* name) {
  const codecs::MethodStep* known = step_named("power_sgd", name);
  require(known != nullptr, "PowerSGD has the steps that are launched");
  const int factor_rank = step.scheme.gradients.factor_rank;
  CodecKernel all{.label = "power_sgd"};
  for_each_factored(step.context.model, step.parallelism, stage, bucket, factor_rank,
                    [&](const MatrixShape& matrix) {
                      const codecs::PowerSgd shape = shape_of(matrix, factor_rank);
                      const CodecUse use{.step = known,
                                         .shape = {.elements = shape.elements(),
                                                   .columns = shape.columns,
                                                   .factor_rank = shape.rank}};
                      all.seconds += matrix.count * step.timed(use).seconds;
                    });
  return all;
}

}  // namespace

Factors factors_of(const Model& model, const Parallelism& p, int stage, const Bucket& bucket,
                   int factor_rank) {
  Factors factors;
  for_each_factored(model, p, stage, bucket, factor_rank, [&](const MatrixShape& matrix) {
    factors.matrices += matrix.parameters();
    factors.rows += factor_rank * matrix.rows * matrix.count;
    factors.columns += factor_rank * matrix.columns * matrix.count;
  });
  factors.vectors = bucket.parameters - factors.matrices;
  return factors;
}

void reduce_low_rank(Step& step, const Communicator& group, int stage, const Bucket& bucket) {
  const Factors factors = factors_of(step.context.model, step.parallelism, stage, bucket,
                                     step.scheme.gradients.factor_rank);
  auto ready = step.last_of(group, Stream::compute);
  const auto reduce = [&](double values, std::string_view label) {
    all_reduce(step.builder, group, kFp32Bytes * values,
               {.stream = Stream::gradients,
                .phase = Phase::gradient_comm,
                .label = label,
                .after = ready});
  };
  const auto launch = [&](const char* name, Phase phase) {
    const CodecKernel kernel = kernels(step, stage, bucket, name);
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
      ready[i] = step.codec(group.ranks[i], phase, kernel, {&ready[i], 1});
    }
  };
  if (factors.vectors > 0) reduce(factors.vectors, "all_reduce vectors");
  launch("p", Phase::encode);
  reduce(factors.rows, "all_reduce P");
  ready = step.last_of(group, Stream::gradients);
  launch("q", Phase::encode);
  reduce(factors.columns, "all_reduce Q");
  ready = step.last_of(group, Stream::gradients);
  launch("finish", Phase::decode);
}

}  // namespace sim
