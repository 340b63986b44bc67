// SPDX-License-Identifier: Apache-2.0
// What kernels are held against: pieces of a tensor stand for the whole where the codec allows it.
#include "apps/calibrate/pieces.hpp"

#include <gtest/gtest.h>

#include "codecs/difference/difference.hpp"
#include "codecs/group/group.hpp"

namespace calibrate {
namespace {

TEST(Pattern, RepeatsItself) {
  const Pattern pattern;
  EXPECT_EQ(pattern.input({0, 100}), pattern.input({3 * kPattern, 100}));
  const auto across = pattern.input({kPattern - 1, 2});
  EXPECT_EQ(across[0], pattern.input({kPattern - 1, 1})[0]);
  EXPECT_EQ(across[1], pattern.input({0, 1})[0]);
  EXPECT_EQ(pattern.model({5, 1})[0], pattern.model({kPattern + 5, 1})[0]);
}

TEST(Pieces, AreThoseOfTheWholeWhereACodecSplits) {
  const Pattern pattern;
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    if (!splits(*codec)) continue;
    const std::size_t part = piece_elements(codec->format), whole = 4 * part;
    const auto all = round_trip(*codec, pattern.input({0, whole}), key_of(1, 0));
    const auto one = round_trip(*codec, pattern.input({2 * part, part}), key_of(1, 2 * part));
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + 2 * static_cast<long>(part)))
        << codec->name;
  }
}

TEST(Pieces, AreNoneWhereTheWholeTensorCounts) {
  // All values over the tensor's largest: a piece has another scale.
  codecs::Codec whole = codecs::int8_g128;
  whole.encode = [](const codecs::Format& format, std::span<const float> values,
                    const codecs::RandomKey& key, std::span<std::byte> wire) {
    std::vector<float> clipped(values.size(), values.empty() ? 0 : values[0]);
    codecs::encode_groups(format, clipped, key, wire);
  };
  EXPECT_FALSE(splits(whole));
  EXPECT_TRUE(sample(whole, 2 * kWhole).empty());
  EXPECT_EQ(sample(whole, kWhole).size(), 1u) << "a small tensor is compared whole";
}

TEST(Sample, HasTheFirstAndTheLastValues) {
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    const std::size_t elements = 8 * kWhole + 100;
    const auto pieces = sample(*codec, elements);
    if (pieces.empty()) continue;
    EXPECT_EQ(pieces.front().first, 0u);
    EXPECT_EQ(pieces.back().first + pieces.back().count, elements);
    EXPECT_EQ(pieces.back().first % piece_elements(codec->format), 0u);
  }
}

TEST(WeightReferences, AreThoseOfTheDifferenceCodec) {
  const Pattern pattern;
  const Piece piece{0, 4096};
  std::vector<codecs::Bf16> master;
  for (const float value : pattern.input(piece)) master.push_back(codecs::to_bf16(value));
  std::vector<codecs::Bf16> model = pattern.model(piece);
  const codecs::Codec& codec = codecs::int4_g128_sr;
  std::vector<std::byte> wire(codecs::encoded_bytes(codec.format, piece.count));
  codecs::encode_difference(codec.format, pattern.input(piece), model, key_of(0, 0), wire);
  const auto decoded = round_trip(codec, differences(master, model), key_of(0, 0));
  const auto sum = added(model, decoded);
  codecs::decode_add(codec.format, wire, model);
  EXPECT_EQ(sum, model);
}

TEST(Agreement, IsOfAllCodesButNotOfTheOrderOfSums) {
  std::vector<float> values(4096, 1.0f);
  std::vector<float> other = values;
  other[7] *= 1 + 0x1p-22f;
  EXPECT_TRUE(agree({}, values, other));
  other[7] = 1 + 2.0f / 127;  // one wrong code of 8 bits
  EXPECT_FALSE(agree({}, values, other));
  EXPECT_FALSE(agree({}, values, std::vector<float>(4095, 1.0f)));
  other[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(agree({}, values, other));
}

}  // namespace
}  // namespace calibrate
