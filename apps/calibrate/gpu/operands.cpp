// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/operands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "codecs/error/distributions.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;

// Not a power of two: rows of the matrices must differ.
constexpr std::size_t kPeriod = 1'000'003;
constexpr std::size_t kStep = 256;  // elements: operands stay aligned for every library
constexpr int kMantissa = 3, kBias = 7;
constexpr std::uint8_t kNaN = 0x7F, kSign = 0x80;

std::size_t largest_of(const std::set<Product>& products) {
  std::size_t largest = 0;
  for (const Product& product : products) {
    const auto m = static_cast<std::size_t>(product.m), n = static_cast<std::size_t>(product.n),
               k = static_cast<std::size_t>(product.k);
    largest = std::max({largest, m * k, k * n, m * n});
  }
  return largest;
}

}  // namespace

float e4m3_to_float(std::uint8_t code) {
  const int exponent = (code & 0x7F) >> kMantissa;
  const int mantissa = code & 0x07;
  if ((code & 0x7F) == kNaN) return std::numeric_limits<float>::quiet_NaN();
  const int digits = exponent == 0 ? mantissa : mantissa + (1 << kMantissa);
  const float magnitude =
      std::ldexp(static_cast<float>(digits), std::max(exponent, 1) - kBias - kMantissa);
  return (code & kSign) != 0 ? -magnitude : magnitude;
}

std::uint8_t to_e4m3(float value) {
  const float magnitude = std::abs(value);
  // Positive codes ascend with their values.
  std::uint8_t best = 0;
  for (std::uint8_t code = 1; code < kNaN; ++code) {
    if (std::abs(e4m3_to_float(code) - magnitude) < std::abs(e4m3_to_float(best) - magnitude)) {
      best = code;
    }
  }
  return static_cast<std::uint8_t>(best | (std::signbit(value) ? kSign : 0));
}

Operands::Operands(Precision precision, const std::set<Product>& products, std::size_t cache_bytes)
    : precision_(precision),
      largest_(largest_of(products)),
      room_(2 * largest_ + 4 * cache_bytes / kStep * kStep),
      result_(largest_, 2) {
  const std::vector<float> values = codecs::draw(codecs::distribution_named("normal"), 3, kPeriod);
  if (precision == Precision::bf16) {
    for (const float value : values) bf16_pattern_.push_back(codecs::to_bf16(value));
    bf16_ = std::make_unique<Ring<Bf16>>(room_, 1);
    bf16_->fill(bf16_pattern_);
    return;
  }
  // The few codes that values have in steps of 1/64, found once.
  constexpr int kSteps = 64, kMost = 8 * kSteps;
  std::array<std::uint8_t, 2 * kMost + 1> codes{};
  for (int i = -kMost; i <= kMost; ++i) {
    codes[static_cast<std::size_t>(i + kMost)] =
        to_e4m3(static_cast<float>(i) / kSteps / kFp8Scale);
  }
  for (const float value : values) {
    const int step = std::clamp(static_cast<int>(std::lround(value * kSteps)), -kMost, kMost);
    fp8_pattern_.push_back(codes[static_cast<std::size_t>(step + kMost)]);
  }
  fp8_ = std::make_unique<Ring<std::uint8_t>>(room_, 1);
  fp8_->fill(fp8_pattern_);
}

std::size_t Operands::offset(std::size_t launch, bool second) const {
  const std::size_t places = (room_ - largest_) / kStep + 1;
  // Launch 0 has its second operand half way; both advance by more than a cache's share.
  return ((launch * (places / 7 + 1) + (second ? places / 2 : 0)) % places) * kStep;
}

const void* Operands::at(std::size_t offset) const {
  if (precision_ == Precision::bf16) return bf16_->at(0) + offset;
  return fp8_->at(0) + offset;
}

double Operands::value(std::size_t index) const {
  if (precision_ == Precision::bf16) return codecs::to_float(bf16_pattern_[index % kPeriod]);
  return static_cast<double>(kFp8Scale * e4m3_to_float(fp8_pattern_[index % kPeriod]));
}

void Operands::multiply(const Products& products, const Product& product, std::size_t launch,
                        cudaStream_t stream) const {
  products.multiply(product, at(offset(launch, false)), at(offset(launch, true)),
                    result_.at(launch), stream);
}

// Within bfloat16 and accumulation in float32, which FP8 products do with fewer digits
// (DeepSeek-V3, arXiv 2412.19437, section 3.3.2: about 14 bits).
bool Operands::entry_agrees(const Product& product, std::size_t row, std::size_t column) const {
  const auto m = static_cast<std::size_t>(product.m), n = static_cast<std::size_t>(product.n),
             k = static_cast<std::size_t>(product.k);
  double exact = 0, magnitude = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t a = a_is_transposed(product) ? i * m + row : row * k + i;
    const std::size_t b = b_is_transposed(product) ? column * k + i : i * n + column;
    const double term = value(offset(0, false) + a) * value(offset(0, true) + b);
    exact += term;
    magnitude += std::abs(term);
  }
  const double found = codecs::to_float(from_device<Bf16>(result_.at(0), {row * n + column, 1})[0]);
  const double accumulation = precision_ == Precision::bf16 ? 1e-6 : 0x1p-12;
  return std::abs(found - exact) <= 0x1p-8 * std::abs(exact) + accumulation * magnitude;
}

bool Operands::agrees(const Product& product) const {
  constexpr std::size_t kEntries = 8;
  for (std::size_t i = 0; i < kEntries; ++i) {
    const std::size_t row = static_cast<std::size_t>(product.m) / kEntries * i;
    const std::size_t column = static_cast<std::size_t>(product.n) / kEntries * (kEntries - 1 - i);
    if (!entry_agrees(product, row, column)) return false;
  }
  return true;
}

}  // namespace calibrate
