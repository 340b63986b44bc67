// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/muon.hpp"

#include <algorithm>

#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

constexpr int kIterations = 5;

}  // namespace

double updated_by_muon(const Parallelism& p, const GroupParameters& held) {
  return p.optimizer == Optimizer::muon ? held.matrices : 0;
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

}  // namespace sim
