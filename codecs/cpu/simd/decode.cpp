// SPDX-License-Identifier: Apache-2.0
// Codes of groups as values, and their sums over wires.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

// kLanes codes from `from` on.
template <bool kSigned>
struct Bytes {
  static constexpr std::size_t kBits = 8;
  HWY_INLINE Float operator()(const std::uint8_t* from) const {
    using Code = std::conditional_t<kSigned, std::int8_t, std::uint8_t>;
    const hn::Rebind<Code, Floats> codes;
    return hn::ConvertTo(
        Floats(), hn::PromoteTo(Ints(), hn::LoadU(codes, reinterpret_cast<const Code*>(from))));
  }
};

template <bool kSigned>
struct Nibbles {
  static constexpr std::size_t kBits = 4;
  HWY_INLINE Float operator()(const std::uint8_t* from) const {
    std::uint32_t word = 0;
    std::memcpy(&word, from, kLanes / 2);
    const Words words;
    // Lane i holds its nibble in its top bits.
    HWY_ALIGN static constexpr std::uint32_t kShift[8] = {28, 24, 20, 16, 12, 8, 4, 0};
    const Word top = hn::Shl(hn::Set(words, word), hn::Load(words, kShift));
    if constexpr (kSigned) {
      return hn::ConvertTo(Floats(), hn::ShiftRight<28>(hn::BitCast(Ints(), top)));
    } else {
      return hn::ConvertTo(Floats(), hn::BitCast(Ints(), hn::ShiftRight<28>(top)));
    }
  }
};

template <int kMantissa, int kBias, int kLargest>
struct Fp8 {
  static constexpr std::size_t kBits = 8;
  HWY_INLINE Float operator()(const std::uint8_t* from) const {
    const Ints ints;
    const Int code = hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::uint8_t, Floats>(), from));
    const Int magnitude = hn::And(code, hn::Set(ints, 0x7F));
    const Int sign = hn::ShiftLeft<24>(hn::And(code, hn::Set(ints, 0x80)));
    const Int normal = hn::ShiftLeft<23 - kMantissa>(
        hn::Add(magnitude, hn::Set(ints, (127 - kBias) << kMantissa)));
    constexpr float kUnit = 1.0f / static_cast<float>(std::uint32_t{1} << (kBias - 1 + kMantissa));
    const Float subnormal = hn::Mul(hn::ConvertTo(Floats(), magnitude), constant(kUnit));
    const auto small = hn::Lt(magnitude, hn::Set(ints, 1 << kMantissa));
    Int value = hn::IfThenElse(small, integer_of(subnormal), normal);
    // The code after the largest of E5M2 is infinity; all others are NaN.
    if constexpr (kMantissa == kE5m2.mantissa_bits) {
      const auto infinite = hn::Eq(magnitude, hn::Set(ints, kLargest + 1));
      value =
          hn::IfThenElse(infinite, hn::Set(ints, static_cast<std::int32_t>(kInfinityBits)), value);
      const auto nan = hn::Gt(magnitude, hn::Set(ints, kLargest + 1));
      value = hn::IfThenElse(nan, hn::Set(ints, static_cast<std::int32_t>(kNaNScale)), value);
    } else {
      const auto nan = hn::Gt(magnitude, hn::Set(ints, kLargest));
      value = hn::IfThenElse(nan, hn::Set(ints, static_cast<std::int32_t>(kNaNScale)), value);
    }
    return hn::BitCast(Floats(), hn::Or(sign, value));
  }
};
using E4m3Codes = Fp8<kE4m3.mantissa_bits, kE4m3.bias, kE4m3.largest>;
using E5m2Codes = Fp8<kE5m2.mantissa_bits, kE5m2.bias, kE5m2.largest>;

// The scale of a wire's group, and whether its values are the first of a sum.
struct Place {
  float step = 0;
  float minimum = 0;
  bool first = true;
};

// sum + value * step, each rounded as the reference's; the first sum is 0.
template <bool kMinimum, typename Codes>
HWY_INLINE void add_step(const Codes& codes, const Place& place, const std::uint8_t* from,
                         float* sums) {
  const Float value = codes(from), step = constant(place.step);
  if constexpr (kMinimum) {
    const Float decoded = fused(value, step, constant(place.minimum));
    store(hn::Add(place.first ? hn::Zero(Floats()) : load(sums), decoded), sums);
  } else if (place.first) {
    store(hn::Add(hn::Mul(value, step), hn::Zero(Floats())), sums);
  } else {
    store(fused(value, step, load(sums)), sums);
  }
}

