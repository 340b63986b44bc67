// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/operator_parts.hpp"

#include <algorithm>

namespace sim {
namespace {

// Passes over an operand that is not in the products' precision yet, in bytes an element: the scale
// of a whole tensor is found first, and a transposed copy made for the other product that it is in
// (FP8 products want both operands along the summed dimension). Block scales are found on the way;
// NVFP4's have one of the whole tensor above them, over values that were rotated (Transformer
// Engine's recipe). Rows have scales along the summed dimension: an operand is cast anew for each
// product that it is in (torchao's Float8Linear).
bool finds_amax(const Sizes& z) {
  return (timed_as(z.matrices) == MatrixPrecision::fp8 && z.casts.own_amax) ||
         z.matrices == MatrixPrecision::nvfp4;
}
bool copies_apart(const Sizes& z) {
  return z.matrices == MatrixPrecision::fp8 && z.casts.own_transpose;
}
double cast_bytes(const Sizes& z) {
  const double narrow = bytes_of(z.matrices);
  const bool one_way = copies_apart(z) || scales_rows(z.matrices);
  return (finds_amax(z) ? 2 : 0) + 2 + (one_way ? 1 : 2) * narrow;
}
double launches(const Sizes& z) { return finds_amax(z) ? 2 : 1; }

// Transformer Engine launches a product, or a cast, for each expert, from a loop in C++ and on four
// streams in turn (nvte_multi_tensor_gemm, @d0067d0): in a quarter of the time of as many others, on the
// host and on the GPU. PyTorch's grouped product is one launch.
double launches(const Sizes& z, const Linear& linear) {
  constexpr double kStreams = 4;
  return z.kernels == Kernels::megatron ? std::max(1.0, linear.count / kStreams) : 1;
}

Work work_of(const Linear& linear) { return linear.count > 1 ? Work::grouped : Work::product; }

// The layer's m rows times k x n.
Operator product(const Sizes& z, const Linear& linear, std::string_view name, double n, double k,
                 Gradient gradient) {
  const double operand = bytes_of(z.matrices);
  const double m = linear.m;
  return {.name = name,
          .m = m,
          .n = n,
          .k = k,
          .count = linear.count,
          .in_turn = linear.in_turn,
          .bytes = linear.count * (operand * (m * k + linear.in_turn * k * n) + 2 * m * n),
          .launches = linear.in_turn * launches(z, linear),
          .precision = timed_as(z.matrices),
          .work = work_of(linear),
          .gradient = gradient};
}

Operator cast(const Sizes& z, std::string_view name, double bytes, double launches) {
  Operator one = memory_pass(name, bytes, launches, Work::cast);
  one.precision = timed_as(z.matrices);
  return one;
}

// Backward, of rows' scales: the outputs' gradients for the inputs' product and the weights along
// their other dimension; and for the weights' product the outputs' gradients and the inputs, unless it
// is in BF16.
Operator cast_rows_backward(const Sizes& z, const Linear& linear) {
  const double outputs = linear.count * linear.m * linear.n;
  const double inputs = linear.count * linear.m * linear.k;
  const double weights = linear.count * linear.n * linear.k;
  const bool both = z.matrices == MatrixPrecision::fp8_rowwise;
  return cast(z, linear.cast, cast_bytes(z) * (outputs + weights + (both ? outputs + inputs : 0)),
              (both ? 4 : 2) * launches(z) * launches(z, linear));
}

Operator norm(const Sizes& z, std::string_view name, double bytes, double launches,
              Gradient gradient) {
  Operator one = memory_pass(name, bytes, launches, Work::norm);
  one.kernels = z.kernels;
  one.gradient = gradient;
  return one;
}

}  // namespace

Operator memory_pass(std::string_view name, double bytes, double launches, Work work) {
  return {.name = name, .bytes = bytes, .launches = launches, .work = work};
}

Operator gemm(std::string_view name, double m, double n, double k, Gradient gradient) {
  return {.name = name,
          .m = m,
          .n = n,
          .k = k,
          .bytes = 2 * (m * k + k * n + m * n),
          .work = Work::product,
          .gradient = gradient};
}

void add_linear(const Sizes& z, const Linear& linear, Operators& into) {
  if (z.matrices != MatrixPrecision::bf16) {
    const double weights = z.gathers_matrices ? 0 : linear.count * linear.n * linear.k;
    into.push_back(cast(z, linear.cast,
                        cast_bytes(z) * (linear.count * linear.m * linear.k + weights),
                        launches(z) * launches(z, linear) * (weights > 0 ? 2 : 1)));
  }
  into.push_back(product(z, linear, linear.forward, linear.n, linear.k, Gradient::none));
}

void add_linear_inputs(const Sizes& z, const Linear& linear, Operators& into) {
  if (scales_rows(z.matrices)) {
    into.push_back(cast_rows_backward(z, linear));
  } else if (z.matrices != MatrixPrecision::bf16) {
    const double outputs = linear.count * linear.m * linear.n;
    // Weights that were gathered as codes were not cast here.
    const double weights = linear.count * linear.n * linear.k;
    const bool copied_weights = z.matrices == MatrixPrecision::fp8 && z.gathers_matrices;
    const double copied = copies_apart(z)  ? outputs + linear.count * linear.m * linear.k + weights
                          : copied_weights ? weights
                                           : 0;
    const double own = copies_apart(z) ? 3 : copied_weights ? 1 : 0;
    into.push_back(cast(z, linear.cast, cast_bytes(z) * outputs + 2 * bytes_of(z.matrices) * copied,
                        (launches(z) + own) * launches(z, linear)));
  }
  into.push_back(product(z, linear, linear.inputs, linear.k, linear.n, Gradient::inputs));
}

Operator weight_gradient(const Sizes& z, const Linear& linear) {
  const double m = linear.m, n = linear.n, k = linear.k;
  return {.name = linear.weights,
          .m = n,
          .n = k,
          .k = m,
          .count = linear.count,
          .bytes = linear.count * (2 * (m * k + m * n) + z.weight_gradient_bytes * n * k),
          .launches = launches(z, linear),
          .work = work_of(linear),
          .gradient = Gradient::weights};
}

Operator linear_weights(const Sizes& z, const Linear& linear) {
  Operator one = weight_gradient(z, linear);
  if (z.matrices == MatrixPrecision::fp8_rowwise_gw_hp) return one;
  one.bytes += (bytes_of(z.matrices) - 2) * linear.count * linear.m * (linear.k + linear.n);
  one.precision = timed_as(z.matrices);
  return one;
}

// PyTorch's own RMSNorm is no kernel of its own. Bytes an element, read and written: cast to FP32
// (2 + 4), squared (4 + 4), its mean (4), multiplied (4 + 4), cast back (4 + 2), times the weight
// (2 + 2).
void add_norm(const Sizes& z, Operators& into) {
  into.push_back(z.eager_norm() ? memory_pass("norm", 18 * z.activations(), 7)
                                : norm(z, "norm", 2 * z.activations(), 1, Gradient::none));
}

// Likewise: the weight's product (2 + 2) and its gradient (4 + 2, 2), the cast (2 + 4), the product
// by the root (4 + 4, 8 + 4, 4), the square (4 + 4, 4 + 4), the sum of both (8 + 4), the cast
// (4 + 2).
void add_norm_backward(const Sizes& z, Operators& into) {
  into.push_back(z.eager_norm()
                     ? memory_pass("norm backward", 38 * z.activations(), 11)
                     // Gradients of the inputs and of the weights.
                     : norm(z, "norm backward", 4 * z.activations(), 2, Gradient::inputs));
}

Operator other_norm(const Sizes& z, std::string_view name, double bytes, Gradient gradient) {
  const bool forward = gradient == Gradient::none;
  return norm(z, name, (forward ? 2 : 4) * bytes, forward ? 1 : 2, gradient);
}

// Two reads, one write; with dropout half a write of its byte mask, and eager a kernel of its own.
void add_residual(const Sizes& z, Operators& into) {
  const bool own = z.dropout && z.kernels == Kernels::eager;
  if (own) into.push_back(memory_pass("dropout", 2.5 * z.activations()));
  into.push_back(memory_pass("residual", (z.dropout && !own ? 3.5 : 3) * z.activations()));
}

void add_residual_backward(const Sizes& z, bool bias, Operators& into) {
  if (z.dropout) into.push_back(memory_pass("dropout backward", 2.5 * z.activations()));
  if (bias) into.push_back(memory_pass("bias gradient", z.activations()));
}

// Eager SwiGLU is two kernels, backward three: each product's gradients and the SiLU's.
void add_activation(const Sizes& z, double wide, Operators& into) {
  into.push_back(z.eager_gate()
                     ? memory_pass("activation", 5 * wide, 2, Work::activation)
                     : memory_pass("activation", (z.rising + 1) * wide, 1, Work::activation));
}

void add_activation_backward(const Sizes& z, double wide, Operators& into) {
  into.push_back(z.eager_gate() ? memory_pass("activation backward", 9 * wide, 3, Work::activation)
                                : memory_pass("activation backward", (2 * z.rising + 1) * wide, 1,
                                              Work::activation));
  if (z.feed_forward_biases) into.push_back(memory_pass("bias gradient", z.rising * wide));
}

Linears in_parts(const Sizes& z, Linears linears) {
  for (Linear& one : linears) one.in_turn = z.parts_in_turn;
  return linears;
}

void add_gathered_copy(const Sizes& z, Operators& into) {
  constexpr double kReadAndWritten = 2 * 2;  // in BF16
  if (z.copies_sequences) {
    into.push_back(memory_pass("sequence copy", kReadAndWritten * z.tokens * z.hidden));
  }
}

// What came from each rank is read, and the sum is written.
void add_scattered_copy(const Sizes& z, Operators& into) {
  add_gathered_copy(z, into);
  if (z.parts_in_turn > 1) {
    into.push_back(
        memory_pass("sum of parts", 2 * (1 + 1 / z.parts_in_turn) * z.tokens * z.hidden));
  }
}

}  // namespace sim
