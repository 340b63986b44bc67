// SPDX-License-Identifier: Apache-2.0
// What a GPU kernel does, by its name: an ordered table of name patterns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sim::trace {

enum class KernelClass : std::uint8_t {
  product,
  attention,
  convolution,
  norm,
  softmax,
  loss,
  optimizer,
  embedding,
  dropout,
  reduction,
  elementwise,  // and copies that change layout or type
  index,        // sorts, scans, permutations
  codec,        // casts to narrow types, quantisation
  compiled,     // fused by a compiler, whose name does not say what
  copy,         // memcpy and memset
  all_reduce,
  all_gather,
  reduce_scatter,
  send_receive,  // all_to_all too
  broadcast,
  unexplained
};
inline constexpr int kKernelClasses = 21;

struct KernelClassRow {
  KernelClass value = KernelClass::unexplained;
  std::string_view name;  // in files: "matrix_product"
  std::string_view text;  // "matrix products"
  bool communicates = false;
};
// By value of the enumeration.
[[nodiscard]] std::span<const KernelClassRow> kernel_classes();
[[nodiscard]] const KernelClassRow& row_of(KernelClass value);

// A kernel belongs to the first row that its name contains, in lower case.
struct NamePattern {
  std::string_view part;
  KernelClass value = KernelClass::unexplained;
};
[[nodiscard]] std::span<const NamePattern> name_patterns();
[[nodiscard]] KernelClass class_of(std::string_view kernel_name);

// The name of a simulated kernel, which class_of() takes back to its class:
// "gardenhose::norm(layer 3 norm)".
[[nodiscard]] std::string simulated_name(KernelClass value, std::string_view label);

}  // namespace sim::trace
