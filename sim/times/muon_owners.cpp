// SPDX-License-Identifier: Apache-2.0
#include "sim/times/muon_owners.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include "sim/workload/matrices.hpp"
#include "sim/workload/muon.hpp"

namespace sim {
namespace {

bool takes_less(const OwnedMatrices& a, const OwnedMatrices& b) {
  return a.time.seconds < b.time.seconds;
}

bool takes_more(const OwnedMatrices& a, const OwnedMatrices& b) { return takes_less(b, a); }

}  // namespace

OwnedMatrices most_owned(std::span<const MatrixShape> shapes, int ranks, const Roofline& roofline) {
  std::vector<OwnedMatrices> matrices;
  for (const MatrixShape& shape : shapes) {
    const OwnedMatrices one{roofline.block(newton_schulz(shape.rows, shape.columns)),
                            shape.rows * shape.columns};
    matrices.insert(matrices.end(), static_cast<std::size_t>(shape.count), one);
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
