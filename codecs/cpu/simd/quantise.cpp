// SPDX-License-Identifier: Apache-2.0
// Values on a group's grid as codes: codecs/element/element.hpp, a code in the low byte of each
// lane.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

// Added to a float of less than 2^22 it leaves the nearest integer, ties to even, in the low bits.
constexpr float kRounder = 0x1.8p23f;
constexpr std::int32_t kRounderBits = 0x4B400000;

struct NearestInteger {
  static constexpr bool kDraws = false;
  Int highest;  // code that clips, above kRounderBits
  explicit NearestInteger(int largest) : highest(hn::Set(Ints(), kRounderBits + largest)) {}
  HWY_INLINE Int operator()(Float scaled, const std::uint8_t* /*random*/) const {
    return hn::Min(integer_of(hn::Add(scaled, constant(kRounder))), highest);
  }
};

struct StochasticInteger {
  static constexpr bool kDraws = true;
  Int highest;
  explicit StochasticInteger(int largest)
      : highest(hn::Set(Ints(), (kRounderBits >> 8) + largest)) {}
  HWY_INLINE Int operator()(Float scaled, const std::uint8_t* random) const {
    const Float fine = hn::Mul(scaled, constant(256.0f));
    const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, Floats>(), random);
    const Int sum =
        hn::Add(integer_of(hn::Add(fine, constant(kRounder))), hn::PromoteTo(Ints(), bytes));
    return hn::Min(hn::ShiftRight<8>(sum), highest);
  }
};

// FP8 of finite values, saturating.
template <int kMantissa, int kBias, int kLargest>
struct NearestFp8 {
  static constexpr bool kDraws = false;
  explicit NearestFp8(int /*largest*/) {}
  HWY_INLINE Int operator()(Float scaled, const std::uint8_t* /*random*/) const {
    const Ints ints;
    constexpr int kLost = 23 - kMantissa;
    const Int bits = integer_of(scaled);
    const Int magnitude = hn::And(bits, hn::Set(ints, 0x7FFFFFFF));
    const Int sign = hn::And(hn::ShiftRight<24>(bits), hn::Set(ints, 0x80));
    const Int odd = hn::And(hn::ShiftRight<kLost>(magnitude), hn::Set(ints, 1));
    const Int rounded = hn::Add(hn::Add(magnitude, hn::Set(ints, (1 << (kLost - 1)) - 1)), odd);
    const Int normal =
        hn::Min(hn::Sub(hn::ShiftRight<kLost>(rounded), hn::Set(ints, (127 - kBias) << kMantissa)),
                hn::Set(ints, kLargest));
    // Subnormals are multiples of 2^(1 - bias - mantissa).
    constexpr auto kMultiple = static_cast<float>(std::uint32_t{1} << (kBias - 1 + kMantissa));
    const Float multiple = hn::Mul(hn::BitCast(Floats(), magnitude), constant(kMultiple));
    const Int subnormal =
        hn::Sub(integer_of(hn::Add(multiple, constant(kRounder))), hn::Set(ints, kRounderBits));
    const auto small = hn::Lt(magnitude, hn::Set(ints, (128 - kBias) << 23));
    return hn::Or(sign, hn::IfThenElse(small, subnormal, normal));
  }
};
using NearestE4m3 = NearestFp8<kE4m3.mantissa_bits, kE4m3.bias, kE4m3.largest>;
using NearestE5m2 = NearestFp8<kE5m2.mantissa_bits, kE5m2.bias, kE5m2.largest>;

// Element 2 i of the low nibbles becomes the low nibble of byte i.
HWY_INLINE void store_nibbles(hn::Vec<Octets> codes, std::uint8_t* to) {
  const hn::Repartition<std::int16_t, Octets> pairs;
  const auto low = hn::BitCast(pairs, hn::And(codes, hn::Set(Octets(), 0x0F)));
  const auto both = hn::And(hn::Or(low, hn::ShiftRight<4>(low)), hn::Set(pairs, 0xFF));
  const hn::Rebind<std::uint8_t, decltype(pairs)> half;
  hn::StoreU(hn::DemoteTo(half, both), half, to);
}

