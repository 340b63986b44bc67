// The committed table of errors, traces/calibration/codec_error.json: it agrees with figures that
// were computed independently (numpy, 2^21 float32 values, another generator), and with the codecs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "codecs/error/distributions.hpp"
#include "codecs/error/feedback_error.hpp"
#include "codecs/error/table.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

const Json& committed() {
  static const Json table = [] {
    std::ifstream file(std::string(SOURCE_DIR) + "/traces/calibration/codec_error.json");
    return Json::parse(file);
  }();
  return table;
}

double relative_l2(const char* section, const std::string& row, const std::string& column) {
  return committed().at(section).at(row).at(column).at("relative_l2");
}

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
    Unreferenced{"random_k64", "random_k_test.cpp: sqrt(4096 / 64 - 1) of every distribution"},
    Unreferenced{"random_k64_unscaled", "random_k_test.cpp: sqrt(1 - 64 / 4096)"},
    Unreferenced{"demo_top32", "demo_test.cpp: what the largest coefficients leave out"},
};

// Light tails agree within 3 %. In heavy ones the largest values of a sample decide, so 6 %; where
// they decide on the scale of the whole tensor, only the order of magnitude agrees.
double tolerance(const Format& format, std::string_view distribution) {
  const bool whole = format.group == kWholeTensor || format.element == Element::codebook2;
  for (const std::string_view light : {"normal", "laplace", "uniform"}) {
    if (distribution == light) return 0.03;
  }
  if (whole) return 2;
  return distribution == "rowscale" ? 0.03 : 0.06;
}

TEST(ErrorTable, AgreesWithTheIndependentFigures) {
  for (const Codec* codec : all_codecs()) {
    const auto rows = references().find(std::string(codec->name));
    if (rows == references().end()) continue;
    ASSERT_EQ(rows->second.size(), all_distributions().size()) << codec->name;
    for (const auto& [distribution, expected] : rows->second) {
      const Json& figures = committed().at("codecs").at(codec->name).at(distribution);
      const double share = tolerance(codec->format, distribution);
      const double actual = figures.at("relative_l2");
      EXPECT_LE(actual, expected.relative_l2 * (1 + share) + 5e-6)
          << codec->name << " " << distribution;
      EXPECT_GE(actual, expected.relative_l2 / (1 + share) - 5e-6)
          << codec->name << " " << distribution;
      // Of a small error e, 1 - cosine is e^2 / 2.
      if (share < 1) {
        EXPECT_NEAR(figures.at("cosine").get<double>(), expected.cosine,
                    2 * share * (1 - expected.cosine) + 6e-5)
            << codec->name << " " << distribution;
      }
    }
  }
}

