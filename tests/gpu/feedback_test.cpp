// SPDX-License-Identifier: Apache-2.0
// Every CUDA codec that has error feedback against codecs/feedback's rule, byte for byte.
#include "codecs/feedback/feedback.hpp"

#include <string>

#include "codecs/cuda/registry.hpp"
#include "codecs/feedback/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kFeedbackKey{.seed = 9, .step = 8, .tensor = 7, .rank = 6};

std::vector<CudaCodec> codecs_with_feedback() {
  std::vector<CudaCodec> rows;
  for (const CudaCodec& row : all_cuda_codecs()) {
    if (row.encode_feedback_async != nullptr) rows.push_back(row);
  }
  return rows;
}

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

class EveryFeedback : public testing::TestWithParam<CudaCodec> {
 protected:
  template <typename Value, typename Encode>
  void expect_reference(Encode encode, const Feedback& rule, const std::vector<Value>& values,
                        std::vector<float> residual) const {
    const Codec& codec = *GetParam().codec;
    const std::size_t elements = values.size();
    const auto scratch_bytes = GetParam().scratch_bytes;
    const DeviceBuffer<Value> input{std::span(values)};
    const DeviceBuffer<float> kept{std::span<const float>(residual)};
    const GuardedBytes wire(encoded_bytes(codec.format, elements));
    const GuardedBytes scratch(scratch_bytes ? scratch_bytes(codec.format, elements) : 0);
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    encode(codec.format, rule, {input.get(), elements}, kept.get(),
           {.wires = wire.get(),
            .key = kFeedbackKey,
            .nonfinite = flag.get(),
            .scratch = scratch.get()},
           nullptr);
    const bool finite = sends_finite(codec, rule, as_floats(values), residual);
    std::vector<std::byte> expected(encoded_bytes(codec.format, elements));
    encode_with_feedback(codec, rule, as_floats(values), kFeedbackKey, residual, expected);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements;
    EXPECT_EQ(first_difference(kept.to_host(), residual), elements) << elements;
    EXPECT_EQ(flag.to_host().front(), finite ? 0u : 1u) << elements;
  }

  void expect_reference(const Feedback& rule, const std::vector<float>& values,
                        const std::vector<float>& residual) const {
    expect_reference(GetParam().encode_feedback_async, rule, values, residual);
  }
};

TEST_P(EveryFeedback, EqualsItsReferenceAtEveryLength) {
  for (const std::size_t elements : {0u, 1u, 127u, 513u, 2049u, 30'011u}) {
    expect_reference({}, awkward_values(elements), awkward_values(elements, 4));
  }
}

TEST_P(EveryFeedback, EqualsItsReferenceForEveryRule) {
  for (const Feedback& rule :
       {Feedback{.gain = 0.25f, .carry = 0.95f}, Feedback{.keep = 0.8f, .take = 0.2f},
        Feedback{.carry = 0.5f, .keep = 0.5f, .take = 0.5f}}) {
    expect_reference(rule, awkward_values(9001), awkward_values(9001, 4));
  }
}

TEST_P(EveryFeedback, EqualsItsReferenceOnNaNsAndInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
    expect_reference({}, with_value(awkward_values(9001), 777, special), awkward_values(9001, 4));
    expect_reference({}, awkward_values(9001), with_value(awkward_values(9001, 4), 8192, special));
  }
}

TEST_P(EveryFeedback, ReadsBfloat16LikeItsFloats) {
  for (const std::size_t elements : {1u, 513u, 9001u}) {
    const std::vector<Bf16> values = as_bf16(awkward_values(elements));
    expect_reference(GetParam().encode_feedback_bf16_async, {}, values,
                     awkward_values(elements, 4));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFeedback, testing::ValuesIn(codecs_with_feedback()),
                         [](const auto& row) { return std::string(row.param.codec->name); });

TEST(FeedbackKernels, RefuseFormatsWithoutKernels) {
  EXPECT_THROW(encode_feedback_async(codec_named("int4_g128_hadamard_sr").format, {},
                                     Tensor<const float>{nullptr, 100}, nullptr, {}, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
