// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/muon.hpp"

#include <algorithm>
#include <queue>

#include "sim/workload/matrices.hpp"
#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

constexpr int kIterations = 5;

bool takes_less(const OwnedMatrices& a, const OwnedMatrices& b) {
  return a.time.seconds < b.time.seconds;
}

bool takes_more(const OwnedMatrices& a, const OwnedMatrices& b) { return takes_less(b, a); }

}  // namespace

double updated_by_muon(const Parallelism& p, const StageParameters& held) {
  return p.optimizer == Optimizer::muon ? held.matrices * held.layers : 0;
}

Operators newton_schulz(double rows, double columns) {
  const double r = std::min(rows, columns);
  const double c = std::max(rows, columns);
  // Read for the norm; read and written by the division.
  Operators all{memory_pass("normalize momentum", (2 + 2 + 2) * r * c, 2)};
  for (int i = 0; i < kIterations; ++i) {
    all.push_back(gemm("newton-schulz product", r, r, c));
    all.push_back(gemm("newton-schulz square", r, r, r));
    // Each sum reads two matrices and writes one.
    all.push_back(memory_pass("newton-schulz polynomial", (2 + 2 + 2) * r * r));
    all.push_back(gemm("newton-schulz step", r, c, r));
    all.push_back(memory_pass("newton-schulz sum", (2 + 2 + 2) * r * c));
  }
  return all;
}

OwnedMatrices most_owned(const Model& model, int layers, int ranks, const Roofline& roofline) {
  std::vector<OwnedMatrices> matrices;
  for (const MatrixShape& shape : layer_matrices(model)) {
    const OwnedMatrices one{roofline.block(newton_schulz(shape.rows, shape.columns)),
                            shape.rows * shape.columns};
    matrices.insert(matrices.end(), static_cast<std::size_t>(layers * shape.count), one);
  }
  std::stable_sort(matrices.begin(), matrices.end(), takes_more);
  std::priority_queue least(takes_more,
                            std::vector<OwnedMatrices>(static_cast<std::size_t>(ranks)));
  OwnedMatrices most;
  for (const OwnedMatrices& one : matrices) {
    OwnedMatrices rank = least.top();
    least.pop();
    rank.time += one.time;
    rank.parameters += one.parameters;
    if (takes_less(most, rank)) most = rank;
    least.push(rank);
  }
  return most;
}

}  // namespace sim
