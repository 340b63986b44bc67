// SPDX-License-Identifier: Apache-2.0
// What every row of the registry promises, whatever its format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "codecs/error/feedback_error.hpp"
#include "codecs/group/group.hpp"
#include "docs/examples/codec-as-folder/mxint8/mxint8.hpp"
#include "tests/codecs/bounds.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

bool is_rotated(const Format& format) { return format.rotation == Rotation::random_signs; }
bool is_drawn(const Format& format) { return format.choice == Choice::random; }

bool is_grouped(const Format& format) { return format.layout == &kGroupLayout; }

// Of each value. Other layouts' bounds are in the tests of their folders, as those of rotated
// blocks and of chunks of which a part travels.
bool has_bounds(const Format& format) { return is_grouped(format); }
// Drawn elements leave the others behind, whatever they are.
bool looks_at_all(const Format& format) { return !is_drawn(format); }
// Means and codebooks are of what is encoded together.
bool fits_in_pieces(const Format& format) {
  const bool means = format.element == Element::sign || format.scale == Scale::clipped;
  return format.element != Element::codebook2 && !(means && format.group == kWholeTensor);
}

std::vector<const Codec*> codecs_where(bool (*holds)(const Format&)) {
  std::vector<const Codec*> codecs;
  std::ranges::copy_if(all_codecs(), std::back_inserter(codecs),
                       [&](const Codec* codec) { return holds(codec->format); });
  return codecs;
}

class EveryCodec : public testing::TestWithParam<const Codec*> {
 protected:
  const Codec& codec() const { return *GetParam(); }
  bool rotated() const { return is_rotated(codec().format); }
  bool drawn() const { return is_drawn(codec().format); }
  bool stochastic() const { return codec().format.rounding == Rounding::stochastic; }
};
class EveryBoundedCodec : public EveryCodec {};
class EveryCodecOfAllValues : public EveryCodec {};
class EveryCodecOfPieces : public EveryCodec {};

TEST_P(EveryCodec, FillsExactlyItsEncodedBytes) {
  constexpr std::size_t kGuard = 64;
  for (const std::size_t elements : edge_lengths(codec().format)) {
    const std::size_t bytes = encoded_bytes(codec().format, elements);
    const std::vector<float> values = normal_values(elements);
    // Twice over different garbage: every byte is written, none outside is.
    std::vector<std::vector<std::byte>> wires;
    for (const std::byte garbage : {std::byte{0xA5}, std::byte{0x5A}}) {
      std::vector<std::byte> buffer(bytes + 2 * kGuard, garbage);
      codec().encode(codec().format, values, {}, std::span(buffer).subspan(kGuard, bytes));
      for (std::size_t i = 0; i < kGuard; ++i) {
        ASSERT_EQ(buffer[i], garbage) << elements;
        ASSERT_EQ(buffer[kGuard + bytes + i], garbage) << elements;
      }
      wires.emplace_back(buffer.begin() + kGuard, buffer.end() - kGuard);
    }
    EXPECT_EQ(wires[0], wires[1]) << elements;
  }
}

// What a tensor has once, and padding, are constant.
TEST_P(EveryCodec, BytesPerElementIsTheLimitOfEncodedBytes) {
  const std::size_t elements = std::size_t{1} << 40;  // 64-bit sizes throughout
  EXPECT_NEAR(static_cast<double>(encoded_bytes(codec().format, elements)),
              encoded_bytes_per_element(codec().format) * static_cast<double>(elements), 64);
}

TEST_P(EveryCodec, RefusesAWireOfAnotherSize) {
  const std::vector<float> values = normal_values(300);
  std::vector<std::byte> wire(encoded_bytes(codec().format, 300) + 1);
  std::vector<float> out(300);
  EXPECT_THROW(codec().encode(codec().format, values, {}, wire), std::invalid_argument);
  EXPECT_THROW(codec().decode(codec().format, wire, out), std::invalid_argument);
}

TEST_P(EveryCodec, KeepsZerosExactly) {
  const std::vector<float> zeros(1000, 0.0f);
  for (const float value : decoded(codec(), encoded(codec(), zeros), 1000)) EXPECT_EQ(value, 0);
}