template <int kBits>
HWY_INLINE void store_codes(hn::Vec<Octets> codes, std::uint8_t* to) {
  if constexpr (kBits == 4) {
    store_nibbles(codes, to);
  } else {
    hn::StoreU(codes, Octets(), to);
  }
}

template <int kBits, typename Coder>
HWY_INLINE void quantise_step(const Coder& coder, Float minimum, Float multiply,
                              const float* values, const std::uint8_t* random, std::uint8_t* to) {
  const auto code = [&](std::size_t vector) {
    const std::size_t at = vector * kLanes;
    const Float scaled = hn::Mul(hn::Sub(load(values + at), minimum), multiply);
    return coder(scaled, Coder::kDraws ? random + at : nullptr);
  };
  store_codes<kBits>(low_bytes(code(0), code(1), code(2), code(3)), to);
}

// `count` codes from `to` on; what is left of the last byte is 0.
template <int kBits, typename Coder>
void quantise_values(const Coder& coder, const Grid& grid, const float* values, std::size_t count,
                     const std::uint8_t* random, std::uint8_t* to) {
  const Float minimum = constant(grid.minimum), multiply = constant(grid.multiply);
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    fetch_next(values + i);
    fetch_next(values + i + kStep / 2);
    quantise_step<kBits>(coder, minimum, multiply, values + i, random + i, to + i * kBits / 8);
  }
  if (i == count) return;
  HWY_ALIGN float last[kMostStep];
  HWY_ALIGN std::uint8_t codes[kMostStep], bits[kMostStep] = {};
  std::fill(std::copy(values + i, values + count, last), last + kMostStep, grid.minimum);
  if (Coder::kDraws) std::copy(random + i, random + count, bits);
  quantise_step<kBits>(coder, minimum, multiply, last, bits, codes);
  std::memcpy(to + i * kBits / 8, codes, ((count - i) * kBits + 7) / 8);
}

int highest_code(const Format& format) {
  const int levels = 1 << codecs::bits_of(format.element);
  return format.scale == Scale::min_max ? levels - 1 : levels / 2 - 1;
}

// Groups of `size` values, the last of which may be short, each with its grid.
template <int kBits, typename Coder>
void quantise_each(const Coder& coder, const Grid* grids, std::size_t size, const float* values,
                   std::size_t count, const std::uint8_t* random, std::uint8_t* to) {
  for (std::size_t at = 0; at < count; at += size, ++grids) {
    const std::size_t own = std::min(size, count - at);
    std::uint8_t* const codes = to + at * kBits / 8;
    if (grids->multiply == 0) {
      std::memset(codes, 0, (own * kBits + 7) / 8);
    } else {
      quantise_values<kBits>(coder, *grids, values + at, own, random + at, codes);
    }
  }
}

void quantise_groups(const Format& format, const Grid* grids, std::size_t size, const float* values,
                     std::size_t count, const std::uint8_t* random, std::uint8_t* to) {
  const int highest = highest_code(format);
  const bool drawn = format.rounding == Rounding::stochastic;
  if (format.element == Element::e4m3) {
    quantise_each<8>(NearestE4m3(highest), grids, size, values, count, random, to);
  } else if (format.element == Element::e5m2) {
    quantise_each<8>(NearestE5m2(highest), grids, size, values, count, random, to);
  } else if (format.element == Element::int4) {
    drawn ? quantise_each<4>(StochasticInteger(highest), grids, size, values, count, random, to)
          : quantise_each<4>(NearestInteger(highest), grids, size, values, count, random, to);
  } else {
    drawn ? quantise_each<8>(StochasticInteger(highest), grids, size, values, count, random, to)
          : quantise_each<8>(NearestInteger(highest), grids, size, values, count, random, to);
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
