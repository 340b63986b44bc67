// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "sim/workload/parameters.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

// A token takes `compute` seconds at efficiency 1, and was measured at `efficiency`.
struct Toy {
  StepRow row;
  std::optional<StepCurve> curve;
};
Toy toy(const std::string& fold, const std::string& group, double compute, double efficiency) {
  Toy one;
  one.row.run.fold = fold;
  one.row.run.model = "m";
  one.row.run.tokens_per_s_per_gpu = efficiency / compute;
  one.row.group = group;
  one.row.gflop_per_token = compute * 1e3;
  one.row.peak_tflops = 1;
  one.curve =
      StepCurve{.curve = {.seconds = {compute, 2 * compute, 5 * compute}}, .by_default = 0.5};
  return one;
}

struct Toys {
  std::vector<StepRow> rows;
  std::vector<std::optional<StepCurve>> curves;
  void add(const Toy& one) {
    rows.push_back(one.row);
    curves.push_back(one.curve);
  }
};

TEST(Steps, ArePredictedFromOtherSourcesAndByGroup) {
  Toys toys;
  toys.add(toy("a", "a1", 1e-4, 0.8));
  toys.add(toy("a", "a2", 3e-4, 0.4));
  toys.add(toy("b", "b1", 2e-4, 0.6));
  const auto columns = step_columns(toys.rows, toys.curves);
  // Of b's rows alone.
  EXPECT_NEAR(columns[0].efficiency, 0.6, 1e-9);
  EXPECT_NEAR(columns[0].left_out, 0.6 / 1e-4, 1e-3);
  EXPECT_NEAR(columns[0].constant_mfu, 0.6 / 1e-4, 1e-3);
  // The geometric mean of a's.
  EXPECT_NEAR(columns[2].left_out, std::sqrt(0.8 * 0.4) / 2e-4, 1e-3);
  EXPECT_NEAR(columns[2].blind, 0.5 / 2e-4, 1e-3);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_NEAR(columns[i].fitted / *toys.rows[i].run.tokens_per_s_per_gpu, 1, 0.01);
  }
  // Over groups, of |log|.
  const StepScores scores = step_scores(toys.rows, columns, &StepColumns::left_out);
  EXPECT_NEAR(scores.by_group.at("a1").mean, std::log(0.8 / 0.6), 1e-9);
  EXPECT_NEAR(scores.all->mean,
              (std::log(0.8 / 0.6) + std::log(0.6 / 0.4) + std::log(0.6 / std::sqrt(0.32))) / 3,
              1e-9);
}

TEST(Steps, LearnFromDenseModelsToo) {
  Toys toys;
  toys.add(toy("a", "a1", 1e-4, 0.8));
  toys.add(toy("b", "b1", 2e-4, 0.6));
  DenseRuns dense;
  const auto add = [&](const std::string& fold, double efficiency) {
    const Toy one = toy(fold, "", 3e-4, efficiency);
    dense.rows.push_back(one.row.run);
    dense.curves.push_back(one.curve->curve);
  };
  add("b", 0.4);
  add("c", 0.9);
  const auto columns = step_columns(toys.rows, toys.curves, dense);
  ASSERT_EQ(columns.size(), 2U);
  // Of b, whose mean is of both tables, and of c.
  EXPECT_NEAR(columns[0].efficiency, std::sqrt(std::sqrt(0.6 * 0.4) * 0.9), 1e-9);
  // Of a and c: the dense rows of b are left out with its own.
  EXPECT_NEAR(columns[1].efficiency, std::sqrt(0.8 * 0.9), 1e-9);
  EXPECT_NEAR(columns[1].constant_mfu, step_columns(toys.rows, toys.curves)[1].constant_mfu, 1e-9);
}

TEST(Steps, OfWhichNothingIsLearntAreNotScored) {
  Toys toys;
  toys.add(toy("a", "a1", 1e-4, 0.8));
  toys.add(toy("b", "b1", 2e-4, 0.6));
  Toy shown = toy("b", "b2", 2e-4, 0.1);
  shown.row.run.counts = false;
  shown.curve.reset();
  toys.add(shown);
  auto columns = step_columns(toys.rows, toys.curves);
  EXPECT_NEAR(columns[0].efficiency, 0.6, 1e-9);
  EXPECT_NEAR(columns[2].efficiency, 0.8, 1e-9);
  EXPECT_EQ(columns[2].left_out, 0);
  columns[2].left_out = 1;
  EXPECT_FALSE(step_scores(toys.rows, columns, &StepColumns::left_out).by_group.contains("b2"));
}

TEST(Steps, TakeADispatcherThatIsModelled) {
  EXPECT_EQ(modelled_dispatcher("all_to_all"), "all_to_all");
  EXPECT_EQ(modelled_dispatcher("xla"), "all_to_all");
}

// The shipped model with what the row's flags change of it.
Model model_of(const StepRow& row) {
  std::istringstream words(row.run.flags);
  std::vector<Setting> settings;
  for (std::string word, last; words >> word; last = word) {
    if (last == "--sequence") settings.push_back({"model.sequence", word});
    if (last != "--set" || !word.starts_with("model.")) continue;
    settings.push_back({word.substr(0, word.find('=')), word.substr(word.find('=') + 1)});
  }
  return read_model(source_directory() / "traces/models" / (row.run.model + ".toml"), settings);
}

// Mixtral's, gpt-oss' and Nemotron's publications count attention, windows and Mamba-2 in other ways.
double flop_tolerance(const std::string& model) {
  if (model.starts_with("mixtral")) return 0.04;
  return model.starts_with("gpt_oss") || model.starts_with("nemotron") ? 0.08 : 0.01;
}

TEST(ExpertSteps, HaveThePublishedFlop) {
  int rows = 0;
  for (const StepRow& row : read_steps(source_directory(), "expert_steps")) {
    if (!row.run.is_scored()) continue;
    const Model model = model_of(row);
    const double flop = model_flop(model, 1, CountedScores::causal).base() / model.sequence;
    const auto error = flop_error(row, flop);
    ASSERT_TRUE(error.has_value()) << row.run.id;
    EXPECT_LT(*error, flop_tolerance(row.run.model)) << row.run.id;
    ++rows;
  }
  EXPECT_EQ(rows, 49);
}

// Their tables have what each column needs, and pairs are of their rows.
TEST(PublishedSteps, AreRead) {
  for (const char* table : {"expert_steps", "context_steps"}) {
    const auto rows = read_steps(source_directory(), table);
    for (const StepRow& row : rows) {
      if (row.is_modelled()) {
        EXPECT_TRUE(row.run.tokens_per_s_per_gpu) << row.run.id;
      }
    }
    std::vector<StepColumns> columns(rows.size());
    for (StepColumns& one : columns) one.left_out = 1;
    for (const StepPair& pair : step_pairs(source_directory(), rows, columns)) {
      EXPECT_NE(pair.published, 1) << pair.id;
      EXPECT_EQ(pair.predicted, 1) << pair.id;
    }
  }
}

}  // namespace
}  // namespace sim::validation
