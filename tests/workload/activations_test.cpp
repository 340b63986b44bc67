// SPDX-License-Identifier: Apache-2.0
// Activations that a layer keeps beside those of its blocks.
#include "sim/workload/activations.hpp"

#include <gtest/gtest.h>

#include "tests/workload/shipped_model.hpp"

namespace {

using namespace sim;

const Parallelism kTwoSamples{
    .micro_batch = 2, .recompute = Recompute::none, .attention = Attention::fused};

double kept(const Model& model) {
  return kept_activations(model, kTwoSamples, kind_of(model, 0)).total();
}

TEST(Activations, OfNormsAroundABlockAreOneInputMoreOfEachBlock) {
  Model model = shipped_model("gemma_3_27b");
  const double both = kept(model);
  const double hidden = 2.0 * 2 * model.sequence * model.hidden;
  model.norm_place = Model::NormPlace::before;
  EXPECT_DOUBLE_EQ(both - kept(model), 2 * hidden);
  model.norm_place = Model::NormPlace::after;
  EXPECT_DOUBLE_EQ(both - kept(model), 2 * hidden);
}

TEST(Activations, OfModulatedLayersAreWhatIsScaledAndWhatGatesMultiply) {
  Model model = shipped_model("dit_xl");
  const double modulated = kept(model);
  // 34 of Korthikanti et al. (arXiv 2205.05198) for each token and column, less the masks' 2, and twice
  // two vectors of 2 bytes.
  const double elements = 2.0 * model.sequence * model.hidden;
  EXPECT_DOUBLE_EQ(modulated, (32 + 2 * 2 * 2) * elements);
  model.vision.frequencies = 0;
  EXPECT_DOUBLE_EQ(kept(model), 32 * elements);
}

}  // namespace
