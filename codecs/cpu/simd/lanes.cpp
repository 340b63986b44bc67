// SPDX-License-Identifier: Apache-2.0
// What all kernels use: vectors of up to 8 floats, and the operations that Highway 1.0 lacks.
// codecs/cpu/simd/all.cpp includes this file once for each instruction set.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// More than 8 lanes would leave the smallest groups half empty.
using Floats = hn::CappedTag<float, 8>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Octets = hn::Repartition<std::uint8_t, Floats>;
using Float = hn::Vec<Floats>;
using Int = hn::Vec<Ints>;
using Word = hn::Vec<Words>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());

// As many elements as fill a vector of bytes with their codes.
constexpr std::size_t kStep = 4 * kLanes;
constexpr std::size_t kMostStep = 32;

Float constant(float value) { return hn::Set(Floats(), value); }
Float load(const float* from) { return hn::LoadU(Floats(), from); }
void store(Float value, float* to) { hn::StoreU(value, Floats(), to); }
Word bits_of(Float value) { return hn::BitCast(Words(), value); }
Int integer_of(Float value) { return hn::BitCast(Ints(), value); }

// sums += terms.
void add_to(const float* terms, std::size_t count, float* sums) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(hn::Add(load(sums + i), load(terms + i)), sums + i);
  }
  for (; i < count; ++i) sums[i] += terms[i];
}

// a * b + c, rounded once, whether or not the instruction set can.
HWY_INLINE Float fused(Float a, Float b, Float c) {
  if constexpr (HWY_NATIVE_FMA != 0) {
    return hn::MulAdd(a, b, c);
  } else {
    HWY_ALIGN float x[kLanes], y[kLanes], z[kLanes];
    hn::Store(a, Floats(), x);
    hn::Store(b, Floats(), y);
    hn::Store(c, Floats(), z);
    for (std::size_t i = 0; i < kLanes; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return hn::Load(Floats(), z);
  }
}

// The low byte of each lane of 4 vectors, in the order of the lanes.
template <typename Source>
HWY_INLINE hn::Vec<Octets> low_bytes(Source a, Source b, Source c, Source d) {
  constexpr std::uint8_t kNone = 0x80;
  HWY_ALIGN static constexpr std::uint8_t kFirst[16] = {0,     4,     8,     12,    kNone, kNone,
                                                        kNone, kNone, kNone, kNone, kNone, kNone,
                                                        kNone, kNone, kNone, kNone};
  HWY_ALIGN static constexpr std::uint8_t kSecond[16] = {kNone, kNone, kNone, kNone, 0,     4,
                                                         8,     12,    kNone, kNone, kNone, kNone,
                                                         kNone, kNone, kNone, kNone};
  HWY_ALIGN static constexpr std::uint8_t kThird[16] = {kNone, kNone, kNone, kNone, kNone, kNone,
                                                        kNone, kNone, 0,     4,     8,     12,
                                                        kNone, kNone, kNone, kNone};
  HWY_ALIGN static constexpr std::uint8_t kFourth[16] = {kNone, kNone, kNone, kNone, kNone, kNone,
                                                         kNone, kNone, kNone, kNone, kNone, kNone,
                                                         0,     4,     8,     12};
  const Octets octets;
  const auto pick = [&](Source from, const std::uint8_t* places) {
    return hn::TableLookupBytesOr0(hn::BitCast(octets, from), hn::LoadDup128(octets, places));
  };
  // Blocks of 16 bytes hold 4 elements of each vector.
  const auto blocks =
      hn::Or(hn::Or(pick(a, kFirst), pick(b, kSecond)), hn::Or(pick(c, kThird), pick(d, kFourth)));
  if constexpr (kLanes == 8) {
    HWY_ALIGN static constexpr std::int32_t kOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const Words words;
    return hn::BitCast(octets, hn::TableLookupLanes(hn::BitCast(words, blocks),
                                                    hn::SetTableIndices(words, kOrder)));
  } else {
    return blocks;
  }
}

// Reads the same place of the next segment while this one is worked on. Addresses beyond the tensor's
// end do no harm.
HWY_INLINE void fetch_next(const float* values) { hwy::Prefetch(values + kSegment); }

// codecs::sent_with().
HWY_INLINE Float sent_of(const Feedback& rule, Float values, Float residual) {
  const Float sent = fused(constant(rule.carry), residual, hn::Mul(constant(rule.gain), values));
  return hn::IfThenElse(hn::IsNaN(sent), constant(std::numeric_limits<float>::quiet_NaN()), sent);
}

HWY_INLINE Float residual_of(const Feedback& rule, Float residual, Float sent, Float decoded) {
  const Float after =
      fused(constant(rule.keep), residual, hn::Mul(constant(rule.take), hn::Sub(sent, decoded)));
  const auto magnitude = hn::And(integer_of(after), hn::Set(Ints(), 0x7FFFFFFF));
  const auto finite = hn::Lt(magnitude, hn::Set(Ints(), static_cast<std::int32_t>(kInfinityBits)));
  return hn::IfThenElse(hn::RebindMask(Floats(), finite), after, residual);
}

// A pointer to `padded` floats, of which the first `count` are what is sent for elements first and
// on, and the others zeros: the values themselves where that is all, else `buffer`.
const float* sent_part(const Input& input, std::size_t first, std::size_t count, std::size_t padded,
                       float* buffer) {
  const float* values = input.values + first;
  if (input.residual == nullptr && padded == count) return values;
  std::size_t i = 0;
  if (input.residual != nullptr) {
    const float* residual = input.residual + first;
    const Feedback rule = *input.feedback;  // a copy, which no store can change
    for (; i + kLanes <= count; i += kLanes) {
      store(sent_of(rule, load(values + i), load(residual + i)), buffer + i);
    }
    for (; i < count; ++i) buffer[i] = sent_with(rule, values[i], residual[i]);
  } else {
    std::memcpy(buffer, values, count * sizeof(float));
  }
  std::memset(buffer + count, 0, (padded - count) * sizeof(float));
  return buffer;
}

// The residual after elements [first, first + count) were sent as `decoded_of` says: from a vector of
// what was sent and its place. `sent` is padded to whole vectors.
template <typename DecodedOf>
HWY_INLINE void keep_residual(const Input& input, std::size_t first, std::size_t count,
                              const float* sent, DecodedOf decoded_of) {
  float* const residual = input.residual + first;
  const Feedback rule = *input.feedback;  // a copy, which no store can change
  const auto keep = [&](std::size_t i, float* to) {
    const Float values = load(sent + i);
    store(residual_of(rule, load(to), values, decoded_of(values, i)), to);
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    fetch_next(input.values + first + i);
    fetch_next(residual + i);
    keep(i, residual + i);
  }
  if (i == count) return;
  HWY_ALIGN float last[kLanes] = {};
  std::copy(residual + i, residual + count, last);
  keep(i, last);
  std::copy(last, last + (count - i), residual + i);
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
