// SPDX-License-Identifier: Apache-2.0
#include "sim/times/codec_card.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/times/calibration_rows.hpp"

namespace sim {

std::string key_of(const CardKernel& kernel) {
  using codecs::Operation;
  const bool requantizes = kernel.operation == Operation::decode_reduce_encode;
  std::string key(name_of(kernel.operation));
  if (requantizes || kernel.operation == Operation::decode_reduce) {
    key += fmt::format("/{}", kernel.inputs);
  }
  if (requantizes) {  // has no values
    if (!kernel.from.empty()) key += " from " + kernel.from;
    return kernel.to.empty() ? key : key + " to " + kernel.to;
  }
  return kernel.value_bytes == usual_value_bytes(kernel.operation)
             ? key
             : fmt::format("{} of {}-byte values", key, kernel.value_bytes);
}

double mean_bits(const CodecCard& card) { return largest_bits(card, 1); }

// With quantiles q(u), linear between those given, the largest of n has the expectation
//
//   integral of q(u) n u^(n-1) du = q(1) - sum over pieces of slope * integral of u^n du
double largest_bits(const CodecCard& card, double parts) {
  const std::vector<double>& bits = card.bits_per_element;
  const auto pieces = static_cast<double>(bits.size() - 1);
  double largest = bits.back();
  for (std::size_t i = 0; i + 1 < bits.size(); ++i) {
    const double from = static_cast<double>(i) / pieces;
    const double to = static_cast<double>(i + 1) / pieces;
    const double area = (std::pow(to, parts + 1) - std::pow(from, parts + 1)) / (parts + 1);
    largest -= (bits[i + 1] - bits[i]) * pieces * area;
  }
  return largest;
}

}  // namespace sim
