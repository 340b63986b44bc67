// SPDX-License-Identifier: Apache-2.0
// Error feedback of every CUDA codec, with a kernel of its own or without, against codecs/feedback's
// rule, byte for byte.
#include "codecs/feedback/feedback.hpp"

#include <string>

#include "codecs/cuda/feedback.hpp"
#include "codecs/feedback/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kFeedbackKey{.seed = 9, .step = 8, .tensor = 7, .rank = 6};

bool all_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float x) { return std::isfinite(x); });
}

// Of what is encoded and of what becomes of it.
bool sends_finite(const Codec& codec, const Feedback& rule, const std::vector<float>& values,
                  const std::vector<float>& residual) {
  std::vector<float> sent(values.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = std::fma(rule.carry, residual[i], rule.gain * values[i]);
  }
  return all_finite(sent) &&
         all_finite(decoded(codec, encoded(codec, sent, kFeedbackKey), sent.size()));
}

template <typename Value>
void expect_reference(const CudaCodec& row, const Feedback& rule, const std::vector<Value>& values,
                      std::vector<float> residual) {
  const Codec& codec = *row.codec;
  const std::size_t elements = values.size();
  const DeviceBuffer<Value> input{std::span(values)};
  const DeviceBuffer<float> kept{std::span<const float>(residual)};
  const GuardedBytes wire(encoded_bytes(codec.format, elements));
  const GuardedBytes scratch(feedback_scratch_bytes(row, elements));
  const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
  const Encoding to{
      .wires = wire.get(), .key = kFeedbackKey, .nonfinite = flag.get(), .scratch = scratch.get()};
  encode_feedback_async(row, rule, Tensor<const Value>{input.get(), elements}, kept.get(), to,
                        nullptr);
  const bool finite = sends_finite(codec, rule, as_floats(values), residual);
  std::vector<std::byte> expected(encoded_bytes(codec.format, elements));
  encode_with_feedback(codec, rule, as_floats(values), kFeedbackKey, residual, expected);
  EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements;
  EXPECT_EQ(first_difference(kept.to_host(), residual), elements) << elements;
  EXPECT_EQ(flag.to_host().front(), finite ? 0u : 1u) << elements;
  (void)scratch.to_host();
}

class EveryFeedback : public testing::TestWithParam<CudaCodec> {};

TEST_P(EveryFeedback, EqualsItsReferenceAtEveryLength) {
  for (const std::size_t elements : {0u, 1u, 127u, 513u, 2049u, 30'011u}) {
    expect_reference(GetParam(), {}, awkward_values(elements), awkward_values(elements, 4));
  }
}

TEST_P(EveryFeedback, EqualsItsReferenceForEveryRule) {
  for (const Feedback& rule :
       {Feedback{.gain = 0.25f, .carry = 0.95f}, Feedback{.keep = 0.8f, .take = 0.2f},
        Feedback{.carry = 0.5f, .keep = 0.5f, .take = 0.5f}}) {
    expect_reference(GetParam(), rule, awkward_values(9001), awkward_values(9001, 4));
  }
}

TEST_P(EveryFeedback, EqualsItsReferenceOnNaNsAndInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
    expect_reference(GetParam(), {}, with_value(awkward_values(9001), 777, special),
                     awkward_values(9001, 4));
    expect_reference(GetParam(), {}, awkward_values(9001),
                     with_value(awkward_values(9001, 4), 8192, special));
  }
}

TEST_P(EveryFeedback, ReadsBfloat16LikeItsFloats) {
  for (const std::size_t elements : {1u, 513u, 9001u}) {
    expect_reference(GetParam(), {}, as_bf16(awkward_values(elements)),
                     awkward_values(elements, 4));
  }
}

// The simulator charges what the format says.
TEST(FusedKernels, AreThereWhereTheFormatSays) {
  for (const CudaCodec& row : all_cuda_codecs()) {
    SCOPED_TRACE(row.codec->name);
    const auto fused = [&](Operation operation, int value_bytes) {
      return is_fused(
          {.operation = operation, .wire = row.codec->format, .value_bytes = value_bytes});
    };
    EXPECT_EQ(row.encode_feedback_async != nullptr, fused(Operation::encode_feedback, 4));
    EXPECT_EQ(row.encode_feedback_bf16_async != nullptr, fused(Operation::encode_feedback, 2));
    EXPECT_EQ(row.decode_add_fp32_async != nullptr, fused(Operation::decode_add, 4));
    EXPECT_EQ(row.decode_add_async != nullptr, fused(Operation::decode_add, 2));
  }
}

std::vector<CudaCodec> codecs_with_feedback(bool of_their_own) {
  std::vector<CudaCodec> rows;
  for (const CudaCodec& row : all_cuda_codecs()) {
    if ((row.encode_feedback_async != nullptr) == of_their_own) rows.push_back(row);
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFeedback, testing::ValuesIn(codecs_with_feedback(true)),
                         [](const auto& row) { return std::string(row.param.codec->name); });

// Their encodes and decodes are tested by themselves.
TEST(ComposedFeedback, EqualsItsReference) {
  for (const CudaCodec& row : codecs_with_feedback(false)) {
    SCOPED_TRACE(row.codec->name);
    for (const std::size_t elements : {0u, 1u, 513u}) {
      expect_reference(row, {}, awkward_values(elements), awkward_values(elements, 4));
      expect_reference(row, {}, as_bf16(awkward_values(elements)), awkward_values(elements, 4));
    }
  }
}

TEST(ComposedFeedback, EqualsItsReferenceOnNaNsAndInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // Also what is no number only when both are added.
  const std::vector<float> values =
      with_value(with_value(awkward_values(2600), 3, -nan), 2100, -infinity);
  const std::vector<float> residual = with_value(awkward_values(2600, 4), 2100, infinity);
  for (const CudaCodec& row : codecs_with_feedback(false)) {
    SCOPED_TRACE(row.codec->name);
    expect_reference(row, {.gain = 0.25f, .carry = 0.95f, .keep = 0.5f, .take = 0.5f},
                     with_value(values, 700, -infinity), with_value(residual, 2101, nan));
  }
}

// Half of the smallest number rounds to 0, whose sign is the reference's too.
TEST(FeedbackKernels, KeepZerosLikeTheReference) {
  std::vector<float> values(600), residual(600);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 2 == 0 ? 0x1p-149f : -0x1p-149f;
    residual[i] = i % 3 == 0 ? 1.0f : -1.0f;
  }
  for (const CudaCodec& row : all_cuda_codecs()) {
    SCOPED_TRACE(row.codec->name);
    expect_reference(row, {.carry = 0, .take = 0.5f}, values, residual);
  }
}

TEST(FeedbackKernels, RefuseFormatsWithoutKernels) {
  EXPECT_THROW(encode_feedback_async(codec_named("int4_g128_hadamard_sr").format, {},
                                     Tensor<const float>{nullptr, 100}, nullptr, {}, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