TEST_P(EveryCodec, IsDeterministic) {
  const std::vector<float> values = normal_values(5000);
  EXPECT_EQ(encoded(codec(), values, {.seed = 3}), encoded(codec(), values, {.seed = 3}));
}

TEST_P(EveryCodec, DrawsOtherBitsForEveryPartOfTheKeyIfItDrawsAny) {
  const std::vector<float> values = normal_values(5000);
  const auto base = encoded(codec(), values, {});
  for (const RandomKey& key :
       {RandomKey{.seed = 1}, RandomKey{.seed = std::uint64_t{1} << 40}, RandomKey{.step = 1},
        RandomKey{.tensor = 1}, RandomKey{.rank = 1}, RandomKey{.first_element = 16}}) {
    const bool signs = rotated() && key.rank == 0;  // all ranks have the same
    // Which elements travel is drawn by all ranks alike.
    const bool draws = drawn() ? key.rank == 0 : stochastic() || signs;
    EXPECT_EQ(encoded(codec(), values, key) != base, draws);
  }
}

TEST_P(EveryBoundedCodec, ErrorStaysBelowItsBound) {
  const Format& format = codec().format;
  for (const char* distribution : {"normal", "lognormal"}) {
    const std::vector<float> drawn = draw(distribution_named(distribution), 11, 100'003);
    for (const std::size_t elements : edge_lengths(format)) {
      const std::span values = std::span(drawn).first(elements);
      const std::vector<float> out = decoded(codec(), encoded(codec(), values), elements);
      const std::vector<double> bounds = error_bounds(format, values);
      for (std::size_t i = 0; i < elements; ++i) {
        ASSERT_LE(std::abs(out[i] - values[i]), bounds[i]) << elements << " " << i;
      }
    }
  }
}

TEST_P(EveryCodec, DecodesDenormalsToAlmostNothing) {
  std::vector<float> values(300, std::numeric_limits<float>::denorm_min());
  values[7] = -0x1p-127f;
  const std::vector<float> out = decoded(codec(), encoded(codec(), values), 300);
  const bool exact = codec().format.element == Element::fp32 && is_grouped(codec().format);
  // bf16 keeps denormals to half its last place, 2^-134; group codecs flush groups this tiny, or
  // replace them by their minimum; top-k sends some.
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_LE(std::abs(out[i] - values[i]), exact ? 0 : 0x1p-126f) << i;
    EXPECT_TRUE(std::isfinite(out[i]));
  }
}

// A group that holds one is NaN throughout, and no other. Elements without a group keep theirs, or
// make a NaN of an infinity.
TEST_P(EveryCodecOfAllValues, LosesNoNaNAndNoInfinity) {
  const Format& format = codec().format;
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    const std::size_t group = group_elements(format);
    const std::size_t elements = 3 * group + 3;
    const std::size_t at = group + group / 2;
    std::vector<float> values = normal_values(elements);
    values[at] = special;
    const std::vector<float> out = decoded(codec(), encoded(codec(), values), elements);
    for (std::size_t i = 0; i < elements; ++i) {
      if (!is_grouped(format) && !rotated()) {  // it travels, and reaches no further than its scale
        const bool far = i / format.group != 1 && format.element != Element::codebook2;
        EXPECT_TRUE(i == at ? !std::isfinite(out[i]) : !far || std::isfinite(out[i]));
      } else if (group > 1) {
        EXPECT_EQ(std::isnan(out[i]), scales_tensor(format) || i / group == 1) << i;
      } else if (i == at) {
        EXPECT_TRUE(std::isnan(out[i]) || out[i] == special);
      } else {
        EXPECT_TRUE(std::isfinite(out[i]));
      }
    }
  }
}

TEST_P(EveryCodecOfPieces, EncodesATensorInPiecesLikeTheWhole) {
  const Format& format = codec().format;
  const std::size_t part = 2 * std::lcm(group_elements(format), std::size_t{32});
  std::vector<float> values = normal_values(2 * part);
  for (const std::size_t first : {std::size_t{0}, part}) {
    // A scale of the tensor, of rotated values too, is the same in every piece.
    std::fill_n(values.begin() + static_cast<long>(first), 32, 0.0f);
    values[first] = 100;
  }
  const std::vector<float> whole = decoded(codec(), encoded(codec(), values, {}), 2 * part);
  const std::span second = std::span(values).subspan(part);
  const std::vector<float> piece =
      decoded(codec(), encoded(codec(), second, {.first_element = part}), part);
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<long>(part)));
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float x) { return std::isfinite(x); });
}

