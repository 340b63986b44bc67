// SPDX-License-Identifier: Apache-2.0
// The committed table of errors: its figures are those of closed forms, and of the codecs as they
// are.
#include "tests/codecs/error_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/error/distributions.hpp"
#include "codecs/error/feedback_error.hpp"
#include "codecs/error/reductions.hpp"
#include "codecs/error/table.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

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

// Mean over n values of an error whose relative size is e: e / sqrt(n) if unbiased; five times.
TEST(ErrorTable, NoCodecIsBiasedOnASymmetricGridOrWithStochasticRounding) {
  const Json& provenance = committed_errors().at("provenance");
  const double values =
      provenance.at("seeds").get<double>() * provenance.at("elements").get<double>();
  for (const Codec* codec : all_codecs()) {
    if (may_be_biased(codec->format)) continue;
    for (const auto& [column, metrics] : committed_errors().at("codecs").at(codec->name).items()) {
      EXPECT_LE(std::abs(metrics.at("bias").get<double>()),
                5 * metrics.at("relative_l2").get<double>() / std::sqrt(values))
          << codec->name << " " << column;
    }
  }
}

TEST(ErrorTable, TwoPrecisionsBeatOneAndTheTransformHelpsOnHeavyTails) {
  const std::string two = "two_level/int8_g128_sr/int4_g128_sr";
  const std::string one = "two_level/int4_g128_sr/int4_g128_sr";
  const std::string smoothed = "two_level/int8_g128_hadamard_sr/int4_g128_hadamard_sr";
  for (const char* column : {"normal", "student_t3", "outlier"}) {
    EXPECT_LT(reduction_error(two, column), reduction_error(one, column));
    // Equal on normal values, which the transform leaves normal, up to the sample's noise.
    EXPECT_LT(reduction_error(smoothed, column), 1.03 * reduction_error(two, column));
  }
  for (const char* column : {"student_t3", "outlier"}) {
    EXPECT_LT(reduction_error(smoothed, column), 0.7 * reduction_error(two, column));
  }
}

TEST(ErrorTable, DifferencesOfWeightsBeatWeightsByTwoOrdersOfMagnitude) {
  for (const char* phase : {"lr_6e-4", "lr_6e-5"}) {
    EXPECT_LT(100 * relative_l2("weights", "difference/int4_g2048_sr", phase),
              relative_l2("weights", "int4_g2048_sr", phase));
  }
}

TEST(ErrorTable, FeedbackIsMeasuredWhereOneStepLosesMuch) {
  for (const Codec* codec : all_codecs()) {
    const double one_step = relative_l2("codecs", std::string(codec->name), "normal");
    if (std::abs(one_step - kFeedbackAbove) < 0.1 * kFeedbackAbove) continue;  // either way
    EXPECT_EQ(committed_errors().at("feedback").contains(codec->name), one_step > kFeedbackAbove)
        << codec->name;
  }
}

// A codec that contracts sends in the long run all that it is given: however much one step loses,
// the sum of 256 does not.
TEST(ErrorTable, OneStepMisjudgesACodecWithFeedback) {
  for (const auto& [codec, rules] : committed_errors().at("feedback").items()) {
    const Json& fed = rules.at("ef_sgd");
    const double contraction = fed.at("contraction");
    if (contraction < 0.05) continue;
    const double loss = std::sqrt(1 - contraction);
    EXPECT_LE(fed.at("residual").get<double>(), 1.05 * loss / (1 - loss)) << codec;
    EXPECT_LT(fed.at("running_sum").get<double>(), 0.5 * loss) << codec;
    EXPECT_LT(fed.at("running_sum").get<double>(), rules.at("none").at("running_sum")) << codec;
  }
}

