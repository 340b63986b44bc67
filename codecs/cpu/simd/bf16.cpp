// SPDX-License-Identifier: Apache-2.0
// bfloat16, as codecs/bf16/bf16.hpp defines it.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

using Shorts = hn::Rebind<std::uint16_t, Floats>;

// In the low half of each lane.
Word bf16_of(Float values) {
  const Words words;
  const Word bits = bits_of(values);
  const Word odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const Word rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7FFF)), odd));
  const auto nan = hn::RebindMask(words, hn::IsNaN(values));
  return hn::IfThenElse(nan, hn::Set(words, kBf16NaN), rounded);
}

Float float_of(Word codes) { return hn::BitCast(Floats(), hn::ShiftLeft<16>(codes)); }

void store_bf16(Word codes, std::byte* wire) {
  hn::StoreU(hn::DemoteTo(Shorts(), hn::BitCast(Ints(), codes)), Shorts(),
             reinterpret_cast<std::uint16_t*>(wire));
}

Float load_bf16(const std::byte* wire) {
  const auto codes = hn::LoadU(Shorts(), reinterpret_cast<const std::uint16_t*>(wire));
  return float_of(hn::PromoteTo(Words(), codes));
}

void encode_bf16(const float* values, std::size_t count, std::byte* wire) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store_bf16(bf16_of(load(values + i)), wire + 2 * i);
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

// In one pass: what is sent stays in registers.
void encode_bf16_feedback(const Input& input, std::size_t first, std::size_t count,
                          std::byte* wire) {
  const Feedback rule = *input.feedback;  // a copy, which no store can change
  const auto encode = [&](const float* values, float* residual, std::byte* to) {
    const Float before = load(residual), sent = sent_of(rule, load(values), before);
    const Word codes = bf16_of(sent);
    store_bf16(codes, to);
    store(residual_of(rule, before, sent, float_of(codes)), residual);
  };
  const float* const values = input.values + first;
  float* const residual = input.residual + first;
  std::byte* const to = wire + 2 * first;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) encode(values + i, residual + i, to + 2 * i);
  if (i == count) return;
  HWY_ALIGN float last[kLanes] = {}, last_residual[kLanes] = {};
  HWY_ALIGN std::byte codes[2 * kLanes];
  std::copy(values + i, values + count, last);
  std::copy(residual + i, residual + count, last_residual);
  encode(last, last_residual, codes);
  std::copy(last_residual, last_residual + (count - i), residual + i);
  std::copy(codes, codes + 2 * (count - i), to + 2 * i);
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
