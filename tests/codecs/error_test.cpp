// Errors of the codecs on synthetic tensors, against figures that were computed independently
// (numpy, 2^21 float32 values, another generator), and against the committed table.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/error/table.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

// Recomputed once for all tests of this file.
const Json& recomputed() {
  static const Json table = error_table({});
  return table;
}

double relative_l2(const std::string& section, const std::string& row, const std::string& column) {
  return recomputed().at(section).at(row).at(column).at("relative_l2");
}

struct Expected {
  const char* codec;
  std::array<double, 8> relative_l2;  // in the order of kColumns
};
constexpr std::array kColumns{"normal",     "laplace", "rowscale",   "uniform",
                              "student_t5", "outlier", "student_t3", "lognormal"};
constexpr std::array kExpected{
    Expected{"int8_g128", {0.00647, 0.00896, 0.00651, 0.00389, 0.00949, 0.01466, 0.01355, 0.01933}},
    Expected{"int8_g128_sr",
             {0.00914, 0.01267, 0.00921, 0.00550, 0.01343, 0.02074, 0.01919, 0.02805}},
    Expected{"int8_g128_hadamard_sr",
             {0.00913, 0.00918, 0.00909, 0.00911, 0.00918, 0.00889, 0.00910, 0.00821}},
    Expected{"int4_g128", {0.11735, 0.16068, 0.11791, 0.07067, 0.17182, 0.21136, 0.22458, 0.19191}},
    Expected{"int4_g128_sr",
             {0.16587, 0.22849, 0.16705, 0.09990, 0.24316, 0.33500, 0.32950, 0.34144}},
    Expected{"int4_g128_hadamard_sr",
             {0.16562, 0.16655, 0.16496, 0.16542, 0.16659, 0.16139, 0.16492, 0.14831}},
    Expected{"int4_g2048",
             {0.15065, 0.23721, 0.15323, 0.07145, 0.30724, 0.61778, 0.46580, 0.37655}},
    Expected{"int4_g2048_sr",
             {0.21302, 0.33871, 0.21579, 0.10097, 0.43706, 1.04473, 0.73605, 0.76393}},
    Expected{"bf16", {0.00166, 0.00166, 0.00167, 0.00148, 0.00166, 0.00165, 0.00165, 0.00162}},
};

// Light tails agree within 3 %; in heavy ones the largest values of a sample decide, so 6 %.
TEST(ErrorTable, AgreesWithTheIndependentFigures) {
  for (const Expected& row : kExpected) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const double tolerance = i < 4 ? 0.03 : 0.06;
      EXPECT_NEAR(relative_l2("codecs", row.codec, kColumns[i]), row.relative_l2[i],
                  tolerance * row.relative_l2[i])
          << row.codec << " " << kColumns[i];
    }
  }
}

// A uniform value's rounding error is uniform within a step of amax / 7, and |x| is uniform up to
// 1: nearest gives sqrt(1/12 / (1/3)) / 7 = 0.0714, stochastic sqrt(2) times that, where amax is 1.
TEST(ErrorTable, AgreesWithTheClosedFormOnUniformValues) {
  EXPECT_NEAR(relative_l2("codecs", "int4_g2048", "uniform"), 0.5 / 7, 0.0005);
  EXPECT_NEAR(relative_l2("codecs", "int4_g2048_sr", "uniform"), std::sqrt(2.0) * 0.5 / 7, 0.0005);
}

// Nearest rounding of a symmetric tensor has a mean error where the grid is not symmetric, and one
// that does not average out where the values of a group are all shifted by its minimum.
bool may_be_biased(const Format& format) {
  return format.rounding == Rounding::nearest &&
         (format.scale == Scale::amax_full || format.scale == Scale::min_max ||
          format.element == Element::nf4 || format.element == Element::dynamic8);
}

// Mean over 2^20 values of an error whose relative size is e: e / 1024 if unbiased; five times.
TEST(ErrorTable, NoCodecIsBiasedOnASymmetricGridOrWithStochasticRounding) {
  for (const auto& [name, columns] : recomputed().at("codecs").items()) {
    if (may_be_biased(codec_named(name).format)) continue;
    for (const auto& [column, metrics] : columns.items()) {
      EXPECT_LE(std::abs(metrics.at("bias").get<double>()),
                5 * metrics.at("relative_l2").get<double>() / 1024)
          << name << " " << column;
    }
  }
}

TEST(ErrorTable, ReductionsAgreeWithTheIndependentFigures) {
  struct Row {
    const char* reduction;
    std::array<double, 6> relative_l2;
  };
  constexpr std::array columns{"normal",     "normal_half_common",
                               "student_t3", "student_t3_half_common",
                               "outlier",    "outlier_half_common"};
  constexpr std::array rows{Row{"TLq", {0.1663, 0.0870, 0.2602, 0.1709, 0.3408, 0.1738}},
                            Row{"TLq-HS", {0.1661, 0.0866, 0.1661, 0.0863, 0.1656, 0.0846}},
                            Row{"ULq", {0.2362, 0.0960, 0.4209, 0.1874, 0.4764, 0.1946}}};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      EXPECT_NEAR(relative_l2("reductions", row.reduction, columns[i]), row.relative_l2[i],
                  (i < 2 ? 0.03 : 0.06) * row.relative_l2[i])
          << row.reduction << " " << columns[i];
    }
  }
}

TEST(ErrorTable, TwoLevelsBeatOneAndTheTransformHelpsOnHeavyTails) {
  for (const char* column : {"normal", "student_t3", "outlier"}) {
    EXPECT_LT(relative_l2("reductions", "TLq", column), relative_l2("reductions", "ULq", column));
  }
  for (const char* column : {"student_t3", "outlier"}) {
    EXPECT_LT(relative_l2("reductions", "TLq-HS", column),
              0.7 * relative_l2("reductions", "TLq", column));
  }
}

// Independent figures of the same trace with 2^18 weights: bf16 1.66e-3 and 1.65e-3, weights 0.21,
// differences 1.89e-3 and 1.70e-3.
TEST(ErrorTable, WeightsAgreeWithTheIndependentFigures) {
  EXPECT_NEAR(relative_l2("weights", "bf16", "lr_6e-4"), 1.66e-3, 0.05e-3);
  EXPECT_NEAR(relative_l2("weights", "qW", "lr_6e-4"), 0.21, 0.01);
  EXPECT_NEAR(relative_l2("weights", "qWD", "lr_6e-4"), 1.89e-3, 0.06 * 1.89e-3);
  EXPECT_NEAR(relative_l2("weights", "qWD", "lr_6e-5"), 1.70e-3, 0.06 * 1.70e-3);
}

void expect_close(const Json& actual, const Json& expected, const std::string& path) {
  if (expected.is_object()) {
    ASSERT_EQ(actual.size(), expected.size()) << path;
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(key)) << path << "/" << key;
      expect_close(actual.at(key), value, path + "/" + key);
    }
  } else if (expected.is_number_float()) {
    // Another libm may move single values by a last digit, and with them single codes.
    const double scale = std::abs(expected.get<double>());
    EXPECT_NEAR(actual.get<double>(), expected.get<double>(), 1e-3 * scale + 1e-6) << path;
  } else {
    EXPECT_EQ(actual, expected) << path;
  }
}

// A codec that changed without its table would fail here: run gardenhose-codec-error.
TEST(ErrorTable, CommittedFileIsCurrent) {
  std::ifstream file(std::string(SOURCE_DIR) + "/traces/calibration/codec_error.json");
  ASSERT_TRUE(file);
  expect_close(Json::parse(file), recomputed(), "");
}

}  // namespace
}  // namespace codecs