// A rank's residual after steps of the rule, and what the last of them sent.
struct Fed {
  std::vector<float> residual, sent;
  void step(const Codec& codec, const Feedback& rule, std::span<const float> values) {
    residual.resize(values.size());
    std::vector<std::byte> wire(encoded_bytes(codec.format, values.size()));
    encode_with_feedback(codec, rule, values, {}, residual, wire);
    sent = decoded(codec, wire, values.size());
  }
};

// Whatever a step that is not finite had to send is lost, and nothing else: where all of it was
// spoiled, the next step sends what it would have sent without it.
TEST_P(EveryCodec, FeedbackOutlivesNaNsAndInfinities) {
  const std::size_t elements = 2 * group_elements(codec().format) + 3;
  const float infinity = std::numeric_limits<float>::infinity();
  for (const FeedbackRule& rule : feedback_rules(codec().format)) {
    for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
      Fed without;
      without.step(codec(), rule.feedback, normal_values(elements, 1));
      Fed with = without;
      std::vector<float> values = normal_values(elements, 2);
      values[elements / 2] = special;
      with.step(codec(), rule.feedback, values);
      bool all_spoiled = true;
      for (std::size_t i = 0; i < elements; ++i) {
        const bool spoiled = i == elements / 2 || !std::isfinite(with.sent[i]);
        EXPECT_TRUE(spoiled ? with.residual[i] == without.residual[i]
                            : std::isfinite(with.residual[i]))
            << rule.name << " " << i;
        all_spoiled = all_spoiled && spoiled;
      }
      with.step(codec(), rule.feedback, normal_values(elements, 3));
      EXPECT_TRUE(all_finite(with.sent) && all_finite(with.residual)) << rule.name;
      without.step(codec(), rule.feedback, normal_values(elements, 3));
      EXPECT_TRUE(!all_spoiled || with.sent == without.sent) << rule.name;
    }
  }
}

std::string name_of(const testing::TestParamInfo<const Codec*>& row) {
  return std::string(row.param->name);
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryCodec,
                         testing::ValuesIn(all_codecs().begin(), all_codecs().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryBoundedCodec, testing::ValuesIn(codecs_where(has_bounds)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryCodecOfAllValues,
                         testing::ValuesIn(codecs_where(looks_at_all)), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryCodecOfPieces,
                         testing::ValuesIn(codecs_where(fits_in_pieces)), name_of);
// A codec that no other folder knows of, with a layout of its own.
INSTANTIATE_TEST_SUITE_P(Example, EveryCodec, testing::Values(&mxint8), name_of);
INSTANTIATE_TEST_SUITE_P(Example, EveryCodecOfAllValues, testing::Values(&mxint8), name_of);
INSTANTIATE_TEST_SUITE_P(Example, EveryCodecOfPieces, testing::Values(&mxint8), name_of);

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Codec* codec : all_codecs()) {
    EXPECT_TRUE(names.insert(codec->name).second) << codec->name;
    EXPECT_EQ(&codec_named(codec->name), codec);
    EXPECT_FALSE(codec->summary.empty());
  }
}

TEST(Registry, AnUnknownNameTellsTheKnownOnes) {
  try {
    (void)codec_named("int4");
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("int4_g2048_sr"), std::string::npos);
  }
}

// What tables call a format is what the registry calls it, so no two rows may share one.
TEST(Registry, NamesEveryFormatOnce) {
  for (const Codec* codec : all_codecs()) EXPECT_EQ(format_name(codec->format), codec->name);
}

TEST(Registry, NamesFormatsThatHaveNoRow) {
  Format format = int4_g128_hadamard_sr.format;
  format.group = 512;
  EXPECT_EQ(format_name(format), "int4_g512_hadamard_sr");
}

}  // namespace
}  // namespace codecs
