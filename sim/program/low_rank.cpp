// SPDX-License-Identifier: Apache-2.0
// PowerSGD's exchange (arXiv 1905.13727, algorithms 1 and 2) of every matrix whose factors are less
// than half its size; vectors travel uncompressed:
//
//   codec      [P = M Q]              [Q = M^T P]              [P Q^T, residual]
//   gradients  [all_reduce vectors]   [all_reduce P]           [all_reduce Q]
#include "sim/program/low_rank.hpp"

#include <functional>

#include "codecs/power_sgd/power_sgd.hpp"
#include "sim/base/error.hpp"
#include "sim/times/calibration_rows.hpp"
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
  std::vector<MatrixShape> all;
  const MatrixSplit split{p.tensor, expert_tensor(p), p.expert};
  for (const KindCount& kind : bucket.kinds) {
    for (MatrixShape one : layer_matrices(model, kind.kind, split)) {
      if (dispatches(p) && one.routed != (bucket.group == Weights::experts)) continue;
      one.count *= kind.layers;
      all.push_back(one);
    }
  }
  const double words = static_cast<double>(model.vocabulary) / p.tensor;
  const double width = model.hidden;
  if (bucket.embedding) all.push_back({words, width});
  const bool projects = stage_parameters(model, p, stage).head >= words * width;
  if (bucket.head && projects) all.push_back({words, width});
  std::erase_if(
      all, [](const MatrixShape& one) { return one.rows < 1 || one.columns < 1 || one.count < 1; });
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

// One launch a matrix.
std::vector<Kernel::Launch> launches(const StepSizes& step, int stage, const Bucket& bucket,
                                     const char* name) {
  const codecs::MethodStep* known = step_named("power_sgd", name);
  require(known != nullptr, "PowerSGD has the steps that are launched");
  const int factor_rank = step.gradients.factor_rank;
  std::vector<Kernel::Launch> all;
  for_each_factored(step.context.model, step.parallelism, stage, bucket, factor_rank,
                    [&](const MatrixShape& matrix) {
                      const codecs::PowerSgd shape = shape_of(matrix, factor_rank);
                      const CodecUse use{.wire = {},
                                         .step = known,
                                         .shape = {.elements = shape.elements(),
                                                   .columns = shape.columns,
                                                   .factor_rank = shape.rank}};
                      all.push_back({use, matrix.count});
                    });
  return all;
}

Transfer sum(const StepSizes& step, double values, std::string label) {
  return {.collective = CollectiveKind::all_reduce,
          .among = step.has_shards() ? Among::shards : Among::replicas,
          .bytes = kFp32Bytes * values,
          .label = std::move(label)};
}

Communication by_factors(const StepSizes& step, int stage, const Bucket& bucket) {
  const Factors factors =
      factors_of(step.context.model, step.parallelism, stage, bucket, step.gradients.factor_rank);
  Communication reduction{.elements = bucket.parameters, .start = {{Stream::compute}}};
  if (factors.vectors > 0) {
    reduction.add(sum(step, factors.vectors, "all_reduce vectors"), kAtStart);
  }
  // What both factors together lose of the gradients is fed back.
  Transfer p = sum(step, factors.rows, "all_reduce P");
  Transfer q = sum(step, factors.columns, "all_reduce Q");
  p.kept = q.kept = true;
  p.encoded = bucket.parameters;
  reduction.add(Kernel(launches(step, stage, bucket, "p"), Phase::encode), kAtStart);
  reduction.add(p);
  reduction.add(Kernel(launches(step, stage, bucket, "q"), Phase::encode));
  reduction.add(q);
  reduction.add(Kernel(launches(step, stage, bucket, "finish"), Phase::decode));
  return reduction;
}

}  // namespace

constinit const Reduction reductions::low_rank{.name = "low_rank",
                                               .sends = Reduction::Sends::factors,
                                               .leaves = Reduction::Leaves::all,
                                               .lay_out = by_factors};

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

}  // namespace sim