template <bool kMinimum, typename Codes>
void add_values(const Codes& codes, const Place& place, const std::uint8_t* from, std::size_t count,
                float* sums) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    add_step<kMinimum>(codes, place, from + i * Codes::kBits / 8, sums + i);
  }
  if (i == count) return;
  HWY_ALIGN float last[kLanes] = {};
  HWY_ALIGN std::uint8_t bytes[kLanes] = {};
  std::memcpy(bytes, from + i * Codes::kBits / 8, ((count - i) * Codes::kBits + 7) / 8);
  std::copy(sums + i, sums + count, last);
  add_step<kMinimum>(codes, place, bytes, last);
  std::copy(last, last + (count - i), sums + i);
}

void add_part(const Format& format, const Place& place, const std::uint8_t* from, std::size_t count,
              float* sums) {
  const bool four = format.element == Element::int4;
  if (format.element == Element::e4m3)
    return add_values<false>(E4m3Codes(), place, from, count, sums);
  if (format.element == Element::e5m2)
    return add_values<false>(E5m2Codes(), place, from, count, sums);
  if (format.scale == Scale::min_max) {
    return four ? add_values<true>(Nibbles<false>(), place, from, count, sums)
                : add_values<true>(Bytes<false>(), place, from, count, sums);
  }
  return four ? add_values<false>(Nibbles<true>(), place, from, count, sums)
              : add_values<false>(Bytes<true>(), place, from, count, sums);
}

Place place_of(const Format& format, const GroupWire& layout, const std::byte* wire,
               std::size_t group) {
  Place place;
  const std::byte* const at = wire + layout.scales_offset + group * bytes_of(format.scale);
  std::memcpy(&place.step, at, sizeof(float));
  if (format.scale == Scale::min_max)
    std::memcpy(&place.minimum, at + sizeof(float), sizeof(float));
  return place;
}

// The sum over the wires of elements [first, first + count) of one group, in the wire's domain.
void sum_part(const GroupSum& job, std::size_t group, std::size_t first, std::size_t count,
              float* sums) {
  const auto bits = static_cast<std::size_t>(codecs::bits_of(job.format.element));
  for (std::size_t input = 0; input < job.inputs; ++input) {
    const std::byte* const wire = job.wires + input * job.layout.bytes;
    Place place = place_of(job.format, job.layout, wire, group);
    place.first = input == 0;
    add_part(job.format, place, reinterpret_cast<const std::uint8_t*>(wire) + first * bits / 8,
             count, sums);
  }
}

// Elements [first, first + count) of one group, with the inverse of its transform.
void decode_part(const GroupSum& job, std::size_t group, std::size_t first, std::size_t count,
                 float* to) {
  if (job.format.rotation == Rotation::none) {
    sum_part(job, group, first, count, to);
    return;
  }
  HWY_ALIGN float sums[kSegment];
  const std::size_t coded = round_up(count, kHadamardBlock);
  sum_part(job, group, first, coded, sums);
  transform(sums, coded);
  const Float unit = constant(1.0f / static_cast<float>(kHadamardBlock));
  for (std::size_t i = 0; i < coded; i += kLanes) store(hn::Mul(load(sums + i), unit), sums + i);
  std::memcpy(to, sums, count * sizeof(float));
}

// The same into the job's sums, or added to them.
void place_part(const GroupSum& job, std::size_t group, std::size_t first, std::size_t count) {
  if (!job.adds) return decode_part(job, group, first, count, job.sums + first);
  HWY_ALIGN float decoded[kSegment];
  decode_part(job, group, first, count, decoded);
  add_to(decoded, count, job.sums + first);
}

void sum_segments(const GroupSum& job, std::size_t first, std::size_t last) {
  for (std::size_t segment = first; segment < last; ++segment) {
    const std::size_t at = segment * kSegment;
    place_part(job, 0, at, std::min(kSegment, job.elements - at));
  }
}

void sum_groups(const GroupSum& job, std::size_t first, std::size_t last) {
  if (job.format.group == kWholeTensor) return sum_segments(job, first, last);
  for (std::size_t group = first; group < last; ++group) {
    const std::size_t begin = group * job.format.group;
    const std::size_t end = std::min(begin + job.format.group, job.elements);
    for (std::size_t at = begin; at < end; at += kSegment) {
      place_part(job, group, at, std::min(kSegment, end - at));
    }
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