// What a cell's seeds have in common is one mean, so the first seed's own figure is compared.
void expect_first_seed(const Json& measured, const Json& expected, const std::string& path) {
  ASSERT_EQ(measured.size(), expected.size()) << path;
  for (const auto& [key, value] : measured.items()) {
    ASSERT_TRUE(expected.contains(key)) << path << "/" << key;
    if (value.is_object()) {
      expect_first_seed(value, expected.at(key), std::string(path).append("/").append(key));
    } else if (key == "by_seed") {
      // Another libm may move single values by a last digit, and with them single codes.
      const double figure = expected.at(key).at(0);
      EXPECT_NEAR(value.at(0).get<double>(), figure, 1e-3 * std::abs(figure) + 1e-6) << path;
    }
  }
}

const Json* committed_figures(const ErrorCell& cell) {
  const Json* figures = &committed_errors();
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
  for (const ErrorCell& cell : error_cells({}, 1)) {
    EXPECT_TRUE(committed_figures(cell) != nullptr)
        << cell.section << "/" << cell.row << "/" << cell.column
        << " is missing: run gardenhose-codec-error";
    ++cells[cell.section];
  }
  const Json& recorded = committed_errors().at("provenance").at("recorded_tensors");
  cells["tensors"] += recorded.size() * all_codecs().size();
  EXPECT_EQ(committed_errors().at("bits_per_element").size(), all_codecs().size());
  for (const auto& [section, count] : cells) {
    std::size_t found = 0;
    for (const auto& [row, columns] : committed_errors().at(section).items()) {
      found += section == "weights" ? 1 : columns.size();
    }
    EXPECT_EQ(found, count) << section;
  }
}

void expect_means(const Json& figures, const std::string& path) {
  for (const auto& [key, inner] : figures.items()) {
    if (inner.is_object()) expect_means(inner, std::string(path).append("/").append(key));
  }
  if (!figures.contains("by_seed")) return;
  const auto of_seeds = figures.at("by_seed").get<std::vector<double>>();
  const auto count = static_cast<double>(of_seeds.size());
  double mean = 0, square = 0;
  for (const double figure : of_seeds) mean += figure / count;
  for (const double figure : of_seeds) square += std::pow(figure - mean, 2) / (count - 1);
  const char* const key = figures.contains("relative_l2") ? "relative_l2" : "running_sum";
  EXPECT_NEAR(figures.at(key).get<double>(), mean, 1e-5 * mean) << path;
  EXPECT_NEAR(figures.at("spread").get<double>(), std::sqrt(square), 1e-5 * mean) << path;
}

TEST(ErrorTable, FiguresAreMeansOverTheSeedsWithTheirStandardDeviation) {
  const Json& provenance = committed_errors().at("provenance");
  for (const char* section : {"codecs", "tensors", "reductions", "weights", "feedback",
                              "fed_reductions", "all_reduces"}) {
    expect_means(committed_errors().at(section), section);
  }
  const Json& one = committed_errors().at("codecs").at("bf16").at("normal").at("by_seed");
  EXPECT_EQ(one.size(), provenance.at("seeds").get<std::size_t>());
  EXPECT_GE(one.size(), 3u);
}

// Every codec on one of the distributions, and a few of the other cells.
bool is_measured_again(const std::string& section, std::size_t index) {
  const std::size_t columns = all_distributions().size();
  if (section == "codecs") return index % columns == index / columns % columns;
  if (section == "weights") return index == 4;  // differences of INT4
  // Those of few ranks, which take least.
  const std::size_t reductions = measured_reductions().size(), fed = fed_reductions().size();
  if (section == "reductions") return index / reductions == 1 && index % 8 == 0;
  if (section == "fed_reductions") return index == fed;
  return index % 29 == 0;
}

// A codec that changed without its table would fail here: run gardenhose-codec-error.
TEST(ErrorTable, CommittedFileIsCurrent) {
  std::vector<ErrorCell> again;
  std::map<std::string, std::size_t> count;
  for (const ErrorCell& cell : error_cells({}, 1)) {
    if (is_measured_again(cell.section, count[cell.section]++)) again.push_back(cell);
  }
  const std::vector<Json> figures = measure(again);
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Json* expected = committed_figures(again[i]);
    if (expected == nullptr) continue;
    expect_first_seed(mean_over_seeds({&figures[i], 1}), *expected,
                      again[i].section + "/" + again[i].row);
  }
}

}  // namespace
}  // namespace codecs
