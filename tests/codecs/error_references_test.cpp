// SPDX-License-Identifier: Apache-2.0
// The committed table of errors agrees with figures that were computed independently: numpy, 2^21
// float32 values of another generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"
#include "codecs/error/distributions.hpp"
#include "tests/codecs/error_table.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

struct Reference {
  double relative_l2 = 0;
  double cosine = 0;
};
using References = std::map<std::string, std::map<std::string, Reference>>;

const References& references() {
  static const References rows = [] {
    std::ifstream file(std::string(SOURCE_DIR) + "/tests/codecs/reference_errors.csv");
    References read;
    std::string codec, distribution, relative, cosine;
    std::getline(file, codec);
    while (std::getline(file, codec, ',') && std::getline(file, distribution, ',') &&
           std::getline(file, relative, ',') && std::getline(file, cosine)) {
      read[codec][distribution] = {std::stod(relative), std::stod(cosine)};
    }
    return read;
  }();
  return rows;
}

// Codecs of which no independent figures are at hand, and what is known of them instead.
struct Unreferenced {
  std::string_view codec;
  std::string_view reason;
};
constexpr std::array kUnreferenced{
    Unreferenced{"fp32", "exact"},
    Unreferenced{"mxfp8_e5m2", "contract_test.cpp has its bound; above fp8_e5m2's finer scale"},
    Unreferenced{"mxfp4_sr", "contract_test.cpp has its bound; above mxfp4's nearest rounding"},
    Unreferenced{"int8_full_g2048", "contract_test.cpp has its bound; just below int8_g2048's"},
    Unreferenced{"fbgemm_e4m3_g32", "scale_test.cpp: FBGEMM's own conversion gives its codes"},
    Unreferenced{"fbgemm_e5m2_g32", "scale_test.cpp: FBGEMM's own conversion gives its codes"},
    Unreferenced{"fbgemm_int8_g32",
                 "contract_test.cpp has its bound; int8_minmax's, smaller group"},
    Unreferenced{"bnb8_g4096", "contract_test.cpp has its bound"},
    Unreferenced{"sparseloco_enumerated", "subsets_test.cpp: decodes to what sparseloco does"},
    Unreferenced{"random_k64", "random_k_test.cpp: sqrt(4096 / 64 - 1) of every distribution"},
    Unreferenced{"random_k64_unscaled", "random_k_test.cpp: sqrt(1 - 64 / 4096)"},
    Unreferenced{"demo_top32", "demo_test.cpp: what the largest coefficients leave out"},
};

// Both are samples of 2^21 values: the reference has one, the table the mean of its seeds. Samples
// with light tails hardly differ. Of heavy tails, a sample's largest values decide on the scales of
// large groups and on the norm, and the reference's own sample is as far from the mean as any: the
// table's "spread" is 6 % for INT8 over 2048 values of Student's t with 3 degrees, 4 % over 512,
// and 2 % for most codecs of the lognormal distribution, or for signs with one scale of all rows of
// "rowscale".
double tolerance(std::string_view distribution) {
  for (const std::string_view light : {"normal", "laplace", "uniform", "rowscale"}) {
    if (distribution == light) return 0.03;
  }
  return 0.06;
}

TEST(ErrorReferences, AgreeOnEveryDistribution) {
  for (const Codec* codec : all_codecs()) {
    const auto rows = references().find(std::string(codec->name));
    if (rows == references().end()) continue;
    ASSERT_EQ(rows->second.size(), all_distributions().size()) << codec->name;
    for (const auto& [distribution, expected] : rows->second) {
      const Json& figures = committed_errors().at("codecs").at(codec->name).at(distribution);
      const double share = tolerance(distribution);
      const double actual = figures.at("relative_l2");
      EXPECT_LE(actual, expected.relative_l2 * (1 + share) + 5e-6)
          << codec->name << " " << distribution;
      EXPECT_GE(actual, expected.relative_l2 / (1 + share) - 5e-6)
          << codec->name << " " << distribution;
      // Of a small error e, 1 - cosine is e^2 / 2.
      EXPECT_NEAR(figures.at("cosine").get<double>(), expected.cosine,
                  2 * share * (1 - expected.cosine) + 6e-5)
          << codec->name << " " << distribution;
    }
  }
}