TEST(ErrorTable, EveryCodecHasAReferenceOrAReason) {
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

// A uniform value's rounding error is uniform within a step of amax / 7, and |x| is uniform up to
// 1: nearest gives sqrt(1/12 / (1/3)) / 7 = 0.0714, stochastic sqrt(2) times that, where amax is 1.
TEST(ErrorTable, AgreesWithTheClosedFormOnUniformValues) {
  EXPECT_NEAR(relative_l2("codecs", "int4_g2048", "uniform"), 0.5 / 7, 0.0005);
  EXPECT_NEAR(relative_l2("codecs", "int4_g2048_sr", "uniform"), std::sqrt(2.0) * 0.5 / 7, 0.0005);
}

// Grids that are not those of their negatives: of nearest rounding's error the sign then depends on
// the value's. Stochastic rounding is unbiased on any grid that clips nothing.
bool may_be_biased(const Format& format) {
  return format.scale == Scale::amax_full || format.element == Element::nf4 ||
         format.element == Element::dynamic8 || format.element == Element::codebook2 ||
         (format.scale == Scale::min_max && format.rounding == Rounding::nearest);
}

// Mean over 2^20 values of an error whose relative size is e: e / 1024 if unbiased; five times.
TEST(ErrorTable, NoCodecIsBiasedOnASymmetricGridOrWithStochasticRounding) {
  for (const Codec* codec : all_codecs()) {
    if (may_be_biased(codec->format)) continue;
    for (const auto& [column, metrics] : committed().at("codecs").at(codec->name).items()) {
      EXPECT_LE(std::abs(metrics.at("bias").get<double>()),
                5 * metrics.at("relative_l2").get<double>() / 1024)
          << codec->name << " " << column;
    }
  }
}

// Another Monte-Carlo run of the same reductions over 8 x 4 ranks.
TEST(ErrorTable, ReductionsAgreeWithTheIndependentFigures) {
  struct Row {
    const char* reduction;
    std::array<double, 6> relative_l2;
  };
  constexpr std::array columns{"normal",     "normal_half_common",
                               "student_t3", "student_t3_half_common",
                               "outlier",    "outlier_half_common"};
  constexpr std::array rows{
      Row{"TLq", {0.1663, 0.0870, 0.2602, 0.1709, 0.3408, 0.1738}},
      Row{"TLq-HS", {0.1661, 0.0866, 0.1661, 0.0863, 0.1656, 0.0846}},
      Row{"ULq", {0.2362, 0.0960, 0.4209, 0.1874, 0.4764, 0.1946}},
      Row{"ULq-HS", {0.2365, 0.0960, 0.2364, 0.0958, 0.2331, 0.0941}},
      Row{"ZeRO++_g2048", {0.1867, 0.0759, 0.5265, 0.3238, 0.7141, 0.4793}},
      Row{"ZeRO++_g128", {0.1500, 0.0656, 0.2619, 0.1469, 0.2915, 0.1660}},
      Row{"8/8_g512", {0.0105, 0.0043, 0.0259, 0.0122, 0.0344, 0.0150}},
      Row{"TLq-HS_nearest", {0.1175, 0.0615, 0.1176, 0.0611, 0.1174, 0.0604}}};
  ASSERT_EQ(committed().at("reductions").size(), rows.size());
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
    // Equal on normal values, which the transform leaves normal, up to the sample's noise.
    EXPECT_LT(relative_l2("reductions", "TLq-HS", column),
              1.03 * relative_l2("reductions", "TLq", column));
  }
  for (const char* column : {"student_t3", "outlier"}) {
    EXPECT_LT(relative_l2("reductions", "TLq-HS", column),
              0.7 * relative_l2("reductions", "TLq", column));
  }
}

// Independent figures of the same trace with 2^18 weights.
TEST(ErrorTable, WeightsAgreeWithTheIndependentFigures) {
  struct Row {
    const char* weights;
    double early, late;
    double tolerance;
  };
  constexpr std::array rows{Row{"bf16", 1.66e-3, 1.65e-3, 0.03},
                            Row{"qW", 0.21, 0.21, 0.05},
                            Row{"qW_int4_g32_nearest", 9.6e-2, 9.6e-2, 0.05},
                            Row{"qW_int8_nearest", 8.5e-3, 8.4e-3, 0.05},
                            Row{"qWD", 1.89e-3, 1.70e-3, 0.06},
                            Row{"qWD_nearest", 1.76e-3, 1.68e-3, 0.06},
                            Row{"qWD_g128", 1.85e-3, 1.67e-3, 0.06},
                            Row{"qWD_int2_g128", 2.6e-2, 4.6e-3, 0.2},
                            Row{"qWD_int8", 1.66e-3, 1.65e-3, 0.03}};
  ASSERT_EQ(committed().at("weights").size(), rows.size());
  for (const Row& row : rows) {
    EXPECT_NEAR(relative_l2("weights", row.weights, "lr_6e-4"), row.early,
                row.tolerance * row.early)
        << row.weights;
    EXPECT_NEAR(relative_l2("weights", row.weights, "lr_6e-5"), row.late, row.tolerance * row.late)
        << row.weights;
  }
}

TEST(ErrorTable, DifferencesOfWeightsBeatWeightsByTwoOrdersOfMagnitude) {
  for (const char* phase : {"lr_6e-4", "lr_6e-5"}) {
    EXPECT_LT(100 * relative_l2("weights", "qWD", phase), relative_l2("weights", "qW", phase));
  }
}

