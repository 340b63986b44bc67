// The bars that predictions of two published FSDP runs are held to, and what README.md shows.
#include "sim/validation/fsdp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/validation/readme.hpp"

namespace sim::validation {
namespace {

const FsdpStudy& study() {
  static const FsdpStudy all =
      predict_fsdp(source_directory(), read_fsdp(source_directory()), [] {});
  return all;
}

TEST(Fsdp, RowsOfSeveralNodesAreWithinTheBar) {
  const Errors fitted = fsdp_errors(study().rows, "", &Columns::fitted);
  // 29 and 6 rows, of which 8 are of one node and 2 left out.
  EXPECT_EQ(fitted.count, 29 + 6 - 8 - 2);
  EXPECT_LE(fitted.mean, 0.05);
  EXPECT_LE(fitted.worst, 0.15) << fitted.worst_row;
  for (const char* table : {"", "fsdp_a100", "fsdp_h100_torchtitan"}) {
    EXPECT_LT(fsdp_errors(study().rows, table, &Columns::fitted).mean,
              fsdp_errors(study().rows, table, &Columns::null_model).mean)
        << table;
  }
}

// MPT 13B's row of 8 GPUs is the slow one.
TEST(Fsdp, FromOneNodeToSixteenTheChangeIsWithinThreePoints) {
  int compared = 0;
  for (const ScaleChange& change : scale_changes(study().rows)) {
    EXPECT_EQ(change.of_throughput, change.series.starts_with("llama_3_8b/")) << change.series;
    EXPECT_NEAR(change.predicted.null_model, 0, 1e-9) << change.series;
    if (change.series == "mpt_13b") continue;
    EXPECT_NEAR(change.predicted.fitted, change.published, 3) << change.series;
    ++compared;
  }
  EXPECT_EQ(compared, 4 + 3);
}

TEST(Fsdp, EveryPublishedRowFitsItsMemory) {
  for (const FsdpRow& row : study().rows) {
    EXPECT_TRUE(row.fits_memory) << row.measured.row << ": " << row.memory_bytes / 1e9 << " GB";
  }
}

TEST(Fsdp, ConstantsAreOneAGroupFittedOnItsRowsOfOneNode) {
  std::map<std::string, std::set<std::string>> of_one_node;
  for (const FsdpRow& row : study().rows) {
    EXPECT_EQ(row.used_in_fit, row.gpus == 8) << row.measured.row;
    if (row.gpus == 8) of_one_node[row.group].insert(row.measured.row);
  }
  EXPECT_EQ(study().constants.size(), of_one_node.size());
  for (const auto& [group, fitted] : study().constants) {
    EXPECT_EQ(std::set(fitted.rows.begin(), fitted.rows.end()), of_one_node.at(group));
    EXPECT_FALSE(fitted.network_efficiency || fitted.communicator_bandwidth) << group;
    EXPECT_GT(*fitted.compute_efficiency, 0.3) << group;
    EXPECT_LE(*fitted.compute_efficiency, 1) << group;
  }
}

// Least squares: the logarithms of predicted over published sum to 0 over the rows fitted on, up to
// what a step has that no efficiency changes; where there is one row it is met.
TEST(Fsdp, ErrorsOfTheFittedRowsCancel) {
  std::map<std::string, std::vector<double>> errors;
  for (const FsdpRow& row : study().rows) {
    if (!row.used_in_fit) continue;
    errors[row.group].push_back(std::log(row.predicted.fitted / row.measured.value));
  }
  for (const auto& [group, all] : errors) {
    double sum = 0;
    for (const double error : all) sum += error;
    EXPECT_NEAR(sum / static_cast<double>(all.size()), 0, all.size() > 1 ? 5e-3 : 1e-3) << group;
  }
}

// Of a group with one row of 8 GPUs that row's utilisation, of 7B and 13B the geometric mean of
// their mfu_percent there (fsdp_a100.csv); the same on any number of GPUs.
TEST(Fsdp, NullModelHasThePublishedUtilisationOfOneNode) {
  std::map<std::string, double> of_one_node{{"mpt_7b to mpt_70b", std::sqrt(0.5092 * 0.4394)}};
  for (const FsdpRow& row : study().rows) {
    if (row.used_in_fit) of_one_node.try_emplace(row.group, row.mfu(row.measured.value));
  }
  for (const FsdpRow& row : study().rows) {
    EXPECT_NEAR(row.mfu(row.predicted.null_model), of_one_node.at(row.group), 2e-4)
        << row.measured.row;
  }
}

// 6 x 7,504,924,672 parameters but the embedding + 12 x 32 x 4096 x 8192 FLOP a token.
TEST(Fsdp, UtilisationOfLlamaLeavesTheEmbeddingOut) {
  const double flop = 6.0 * 7504924672 + 12.0 * 32 * 4096 * 8192;
  for (const FsdpRow& row : study().rows) {
    if (row.measured.setup.model != "llama_3_8b") continue;
    EXPECT_NEAR(row.tokens_at_peak, 989e12 / flop, 1e-6 * row.tokens_at_peak);
  }
}

TEST(Fsdp, ReadmeShowsWhatIsPredicted) {
  std::map<std::string, std::vector<std::string>> shown;
  for (const auto& cells : readme_rows()) {
    if (cells.size() == 9) shown[cells[0]] = cells;
  }
  for (const FsdpRow& row : study().rows) {
    const std::string mark = row.used_in_fit ? " *" : row.left_out.empty() ? "" : " -";
    const std::string name = row.measured.row.substr(row.measured.row.find('/') + 1) + mark;
    ASSERT_TRUE(shown.contains(name)) << name;
    const auto number = [&](std::size_t cell) { return std::stod(shown.at(name)[cell]); };
    EXPECT_EQ(number(1), row.measured.value) << name;
    EXPECT_NEAR(number(2), 100 * row.mfu(row.measured.value), 0.051) << name;
    EXPECT_NEAR(number(3), row.predicted.fitted, 0.51 + 1e-4 * row.predicted.fitted) << name;
    EXPECT_NEAR(number(4), 100 * (row.predicted.fitted / row.measured.value - 1), 0.06) << name;
    EXPECT_NEAR(number(5), 100 * row.mfu(row.predicted.fitted), 0.06) << name;
    EXPECT_NEAR(number(6), row.predicted.blind, 0.51) << name;
    EXPECT_NEAR(number(7), row.predicted.null_model, 0.51) << name;
    EXPECT_NEAR(number(8), row.memory_bytes / 1e9, 0.051) << name;
  }
}

TEST(Fsdp, ReadmeShowsTheErrors) {
  for (const auto& [title, table] :
       {std::pair{"both, rows without * and -, 25 rows", ""},
        std::pair{"MPT, A100, 22 rows", "fsdp_a100"},
        std::pair{"Llama 3 8B, H100, 3 rows", "fsdp_h100_torchtitan"}}) {
    const std::vector<double> shown = readme_errors(title);
    ASSERT_EQ(shown.size(), 6u) << title;
    std::size_t i = 0;
    for (const Column column : {&Columns::blind, &Columns::fitted, &Columns::null_model}) {
      const Errors errors = fsdp_errors(study().rows, table, column);
      EXPECT_NEAR(shown[i++], errors.mean, 0.0006) << title;
      EXPECT_NEAR(shown[i++], errors.worst, 0.0006) << title;
    }
  }
}

}  // namespace
}  // namespace sim::validation
