// SPDX-License-Identifier: Apache-2.0
// Operators of a layer by pass, and what they cost together, for tests.
#pragma once

#include <initializer_list>

#include "sim/workload/operators.hpp"

namespace sim {

// Sums over operators. A difference of two is what one layout costs more than another.
struct OperatorSum {
  double flop = 0, bytes = 0, launches = 0;
  friend OperatorSum operator-(OperatorSum a, OperatorSum b) {
    return {a.flop - b.flop, a.bytes - b.bytes, a.launches - b.launches};
  }
};

inline Operators joined(std::initializer_list<Operators> parts) {
  Operators all;
  for (const Operators& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline OperatorSum sum_of(const Operators& operators) {
  OperatorSum sum;
  for (const Operator& one : operators) {
    sum.flop += one.flop();
    sum.bytes += one.bytes;
    sum.launches += one.launches;
  }
  return sum;
}

inline Operators joined(const Segments& segments) {
  Operators all;
  for (const Segment& one : segments) all = joined({all, one.kernels, one.beside});
  return all;
}
inline Operators forward_of(const LayerOperators& layer) { return joined(layer.forward); }
inline Operators backward_of(const LayerOperators& layer) { return joined(layer.backward); }
inline OperatorSum forward(const Model& model, const Parallelism& p) {
  return sum_of(forward_of(layer_operators(model, p)));
}
inline OperatorSum backward(const Model& model, const Parallelism& p) {
  return sum_of(backward_of(layer_operators(model, p)));
}

}  // namespace sim