TEST(ErrorTable, FeedbackIsMeasuredWhereOneStepLosesMuch) {
  for (const Codec* codec : all_codecs()) {
    const double one_step = relative_l2("codecs", std::string(codec->name), "normal");
    if (std::abs(one_step - kFeedbackAbove) < 0.1 * kFeedbackAbove) continue;  // either way
    EXPECT_EQ(committed().at("feedback").contains(codec->name), one_step > kFeedbackAbove)
        << codec->name;
  }
}

// A codec that contracts sends in the long run all that it is given: however much one step loses,
// the sum of 256 does not.
TEST(ErrorTable, OneStepMisjudgesACodecWithFeedback) {
  for (const auto& [codec, rules] : committed().at("feedback").items()) {
    const Json& fed = rules.at("ef_sgd");
    const double contraction = fed.at("contraction");
    if (contraction < 0.05) continue;
    const double loss = std::sqrt(1 - contraction);
    EXPECT_LE(fed.at("residual").get<double>(), 1.05 * loss / (1 - loss)) << codec;
    EXPECT_LT(fed.at("running_sum").get<double>(), 0.5 * loss) << codec;
    EXPECT_LT(fed.at("running_sum").get<double>(), rules.at("none").at("running_sum")) << codec;
  }
}

void expect_close(const Json& actual, const Json& expected, const std::string& path) {
  if (expected.is_object()) {
    ASSERT_EQ(actual.size(), expected.size()) << path;
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(key)) << path << "/" << key;
      expect_close(actual.at(key), value, std::string(path).append("/").append(key));
    }
  } else if (expected.is_number_float()) {
    // Another libm may move single values by a last digit, and with them single codes.
    const double scale = std::abs(expected.get<double>());
    EXPECT_NEAR(actual.get<double>(), expected.get<double>(), 1e-3 * scale + 1e-6) << path;
  } else {
    EXPECT_EQ(actual, expected) << path;
  }
}

const Json* committed_figures(const ErrorCell& cell) {
  const Json* figures = &committed();
  for (const std::string& key : {cell.section, cell.row, cell.column}) {
    if (key.empty()) continue;
    if (!figures->contains(key)) return nullptr;
    figures = &figures->at(key);
  }
  return figures;
}

// The table has the cells that would be measured today, and no others.
TEST(ErrorTable, CommittedFileHasEveryCell) {
  std::map<std::string, std::size_t> cells;
  for (const ErrorCell& cell : error_cells({})) {
    EXPECT_TRUE(committed_figures(cell) != nullptr)
        << cell.section << "/" << cell.row << "/" << cell.column
        << " is missing: run gardenhose-codec-error";
    ++cells[cell.section];
  }
  const Json& recorded = committed().at("provenance").at("recorded_tensors");
  cells["tensors"] += recorded.size() * all_codecs().size();
  EXPECT_EQ(committed().at("bits_per_element").size(), all_codecs().size());
  for (const auto& [section, count] : cells) {
    std::size_t found = 0;
    for (const auto& [row, columns] : committed().at(section).items()) {
      found += section == "weights" ? 1 : columns.size();
    }
    EXPECT_EQ(found, count) << section;
  }
}

// Every codec on one of the distributions, and a few of the other cells.
bool is_measured_again(const std::string& section, std::size_t index) {
  const std::size_t columns = all_distributions().size();
  if (section == "codecs") return index % columns == index / columns % columns;
  if (section == "weights") return index == 4;  // qWD
  return index % 29 == 0;
}

// A codec that changed without its table would fail here: run gardenhose-codec-error.
TEST(ErrorTable, CommittedFileIsCurrent) {
  std::vector<ErrorCell> again;
  std::map<std::string, std::size_t> count;
  for (const ErrorCell& cell : error_cells({})) {
    if (is_measured_again(cell.section, count[cell.section]++)) again.push_back(cell);
  }
  const std::vector<Json> figures = measure(again);
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Json* expected = committed_figures(again[i]);
    if (expected == nullptr) continue;
    expect_close(figures[i], *expected, again[i].section + "/" + again[i].row);
  }
}

}  // namespace
}  // namespace codecs
