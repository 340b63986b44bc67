// SPDX-License-Identifier: Apache-2.0
// Mamba-2 (Dao, Gu: arXiv 2405.21060, section 6): a projection to gate, x, B, C and steps; a convolution
// over x, B and C; the scan by chunks; a gated norm; a projection back. Its kernels are Triton's, of which
// nothing was published: the roofline times them.
//
// Of a chunk of Q tokens, with d columns of all heads, g groups and n states a column: C B^T of each
// group takes 2 Q n g a token, its product with x 2 Q d, the chunk's state and what states give to
// outputs 2 n d each. Scores below the diagonal alone would be half; the kernels compute all.
#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

Operator scan_product(const Sizes& z, std::string_view name, double columns, double depth,
                      double count, double passes) {
  Operator one = gemm(name, z.tokens, columns, depth);
  one.count = count * passes;
  one.bytes *= count * passes;
  return one;
}

void add_scan(const Sizes& z, double passes, Operators& into) {
  const MambaSizes& m = z.mamba;
  into.push_back(scan_product(z, "scan scores", m.chunk, m.state, m.groups, passes));
  into.push_back(scan_product(z, "scan values", m.width / m.heads, m.chunk, m.heads, passes));
  into.push_back(scan_product(z, "scan states", m.width / m.heads, m.state, m.heads, passes));
  into.push_back(scan_product(z, "scan outputs", m.width / m.heads, m.state, m.heads, passes));
}

}  // namespace

BlockParts mamba_parts(const Sizes& z) {
  const MambaSizes& m = z.mamba;
  const double convolved = 2 * z.tokens * m.convolved();
  const double wide = 2 * z.tokens * m.width;
  BlockParts parts{.block = "mamba", .before = "projections", .after = "scan"};
  parts.in = {{"mamba in", "mamba in inputs", "mamba in weights", "mamba in casts", z.tokens,
               m.projected(), z.hidden}};
  parts.out = {{"mamba out", "mamba out inputs", "mamba out weights", "mamba out casts", z.tokens,
                z.hidden, m.width}};
  parts.prepare = {memory_pass("convolution", 2 * convolved)};
  // Gradients of inputs and of the kernel.
  parts.prepare_backward = {memory_pass("convolution backward", 4 * convolved, 2)};
  add_scan(z, 1, parts.core);
  parts.core.push_back(other_norm(z, "gated norm", 1.5 * wide));
  parts.core_backward.push_back(other_norm(z, "gated norm backward", 1.5 * wide, Gradient::inputs));
  // Of each product the gradients of both operands.
  add_scan(z, 2, parts.core_backward);
  parts.again_out = parts.out;
  return parts;
}

}  // namespace sim
