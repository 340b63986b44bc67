// SPDX-License-Identifier: Apache-2.0
// bfloat16, as codecs/bf16/bf16.hpp defines it.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

using Shorts = hn::Rebind<std::uint16_t, Floats>;

hn::Vec<Shorts> bf16_of(Float values) {
  const Words words;
  const Word bits = bits_of(values);
  const Word odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const Word rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7FFF)), odd));
  const auto magnitude = hn::And(integer_of(values), hn::Set(Ints(), 0x7FFFFFFF));
  const auto nan = hn::Gt(magnitude, hn::Set(Ints(), static_cast<std::int32_t>(kInfinityBits)));
  const Word code = hn::IfThenElse(hn::RebindMask(words, nan), hn::Set(words, kBf16NaN), rounded);
  return hn::DemoteTo(Shorts(), hn::BitCast(Ints(), code));
}

void store_bf16(Float values, std::byte* wire) {
  hn::StoreU(bf16_of(values), Shorts(), reinterpret_cast<std::uint16_t*>(wire));
}

Float load_bf16(const std::byte* wire) {
  const auto codes = hn::LoadU(Shorts(), reinterpret_cast<const std::uint16_t*>(wire));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), codes)));
}

void encode_bf16(const float* values, std::size_t count, std::byte* wire) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store_bf16(load(values + i), wire + 2 * i);
  for (; i < count; ++i) {
    const Bf16 code = codecs::to_bf16(values[i]);
    std::memcpy(wire + 2 * i, &code, sizeof code);
  }
}

void decode_bf16(const std::byte* wire, std::size_t count, float* values) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(load_bf16(wire + 2 * i), values + i);
  for (; i < count; ++i) {
    Bf16 code;
    std::memcpy(&code, wire + 2 * i, sizeof code);
    values[i] = codecs::to_float(code);
  }
}

void add_bf16(const std::byte* wire, std::size_t count, float* values) {
  HWY_ALIGN float decoded[kSegment];
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t part = std::min(kSegment, count - done);
    decode_bf16(wire + 2 * done, part, decoded);
    add_to(decoded, part, values + done);
  }
}

void encode_bf16_feedback(const Input& input, std::size_t first, std::size_t count,
                          std::byte* wire) {
  HWY_ALIGN float sent[kSegment], decoded[kSegment];
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t part = std::min(kSegment, count - done);
    std::byte* const to = wire + 2 * (first + done);
    sent_part(input, first + done, part, part, sent);
    encode_bf16(sent, part, to);
    decode_bf16(to, part, decoded);
    keep_residual(input, first + done, part, sent, decoded);
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
