// SPDX-License-Identifier: Apache-2.0
// Blind predictions: what is learnt from whom, and the scores, on rows made by hand.
#include "sim/validation/blind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/engine/simulate.hpp"
#include "sim/validation/serial.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

// Compute of 1 s at an efficiency of 1, and 0.5 s beside it.
TimeCurve line_curve() {
  TimeCurve curve;
  for (std::size_t i = 0; i < kCurveEfficiencies.size(); ++i) {
    curve.seconds.at(i) = 0.5 + 1 / kCurveEfficiencies.at(i);
  }
  return curve;
}

TEST(TimeCurve, IsAStraightLineOfSlownessAndItsOwnInverse) {
  const TimeCurve curve = line_curve();
  for (const double efficiency : {1.5, 1.0, 0.8, 0.5, 0.3, 0.1, 0.05}) {
    EXPECT_NEAR(curve.at(efficiency), 0.5 + 1 / efficiency, 1e-12) << efficiency;
    EXPECT_NEAR(curve.efficiency_at(0.5 + 1 / efficiency), efficiency, 1e-12) << efficiency;
    // d log t / d log x = x / (0.5 + x), with steps of 5 %.
    const double x = 1 / efficiency;
    EXPECT_NEAR(curve.share_at(efficiency), x / (0.5 + x), 1e-3) << efficiency;
  }
  EXPECT_EQ(curve.efficiency_at(0.6), 2) << "no efficiency is enough";
}

TrainingRow row_of(const std::string& fold, const std::string& gpu, double tokens) {
  TrainingRow row;
  row.id = fold + "/" + gpu + "/" + std::to_string(tokens);
  row.fold = fold;
  row.gpu = gpu;
  row.stack = "nemo";
  row.precision = "bf16";
  row.tokens_per_s_per_gpu = tokens;
  return row;
}

std::vector<TrainingRow> blind_rows() {
  return {row_of("a", "hopper", 0.4),  row_of("a", "ampere", 0.3),  row_of("b", "hopper", 0.35),
          row_of("b", "hopper", 0.32), row_of("c", "ampere", 0.25), row_of("d", "volta", 0.3)};
}

std::vector<BlindConstant> constants_of(const std::vector<TrainingRow>& rows, LeftOut left_out) {
  const std::vector<TimeCurve> curves(rows.size(), line_curve());
  return blind_constants(rows, curves, left_out);
}

bool is_same(const BlindConstant& a, const BlindConstant& b) {
  return a.efficiency == b.efficiency && a.spreads.computing == b.spreads.computing &&
         a.spreads.rest == b.spreads.rest;
}

// Whatever was measured of rows that are left out with a row, its own value included, changes neither
// its efficiency nor its range; what was measured of some of the others does.
void expect_blind_to(LeftOut left_out,
                     bool (*are_together)(const TrainingRow&, const TrainingRow&)) {
  const std::vector<TrainingRow> rows = blind_rows();
  const auto before = constants_of(rows, left_out);
  std::vector<bool> learns(rows.size());
  for (const TrainingRow& of : rows) {
    std::vector<TrainingRow> changed = rows;
    for (TrainingRow& row : changed) {
      if (row.fold == of.fold) *row.tokens_per_s_per_gpu *= 0.6;
    }
    const auto after = constants_of(changed, left_out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bool sees = false;
      for (const TrainingRow& row : rows) {
        sees = sees || (row.fold == of.fold && !are_together(row, rows[i]));
      }
      const bool differs = !is_same(before[i], after[i]);
      EXPECT_TRUE(sees || !differs) << rows[i].id << " and " << of.fold;
      learns[i] = learns[i] || differs;
    }
  }
  EXPECT_EQ(std::ranges::count(learns, false), 0);
}

TEST(BlindConstants, NeverSeeTheirOwnFold) {
  expect_blind_to(LeftOut::fold,
                  [](const TrainingRow& a, const TrainingRow& b) { return a.fold == b.fold; });
}

TEST(BlindConstants, NeverSeeTheirOwnGenerationWhereItIsLeftOut) {
  expect_blind_to(LeftOut::generation, [](const TrainingRow& a, const TrainingRow& b) {
    return a.fold == b.fold || a.gpu == b.gpu;
  });
}

