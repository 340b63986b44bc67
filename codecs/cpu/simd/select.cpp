// SPDX-License-Identifier: Apache-2.0
// The largest magnitudes of a chunk, in the order of codecs/top_k/top_k.hpp.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

constexpr std::size_t kColumns = 128;
constexpr std::int32_t kFinestBound = 1 << 16;  // 2^-7 of a magnitude
constexpr std::uint32_t kAbsolute = 0x7FFFFFFF;

Int magnitudes(const float* values) {
  return hn::And(integer_of(load(values)), hn::Set(Ints(), static_cast<std::int32_t>(kAbsolute)));
}

// How many of the columns are as large.
std::size_t reaching(const std::int32_t* columns, std::int32_t bound) {
  const Int below = hn::Set(Ints(), bound - 1);
  Int count = hn::Zero(Ints());
  for (std::size_t i = 0; i < kColumns; i += kLanes) {
    const Int column = hn::Load(Ints(), columns + i);
    count = hn::Sub(count, hn::VecFromMask(Ints(), hn::Gt(column, below)));
  }
  return static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(Ints(), count)));
}

// A bound that at least `keep` magnitudes reach, and few others: those of as many columns of every
// 128th element do. Its lower bits are 0, since finding them would take longer than they save.
std::int32_t lower_bound_of(const float* values, std::size_t count, std::size_t keep) {
  const std::size_t whole = count / kColumns * kColumns;
  if (keep > kColumns || whole == 0) return 0;
  HWY_ALIGN std::int32_t columns[kColumns];
  for (std::size_t column = 0; column < kColumns; column += kLanes) {
    Int most = hn::Zero(Ints());
    for (std::size_t i = column; i < whole; i += kColumns) {
      most = hn::Max(most, magnitudes(values + i));
    }
    hn::Store(most, Ints(), columns + column);
  }
  std::int32_t bound = 0;
  for (std::int32_t bit = 1 << 30; bit > kFinestBound; bit >>= 1) {
    if (reaching(columns, bound | bit) >= keep) bound |= bit;
  }
  return bound;
}

// A bit for each of 8 values, set if its magnitude is larger.
std::uint8_t beyond(const float* values, Int below) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Ints(), hn::Gt(magnitudes(values), below), bits);
  if constexpr (kLanes == 8) return bits[0];
  std::uint8_t upper[8] = {};
  hn::StoreMaskBits(Ints(), hn::Gt(magnitudes(values + kLanes % 8), below), upper);
  return static_cast<std::uint8_t>(bits[0] | upper[0] << 4);
}

// Larger for what is selected first.
std::uint64_t rank_of(float value, std::uint32_t index) {
  return std::uint64_t{magnitude_bits(value)} << 32 | (0xFFFFFFFFu - index);
}

// Ranks of the values that reach the bound, in ascending order of index.
std::size_t candidates_of(const float* values, std::size_t count, std::int32_t bound,
                          std::uint64_t* ranks) {
  const Int below = hn::Set(Ints(), bound - 1);
  std::size_t found = 0, i = 0;
  for (; i + 64 <= count; i += 64) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      word |= std::uint64_t{beyond(values + i + 8 * byte, below)} << (8 * byte);
    }
    for (; word != 0; word &= word - 1) {
      const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(word));
      ranks[found++] = rank_of(values[at], static_cast<std::uint32_t>(at));
    }
  }
  for (; i < count; ++i) {
    if (static_cast<std::int32_t>(magnitude_bits(values[i])) >= bound) {
      ranks[found++] = rank_of(values[i], static_cast<std::uint32_t>(i));
    }
  }
  return found;
}

// In ascending order of index.
void select_part(const float* values, std::size_t count, std::size_t keep, std::uint32_t* indices) {
  std::uint64_t ranks[kLargestChunk], sorted[kLargestChunk];
  const std::size_t found =
      candidates_of(values, count, lower_bound_of(values, count, keep), ranks);
  std::copy(ranks, ranks + found, sorted);
  std::nth_element(sorted, sorted + (keep - 1), sorted + found, std::greater<>());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found; ++i) {
    if (ranks[i] >= sorted[keep - 1]) {
      indices[kept++] = 0xFFFFFFFFu - static_cast<std::uint32_t>(ranks[i]);
    }
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
