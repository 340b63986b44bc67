// SPDX-License-Identifier: Apache-2.0
// Muon's work: the closed forms of its orthogonalisation, and how matrices are dealt over ranks.
#include "sim/times/muon_owners.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/workload/matrices.hpp"
#include "sim/workload/muon.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

constexpr const char* kModels[] = {"gpt_1.3b", "llama_2_7b", "llama_3_8b", "mpt_7b"};

std::vector<MatrixShape> matrices_of(const Model& model, int layers) {
  std::vector<MatrixShape> all = layer_matrices(model, {});
  for (MatrixShape& one : all) one.count *= layers;
  return all;
}

Roofline sample_roofline() { return {sample_cluster({}).gpu, 1, roofline()}; }

TEST(LayerMatrices, AreWhatTheLayersHoldBesidesNormsAndBiases) {
  for (const char* name : kModels) {
    const Model model = shipped_model(name);
    double parameters = 0;
    for (const MatrixShape& shape : layer_matrices(model, {})) parameters += shape.parameters();
    EXPECT_EQ(parameters, static_cast<double>(layer_parameters(model).sharded_matrices)) << name;
    EXPECT_EQ(2 * rank_layer(model, {.tensor = 2}).matrices, parameters) << name;
  }
}

TEST(NewtonSchulz, IsFiveTimesThreeProductsOfTheMatrixLaidOnItsLongSide) {
  for (const auto& [r, c] : {std::pair{64.0, 64.0}, {512.0, 2048.0}, {4096.0, 11008.0}}) {
    for (const bool tall : {false, true}) {
      const OperatorSum sum = sum_of(tall ? newton_schulz(c, r) : newton_schulz(r, c));
      EXPECT_DOUBLE_EQ(sum.flop, 5 * (4 * r * r * c + 2 * r * r * r));
      // BF16. The norm reads, the division reads and writes: 6 r c. An iteration's products read
      // two matrices and write one, 4 r c + 2 r^2, 6 r^2 and 2 r^2 + 4 r c, and so do its sums,
      // 6 r^2 and 6 r c.
      EXPECT_DOUBLE_EQ(sum.bytes, 6 * r * c + 5 * (14 * r * c + 16 * r * r));
      EXPECT_EQ(sum.launches, 2 + 5 * 5);
    }
  }
}

TEST(MostOwned, OfEqualMatricesIsTheirNumberOverTheRanksRoundedUp) {
  Model model = shipped_model("gpt_1.3b");
  model.feed_forward = model.hidden;  // six matrices a layer, all h x h
  const Roofline roofline = sample_roofline();
  const double h = model.hidden;
  const double one = roofline.block(newton_schulz(h, h)).seconds;
  for (const int layers : {1, 2, 24}) {
    for (const int ranks : {1, 2, 5, 6, 7, 64, 1000}) {
      const OwnedMatrices most = most_owned(matrices_of(model, layers), ranks, roofline);
      const double matrices = std::ceil(6.0 * layers / ranks);
      EXPECT_NEAR(most.time.seconds / (matrices * one), 1, 1e-12) << layers << " " << ranks;
      EXPECT_EQ(most.parameters, matrices * h * h) << layers << " " << ranks;
    }
  }
}

TEST(MostOwned, IsTheMeanOrTheLongestMatrixAndAtMostBothTogether) {
  const Roofline roofline = sample_roofline();
  for (const char* name : kModels) {
    const Model model = shipped_model(name);
    double all = 0;
    double longest = 0;
    for (const MatrixShape& shape : layer_matrices(model, {})) {
      const double one = roofline.block(newton_schulz(shape.rows, shape.columns)).seconds;
      all += model.layers * shape.count * one;
      longest = std::max(longest, one);
    }
    for (const int ranks : {1, 2, 3, 8, 13, 64, 100, 1024}) {
      const double most =
          most_owned(matrices_of(model, model.layers), ranks, roofline).time.seconds;
      EXPECT_GE(most * (1 + 1e-12), std::max(all / ranks, longest)) << name << " " << ranks;
      EXPECT_LE(most, (all / ranks + longest) * (1 + 1e-12)) << name << " " << ranks;
    }
    EXPECT_EQ(most_owned(matrices_of(model, model.layers), 1024, roofline).time.seconds, longest)
        << name;
  }
}

TEST(MostOwned, IsNeverLongerOnMoreRanks) {
  const Roofline roofline = sample_roofline();
  for (const char* name : kModels) {
    const Model model = shipped_model(name);
    double before = most_owned(matrices_of(model, model.layers), 1, roofline).time.seconds;
    for (int ranks = 2; ranks < 300; ++ranks) {
      const double now = most_owned(matrices_of(model, model.layers), ranks, roofline).time.seconds;
      EXPECT_LE(now, before) << name << " " << ranks;
      before = now;
    }
  }
}

}  // namespace
}  // namespace sim
