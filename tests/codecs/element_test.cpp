// SPDX-License-Identifier: Apache-2.0
#include "codecs/element/element.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "codecs/element/tables.hpp"
#include "codecs/random/random.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool is_table(Element element) { return element == Element::nf4 || element == Element::dynamic8; }
bool is_integer(Element element) {
  return element == Element::int8 || element == Element::int4 || element == Element::int2;
}

// Values of all codes that the encoder uses, in ascending order; +0 stands for -0.
std::map<float, std::uint32_t> grid_of(Element element) {
  std::map<float, std::uint32_t> grid;
  for (std::uint32_t code = 0; code < 1u << bits_of(element); ++code) {
    const float value = value_of(element, code);
    const bool unused = is_integer(element) && value < -largest_value(element);
    if (std::isfinite(value) && !unused) grid.emplace(value, code);
  }
  return grid;
}

class EveryElement : public testing::TestWithParam<Element> {};

TEST_P(EveryElement, CodesEveryValueOfItsGridAsItself) {
  for (std::uint32_t code = 0; code < 1u << bits_of(GetParam()); ++code) {
    const float value = value_of(GetParam(), code);
    if (!std::isfinite(value) || (is_integer(GetParam()) && value < -largest_value(GetParam()))) {
      continue;
    }
    EXPECT_EQ(nearest_code(GetParam(), value), code) << value;
  }
}

TEST_P(EveryElement, HasTheLargestValueAtTheGridsEnd) {
  const auto grid = grid_of(GetParam());
  EXPECT_EQ(grid.rbegin()->first, largest_value(GetParam()));
  if (!is_table(GetParam())) {
    EXPECT_EQ(grid.begin()->first, -largest_value(GetParam()));
  }
}

// Between two neighbours, the nearest is one until the middle and the other from there; the middle
// itself goes to the even code (to the lower value of tables). The 0 of power_of_two is what the
// exponent below its smallest value stands for, so it has no neighbours.
TEST_P(EveryElement, RoundsToTheNearestAndTiesToEven) {
  const auto grid = grid_of(GetParam());
  for (auto low = grid.begin(); std::next(low) != grid.end(); ++low) {
    const auto high = std::next(low);
    if (GetParam() == Element::power_of_two && low->first * high->first == 0) continue;
    const float middle = (low->first + high->first) / 2;
    const auto nearest = [&](float value) {
      return value_of(GetParam(), nearest_code(GetParam(), value));
    };
    EXPECT_EQ(nearest(std::nextafter(middle, -kInfinity)), low->first);
    EXPECT_EQ(nearest(std::nextafter(middle, kInfinity)), high->first);
    const bool lower = is_table(GetParam()) || low->second % 2 == 0;
    EXPECT_EQ(nearest(middle), lower ? low->first : high->first) << middle;
  }
}

class FloatingElement : public EveryElement {};

