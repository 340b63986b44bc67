// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "codecs/codec.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/subsets/subsets.hpp"

namespace codecs {
namespace {

constexpr std::size_t kDigitBits = 32;

// A whole number, its digits of 32 bits from the lowest on, none of them a leading zero.
class Natural {
 public:
  Natural() = default;
  explicit Natural(std::vector<std::uint32_t> digits) : digits_(std::move(digits)) { trim(); }

  [[nodiscard]] std::size_t bits() const {
    if (digits_.empty()) return 0;
    return (digits_.size() - 1) * kDigitBits +
           static_cast<std::size_t>(std::bit_width(digits_.back()));
  }
  [[nodiscard]] std::uint32_t digit(std::size_t i) const {
    return i < digits_.size() ? digits_[i] : 0;
  }

  // Times a factor, over a divisor that divides the product.
  void scale(std::uint64_t factor, std::uint64_t divisor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& one : digits_) carry = set(one, one * factor + carry);
    if (carry > 0) digits_.push_back(static_cast<std::uint32_t>(carry));
    std::uint64_t rest = 0;
    for (auto one = digits_.rbegin(); one != digits_.rend(); ++one) {
      rest = rest << kDigitBits | *one;
      *one = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    trim();
  }

  void add(const Natural& other) {
    digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      carry = set(digits_[i], std::uint64_t{digits_[i]} + other.digit(i) + carry);
    }
    trim();
  }

  // One that is not larger.
  void subtract(const Natural& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      borrow = set(digits_[i], std::uint64_t{digits_[i]} - other.digit(i) - borrow) == 0 ? 0 : 1;
    }
    trim();
  }

  [[nodiscard]] bool is_below(const Natural& other) const {
    if (digits_.size() != other.digits_.size()) return digits_.size() < other.digits_.size();
    return std::lexicographical_compare(digits_.rbegin(), digits_.rend(), other.digits_.rbegin(),
                                        other.digits_.rend());
  }

 private:
  // The low digit of the value; returns what is above it.
  static std::uint64_t set(std::uint32_t& digit, std::uint64_t value) {
    digit = static_cast<std::uint32_t>(value);
    return value >> kDigitBits;
  }
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<std::uint32_t> digits_;
};

// C(n, k).
Natural binomial(std::size_t n, std::size_t k) {
  if (k > n) return {};
  Natural value({1});
  const std::size_t fewer = std::min(k, n - k);
  for (std::size_t i = 1; i <= fewer; ++i) value.scale(n - fewer + i, i);
  return value;
}

// Walks down from the largest number. `take` decides on each from the sets of those below it that are
// as large as what is left, C(number, left), and is asked until nothing is left.
template <typename Take>
void walk(std::size_t of, std::size_t count, Take take) {
  std::size_t left = count;
  if (left == 0) return;
  Natural below = binomial(of - 1, left);
  for (std::size_t number = of - 1;; --number) {
    if (!take(number, below)) {
      below.scale(number - left, number);  // C(number - 1, left)
      continue;
    }
    if (left == 1) return;
    below.scale(left, number);  // C(number - 1, left - 1)
    --left;
  }
}

}  // namespace

std::size_t subset_bits(std::size_t of, std::size_t count) {
  require(count <= of, "a subset is not larger than its set");
  Natural sets = binomial(of, count);
  sets.subtract(Natural({1}));
  return sets.bits();
}

void put_subset(std::span<const std::uint32_t> numbers, std::size_t of, std::size_t first,
                std::span<std::byte> bytes) {
  Natural rank;
  std::size_t left = numbers.size();
  walk(of, numbers.size(), [&](std::size_t number, const Natural& below) {
    if (numbers[left - 1] != number) return false;
    rank.add(below);
    --left;
    return true;
  });
  const std::size_t bits = subset_bits(of, numbers.size());
  for (std::size_t at = 0; at < bits; at += kDigitBits) {
    put_bits(rank.digit(at / kDigitBits), first + at, std::min(kDigitBits, bits - at), bytes);
  }
}

std::vector<std::uint32_t> get_subset(std::size_t of, std::size_t count, std::size_t first,
                                      std::span<const std::byte> bytes) {
  const std::size_t bits = subset_bits(of, count);
  std::vector<std::uint32_t> digits;
  for (std::size_t at = 0; at < bits; at += kDigitBits) {
    digits.push_back(get_bits(bytes, first + at, std::min(kDigitBits, bits - at)));
  }
  Natural rank(std::move(digits));
  std::vector<std::uint32_t> numbers;
  walk(of, count, [&](std::size_t number, const Natural& below) {
    if (rank.is_below(below)) return false;
    rank.subtract(below);
    numbers.push_back(static_cast<std::uint32_t>(number));
    return true;
  });
  std::ranges::reverse(numbers);
  return numbers;
}

}  // namespace codecs