TEST(BlindConstants, OfRowsThatDoNotCountTeachNothing) {
  std::vector<TrainingRow> rows = blind_rows();
  const auto without = constants_of(rows, LeftOut::fold);
  rows.push_back(row_of("e", "hopper", 0.1));
  rows.back().counts = false;
  rows.push_back(row_of("f", "hopper", 0.1));
  rows.back().tokens_per_s_per_gpu.reset();
  const auto with = constants_of(rows, LeftOut::fold);
  for (std::size_t i = 0; i < without.size(); ++i) EXPECT_TRUE(is_same(without[i], with[i]));
  EXPECT_EQ(with.back().folds, 4);
}

// Tokens a second of a row that needs the efficiency.
double tokens_at(double efficiency) { return 1 / (0.5 + 1 / efficiency); }

// By how much its computing is off where another efficiency is predicted.
double off(double needs, double predicted) {
  return std::log(tokens_at(needs) / tokens_at(predicted)) / line_curve().share_at(predicted);
}

// Of a normal law with such a mean of absolute errors.
double deviation(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += std::abs(error);
  return std::sqrt(std::acos(-1.0) / 2) * sum / static_cast<double>(errors.size());
}

TEST(LearntEfficiency, IsTheMedianOfAllFoldsAndItsSpreadThatOfTheLeftOut) {
  // Two folds of one kind that need 0.4 and 0.1: between them lies 0.2, and each says of the other
  // what is four times off. A second row of the first changes nothing, however many it has.
  const std::vector<TrainingRow> rows{row_of("a", "hopper", tokens_at(0.4)),
                                      row_of("a", "hopper", tokens_at(0.4)),
                                      row_of("b", "hopper", tokens_at(0.1))};
  const std::vector<TimeCurve> curves(rows.size(), line_curve());
  const LearntEfficiency learnt = learnt_efficiency(rows, curves);
  EXPECT_EQ(learnt.folds, 2);
  EXPECT_NEAR(learnt.efficiency, 0.2, 1e-9);
  // Each fold's time is off by what the other one's efficiency makes of it, over its share.
  EXPECT_NEAR(learnt.spread, deviation({off(0.4, 0.1), off(0.1, 0.4)}), 1e-9);
  ASSERT_EQ(learnt.needed.size(), 2u);
  EXPECT_EQ(learnt.needed[0].rows, 2);
  EXPECT_NEAR(learnt.needed[0].efficiency, 0.4, 1e-9);
}

TEST(LearntEfficiency, OfOneFoldThatIsFarOffIsHardlyMoved) {
  const auto learnt_of = [](double last) {
    std::vector<TrainingRow> rows;
    for (const auto& [fold, needs] : {std::pair{"a", 0.4}, {"b", 0.45}, {"c", 0.5}, {"d", last}}) {
      rows.push_back(row_of(fold, "hopper", tokens_at(needs)));
    }
    return learnt_efficiency(rows, std::vector<TimeCurve>(rows.size(), line_curve())).efficiency;
  };
  EXPECT_NEAR(learnt_of(0.1), std::sqrt(0.4 * 0.45), 1e-9);
  EXPECT_NEAR(learnt_of(0.2), learnt_of(0.1), 1e-9);
}

TEST(BlindConstants, TakeTheSpreadsFromTheOthersEachLeftOut) {
  std::vector<TrainingRow> rows;
  std::vector<double> errors;
  // Predicted from the four others: the median of what they need.
  for (const auto& [fold, needs, predicted] : {std::tuple{"a", 0.25, std::sqrt(0.5 * 0.625)},
                                               {"b", 0.4, std::sqrt(0.5 * 0.625)},
                                               {"c", 0.5, std::sqrt(0.4 * 0.625)},
                                               {"d", 0.625, std::sqrt(0.4 * 0.5)},
                                               {"e", 0.9, std::sqrt(0.4 * 0.5)}}) {
    rows.push_back(row_of(fold, "hopper", tokens_at(needs)));
    errors.push_back(off(needs, predicted));
  }
  rows.push_back(row_of("z", "hopper", 0.4));
  const BlindConstant of_z = constants_of(rows, LeftOut::fold).back();
  EXPECT_NEAR(of_z.efficiency, 0.5, 1e-9);
  EXPECT_NEAR(of_z.spreads.computing, deviation(errors), 1e-9);
  EXPECT_EQ(of_z.spreads.rest, of_z.spreads.computing) << "no row tells of the rest";
}

