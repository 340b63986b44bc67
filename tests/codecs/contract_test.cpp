// What every row of the registry promises, whatever its format.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "codecs/group/group.hpp"
#include "codecs/group/steps.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

class EveryCodec : public testing::TestWithParam<const Codec*> {
 protected:
  const Codec& codec() const { return *GetParam(); }
  bool sparse() const { return codec().format.keep > 0; }
  bool drawn() const { return codec().format.choice == Choice::random; }
  bool stochastic() const { return codec().format.rounding == Rounding::stochastic; }
};

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

TEST_P(EveryCodec, BytesPerElementIsTheLimitOfEncodedBytes) {
  const std::size_t elements = std::size_t{1} << 40;  // 64-bit sizes throughout
  constexpr double kHeader = 32;                      // of a tensor, not of its elements
  EXPECT_NEAR(static_cast<double>(encoded_bytes(codec().format, elements)),
              encoded_bytes_per_element(codec().format) * static_cast<double>(elements), kHeader);
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

TEST_P(EveryCodec, DrawsOtherBitsForEveryPartOfTheKeyIfStochastic) {
  const std::vector<float> values = normal_values(5000);
  const auto base = encoded(codec(), values, {});
  for (const RandomKey& key :
       {RandomKey{.seed = 1}, RandomKey{.seed = std::uint64_t{1} << 40}, RandomKey{.step = 1},
        RandomKey{.tensor = 1}, RandomKey{.rank = 1}, RandomKey{.first_element = 16}}) {
    // Which elements travel is drawn by all ranks alike.
    const bool draws = drawn() ? key.rank == 0 : stochastic();
    EXPECT_EQ(encoded(codec(), values, key) != base, draws);
  }
}

// The bounds of codecs/group/group.hpp and codecs/bf16/bf16.hpp; fp32 is exact.
TEST_P(EveryCodec, ErrorStaysBelowItsBound) {
  const Format& format = codec().format;
  if (sparse()) GTEST_SKIP() << "bounded as a whole: tests/codecs/top_k_test.cpp";
  for (const std::size_t elements : edge_lengths(format)) {
    std::vector<float> values = draw(distribution_named("student_t3"), 11, elements);
    const std::vector<float> out = decoded(codec(), encoded(codec(), values), elements);
    for (std::size_t i = 0; i < elements; ++i) {
      double bound = format.element == Element::fp32 ? 0 : std::abs(values[i]) * 0x1p-8;
      if (format.group > 1) {
        const auto group = group_values(format, values, i / format.group);
        const double largest_code = (1 << (bits_of(format.element) - 1)) - 1;
        const double step = group.abs().maxCoeff() / largest_code;
        bound = step * (stochastic() ? 1 + 0x1p-8 : 0.5) * (1 + 1e-5);
      }
      ASSERT_LE(std::abs(out[i] - values[i]), bound) << elements << " " << i;
    }
  }
}

TEST_P(EveryCodec, DecodesDenormalsToAlmostNothing) {
  std::vector<float> values(300, std::numeric_limits<float>::denorm_min());
  values[7] = -0x1p-127f;
  const std::vector<float> out = decoded(codec(), encoded(codec(), values), 300);
  const bool exact = codec().format.element == Element::fp32 && !sparse();
  // bf16 keeps denormals to half its last place, 2^-134; group codecs flush groups this tiny;
  // top-k sends some.
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_LE(std::abs(out[i] - values[i]), exact ? 0 : 0x1p-127f) << i;
    EXPECT_TRUE(std::isfinite(out[i]));
  }
}

TEST_P(EveryCodec, LosesNoNaNAndNoInfinity) {
  const Format& format = codec().format;
  if (drawn()) GTEST_SKIP() << "what is not drawn stays behind";
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    const std::size_t elements = 3 * format.group + 3;
    const std::size_t at = format.group + format.group / 2;
    std::vector<float> values = normal_values(elements);
    values[at] = special;
    const std::vector<float> out = decoded(codec(), encoded(codec(), values), elements);
    for (std::size_t i = 0; i < elements; ++i) {
      if (sparse()) {  // it travels, and reaches no further than its scale
        const bool far = i / format.group != 1 && format.element != Element::codebook2;
        EXPECT_TRUE(i == at ? !std::isfinite(out[i]) : !far || std::isfinite(out[i]));
      } else if (format.group > 1) {  // the whole group is NaN, and no other
        EXPECT_EQ(std::isnan(out[i]), i / format.group == 1) << i;
      } else if (i == at) {
        EXPECT_TRUE(std::isnan(special) ? std::isnan(out[i]) : out[i] == special);
      } else {
        EXPECT_TRUE(std::isfinite(out[i]));
      }
    }
  }
}

TEST_P(EveryCodec, EncodesATensorInPiecesLikeTheWhole) {
  const Format& format = codec().format;
  if (format.element == Element::codebook2) GTEST_SKIP() << "a codebook is of what it encodes";
  const std::size_t part = 2 * std::max<std::size_t>(format.group, 32);
  const std::vector<float> values = normal_values(2 * part);
  const std::vector<float> whole = decoded(codec(), encoded(codec(), values, {}), 2 * part);
  const std::span second = std::span(values).subspan(part);
  const std::vector<float> piece =
      decoded(codec(), encoded(codec(), second, {.first_element = part}), part);
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<long>(part)));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCodec,
                         testing::ValuesIn(all_codecs().begin(), all_codecs().end()),
                         [](const auto& row) { return std::string(row.param->name); });

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