TEST_P(FloatingElement, SaturatesOrOverflowsBeyondItsGrid) {
  const float above = value_of(GetParam(), nearest_code(GetParam(), 2 * largest_value(GetParam())));
  EXPECT_EQ(above, GetParam() == Element::fp16 ? kInfinity : largest_value(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Elements, EveryElement,
                         testing::Values(Element::fp16, Element::e4m3, Element::e5m2, Element::e2m1,
                                         Element::int8, Element::int4, Element::int2, Element::nf4,
                                         Element::dynamic8, Element::power_of_two));
INSTANTIATE_TEST_SUITE_P(Elements, FloatingElement,
                         testing::Values(Element::fp16, Element::e4m3, Element::e5m2, Element::e2m1,
                                         Element::power_of_two));

TEST(SmallFloats, KeepWhatIsNotFiniteAsTheirHardwareDoes) {
  EXPECT_EQ(nearest_code(Element::e4m3, kNaN), kFp8NaN);
  EXPECT_EQ(nearest_code(Element::e5m2, -kNaN), kFp8NaN);
  EXPECT_EQ(nearest_code(Element::fp16, -kNaN), kFp16NaN);
  EXPECT_EQ(nearest_code(Element::e4m3, -kInfinity), 0xFEu);  // -448
  EXPECT_EQ(nearest_code(Element::e5m2, kInfinity), 0x7Bu);   // 57344
  EXPECT_EQ(nearest_code(Element::fp16, -kInfinity), 0xFC00u);
  EXPECT_TRUE(std::isnan(value_of(Element::e4m3, 0x7F)));
  EXPECT_EQ(value_of(Element::e5m2, 0xFC), -kInfinity);
  EXPECT_TRUE(std::isnan(value_of(Element::fp16, 0x7C01)));
}

// OCP 8-bit floating point specification, tables 1 and 2; IEEE 754 for FP16.
TEST(SmallFloats, HaveTheStandardsExtremes) {
  EXPECT_EQ(largest_value(Element::e4m3), 448);
  EXPECT_EQ(largest_value(Element::e5m2), 57344);
  EXPECT_EQ(largest_value(Element::fp16), 65504);
  EXPECT_EQ(value_of(Element::e4m3, 0x01), 0x1p-9f);
  EXPECT_EQ(value_of(Element::e5m2, 0x01), 0x1p-16f);
  EXPECT_EQ(value_of(Element::fp16, 0x01), 0x1p-24f);
  const std::vector<float> e2m1{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(value_of(Element::e2m1, code), e2m1[code]);
    EXPECT_EQ(value_of(Element::e2m1, code | 8u), -e2m1[code]);
  }
}

// Decade i of 7 has 2^i values of each sign; the largest parts are 0.9/64 wide.
TEST(Dynamic8, HasTheMapsDecades) {
  EXPECT_TRUE(std::is_sorted(kDynamic8Values.begin(), kDynamic8Values.end()));
  EXPECT_EQ(kDynamic8Values[kDynamic8Zero], 0);
  EXPECT_EQ(kNf4Values[kNf4Zero], 0);
  EXPECT_EQ(kDynamic8Values.back(), 1);
  EXPECT_FLOAT_EQ(kDynamic8Values.front(), -(1 - 0.9f / 128));
  for (int i = 0; i < 7; ++i) {
    const auto decade = static_cast<float>(std::pow(10, i - 6));
    const auto inside = [&](float value) { return value > 0.1f * decade && value < decade; };
    EXPECT_EQ(std::count_if(kDynamic8Values.begin(), kDynamic8Values.end(), inside), 1 << i);
  }
}

// What is rounded to 1/256 of a step, averaged over all bytes, is exact: what is left is that
// rounding, half of 1/256.
TEST(StochasticCodes, AreUnbiasedToAHalf256thOverAllBytes) {
  struct Case {
    Element element;
    float value;
    double step;  // between the values around it
  };
  for (const Case& one :
       {Case{Element::int8, -100.3f, 1}, Case{Element::int4, 6.998f, 1},
        Case{Element::int2, 0.01f, 1}, Case{Element::e2m1, 0.3f, 0.5},
        Case{Element::e2m1, -1.99f, 0.5}, Case{Element::e2m1, 2.7f, 1},
        Case{Element::e2m1, -3.999f, 1}, Case{Element::e2m1, 4.001f, 2},
        Case{Element::e2m1, 5.9f, 2}, Case{Element::power_of_two, 1.2345f, 1},
        Case{Element::power_of_two, -300.0f, 256}, Case{Element::power_of_two, 1e-9f, 0x1p-30}}) {
    double sum = 0;
    for (int byte = 0; byte < 256; ++byte) {
      const auto random = static_cast<std::uint8_t>(byte);
      const double value = value_of(one.element, stochastic_code(one.element, one.value, random));
      ASSERT_LT(std::abs(value - one.value), one.step * (1 + 0x1p-8));
      sum += value / 256;
    }
    EXPECT_NEAR(sum, one.value, one.step / 512 * (1 + 1e-6)) << one.value;
  }
}

TEST(StochasticCodes, AreUnbiasedToA256thOver10To6Draws) {
  constexpr int kDraws = 1'000'000;
  RandomBytes random({.seed = 5});
  for (const float value : {0.2f, -1.3f, 2.9f, -5.0f}) {
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto byte = random(static_cast<std::uint64_t>(i));
      sum += value_of(Element::e2m1, stochastic_code(Element::e2m1, value, byte));
    }
    const double step = std::abs(value) < 2 ? 0.5 : std::abs(value) < 4 ? 1 : 2;
    EXPECT_NEAR(sum / kDraws, value, step / 256) << value;
  }
}

TEST(StochasticCodes, LeaveValuesOfTheGridAlone) {
  for (const Element element : {Element::int4, Element::e2m1, Element::power_of_two}) {
    for (const auto& [value, code] : grid_of(element)) {
      for (const std::uint8_t byte : {std::uint8_t{0}, std::uint8_t{255}}) {
        EXPECT_EQ(value_of(element, stochastic_code(element, value, byte)), value);
      }
    }
  }
}

TEST(StochasticCodes, AreNotThereForTables) {
  EXPECT_THROW((void)stochastic_code(Element::nf4, 0.5f, 0), std::invalid_argument);
  EXPECT_THROW((void)nearest_code(Element::sign, 0.5f), std::invalid_argument);
}

TEST(Natural, SaturatesAndFlushesAtItsExponents) {
  const std::vector<float> values{0x1p20f, -0x1p17f, 0x1p-108f, 0x1p-110f, -0.0f, kInfinity};
  const auto out = decoded(natural, encoded(natural, values), values.size());
  EXPECT_EQ(out[0], 0x1p17f);
  EXPECT_EQ(out[1], -0x1p17f);
  EXPECT_EQ(out[2], 0x1p-108f);
  EXPECT_EQ(out[3], 0);
  EXPECT_EQ(out[4], 0);
  EXPECT_TRUE(std::isnan(out[5]));
}

}  // namespace
}  // namespace codecs