TEST(BlindConstants, BlameWhatTakesMostOfTheTime) {
  // Rows of which computing has a share of less than two thirds say nothing of its spread.
  const TimeCurve computes = line_curve();
  TimeCurve waits = computes;
  for (double& seconds : waits.seconds) seconds += 20;
  std::vector<TrainingRow> rows;
  std::vector<TimeCurve> curves;
  for (const char* fold : {"a", "b", "c"}) {
    rows.push_back(row_of(fold, "hopper", tokens_at(0.5)));
    curves.push_back(computes);
  }
  rows.push_back(row_of("w", "hopper", 1 / (1.5 * waits.at(0.5))));
  curves.push_back(waits);
  rows.push_back(row_of("z", "hopper", 0.4));
  curves.push_back(computes);
  const BlindSpreads spreads = blind_constants(rows, curves, LeftOut::fold).back().spreads;
  EXPECT_NEAR(spreads.computing, 0, 1e-9);
  EXPECT_NEAR(spreads.rest, deviation({std::log(1.5) / (1 - waits.share_at(0.5))}), 1e-9);
  EXPECT_NEAR(width_of({.computing = 0.1, .rest = 0.5}, 1), 1.281552 * 0.1, 1e-12);
  EXPECT_NEAR(width_of({.computing = 0.3, .rest = 0.4}, 0.5), 1.281552 * 0.25, 1e-12);
}

TEST(SerialSum, IsTheSimulatedStepWhereNothingCanOverlap) {
  // One GPU sends nothing, and its kernels run one after another.
  Cluster cluster = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  cluster = part_of(cluster, 1, 1);
  const Model model = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const Calibration table = roofline();
  const StepContext context{cluster, model, table, {.micro_batch = 2, .accumulation = 3}};
  const Scheme scheme = scheme_named("sharded");
  const auto [schedule, wiring] = plan_step(context, scheme);
  EXPECT_NEAR(serial_seconds(context, scheme) / simulate(schedule, wiring).makespan_s, 1, 1e-9);
  EXPECT_EQ(communication_seconds(context, scheme, schedule), 0);
}

TEST(BlindScores, WeighEveryFoldTheSame) {
  std::vector<TrainingRow> rows{row_of("a", "hopper", 100), row_of("a", "hopper", 100),
                                row_of("a", "hopper", 100), row_of("b", "hopper", 200),
                                row_of("c", "volta", 10)};
  rows.push_back(row_of("a", "hopper", 50));
  rows.back().counts = false;
  const auto predicted = [](double value, double low, double high, double serial) {
    return std::optional(BlindPrediction{value, low, high, serial});
  };
  const BlindScores scores =
      blind_scores(rows, {predicted(110, 99, 121, 100), predicted(80, 60, 99.9, 100),
                          predicted(130, 100, 160, 100), predicted(280, 200, 300, 240),
                          std::nullopt, predicted(900, 800, 1000, 900)});
  const BlindErrors& a = scores.by_fold.at("a");
  EXPECT_EQ(a.rows, 3);
  EXPECT_NEAR(a.mean, (0.1 + 0.2 + 0.3) / 3, 1e-12);
  EXPECT_NEAR(a.bias, (0.1 - 0.2 + 0.3) / 3, 1e-12);
  EXPECT_NEAR(a.coverage, 2.0 / 3, 1e-12);
  EXPECT_NEAR(a.narrow, 1.0 / 3, 1e-12);
  EXPECT_NEAR(a.serial, 0, 1e-12);
  EXPECT_FALSE(scores.by_fold.contains("c"));
  EXPECT_TRUE(scores.apart.at("c"));
  EXPECT_FALSE(scores.apart.at("a"));
  EXPECT_NEAR(scores.all->mean, (0.2 + 0.4) / 2, 1e-12);
  EXPECT_NEAR(scores.all->coverage, (2.0 / 3 + 1) / 2, 1e-12);
  EXPECT_NEAR(scores.all->near, 2.0 / 4, 1e-12);
  EXPECT_NEAR(scores.all->serial, 0.1, 1e-12);
}

}  // namespace
}  // namespace sim::validation