// The reference is one more sample of as many values: its distance from the mean of n seeds has the
// variance (1 + 1 / n) spread^2. Five of these standard deviations, and the reference's five digits.
TEST(ErrorReferences, AreSamplesLikeTheTables) {
  for (const auto& [codec, distributions] : references()) {
    if (!committed_errors().at("codecs").contains(codec)) continue;
    for (const auto& [distribution, expected] : distributions) {
      const Json& figures = committed_errors().at("codecs").at(codec).at(distribution);
      const auto seeds = static_cast<double>(figures.at("by_seed").size());
      const double deviation = figures.at("spread").get<double>() * std::sqrt(1 + 1 / seeds);
      EXPECT_NEAR(figures.at("relative_l2").get<double>(), expected.relative_l2,
                  5 * deviation + 5.1e-6)
          << codec << " " << distribution;
    }
  }
}

TEST(ErrorReferences, OrAReasonAreThereForEveryCodec) {
  for (const Codec* codec : all_codecs()) {
    const bool listed =
        std::ranges::find(kUnreferenced, codec->name, &Unreferenced::codec) != kUnreferenced.end();
    EXPECT_NE(references().contains(std::string(codec->name)), listed)
        << codec->name << " needs rows in reference_errors.csv, or a reason in kUnreferenced";
  }
  for (const Unreferenced& row : kUnreferenced) {
    EXPECT_NO_THROW((void)codec_named(row.codec));
    EXPECT_FALSE(row.reason.empty());
  }
}

// Another Monte-Carlo run of the two-level reductions over 8 x 4 ranks. Samples differ most in the
// columns of which half is common to all ranks, as one rank's largest values are then everyone's:
// by a spread of 9 % (INT4 in groups of 2048 and INT8 in those of 512, on Student's t), so that one sample can be outside of the 6 %.
TEST(ErrorReferences, AgreeOnReductions) {
  struct Row {
    std::string reduction;
    std::array<double, 6> relative_l2;
  };
  constexpr std::array columns{"normal",     "normal_half_common",
                               "student_t3", "student_t3_half_common",
                               "outlier",    "outlier_half_common"};
  const std::array rows{
      Row{"int8_g128_sr/int4_g128_sr", {0.1663, 0.0870, 0.2602, 0.1709, 0.3408, 0.1738}},
      Row{"int8_g128_hadamard_sr/int4_g128_hadamard_sr",
          {0.1661, 0.0866, 0.1661, 0.0863, 0.1656, 0.0846}},
      Row{"int4_g128_sr/int4_g128_sr", {0.2362, 0.0960, 0.4209, 0.1874, 0.4764, 0.1946}},
      Row{"int4_g128_hadamard_sr/int4_g128_hadamard_sr",
          {0.2365, 0.0960, 0.2364, 0.0958, 0.2331, 0.0941}},
      Row{"int4_full_g2048/int4_full_g2048", {0.1867, 0.0759, 0.5265, 0.3238, 0.7141, 0.4793}},
      Row{"int4_full_g128/int4_full_g128", {0.1500, 0.0656, 0.2619, 0.1469, 0.2915, 0.1660}},
      Row{"int8_g512/int8_g512", {0.0105, 0.0043, 0.0259, 0.0122, 0.0344, 0.0150}}};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      EXPECT_NEAR(reduction_error("two_level/" + row.reduction, columns[i]), row.relative_l2[i],
                  (i < 2 ? 0.03 : 0.06) * row.relative_l2[i])
          << row.reduction << " " << columns[i];
    }
  }
}

// Independent figures of the same trace with 2^18 weights.
TEST(ErrorReferences, AgreeOnWeights) {
  struct Row {
    const char* weights;
    double early, late;
    double tolerance;
  };
  constexpr std::array rows{Row{"bf16", 1.66e-3, 1.65e-3, 0.03},
                            Row{"int4_g2048_sr", 0.21, 0.21, 0.05},
                            Row{"int4_g32", 9.6e-2, 9.6e-2, 0.05},
                            Row{"int8_g2048", 8.5e-3, 8.4e-3, 0.05},
                            Row{"difference/int4_g2048_sr", 1.89e-3, 1.70e-3, 0.06},
                            Row{"difference/int4_g2048", 1.76e-3, 1.68e-3, 0.06},
                            Row{"difference/int4_g128_sr", 1.85e-3, 1.67e-3, 0.06},
                            Row{"difference/int2_g128_sr", 2.6e-2, 4.6e-3, 0.2},
                            Row{"difference/int8_g2048_sr", 1.66e-3, 1.65e-3, 0.03}};
  ASSERT_EQ(committed_errors().at("weights").size(), rows.size());
  for (const Row& row : rows) {
    EXPECT_NEAR(relative_l2("weights", row.weights, "lr_6e-4"), row.early,
                row.tolerance * row.early)
        << row.weights;
    EXPECT_NEAR(relative_l2("weights", row.weights, "lr_6e-5"), row.late, row.tolerance * row.late)
        << row.weights;
  }
}

}  // namespace
}  // namespace codecs
