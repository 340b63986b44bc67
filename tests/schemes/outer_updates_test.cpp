// SPDX-License-Identifier: Apache-2.0
// What the outer step between sites keeps and moves in memory.
#include <gtest/gtest.h>

#include "sim/schemes/scheme.hpp"

namespace sim {
namespace {

double values_moved(const char* scheme) {
  return scheme_named(scheme).between_sites->update_bytes / 4;
}

// A step reads the outer weights, their momentum, the reduced change and the weights, and writes all of
// these but the change.
TEST(OuterUpdates, MoveSevenValuesOfAParameter) {
  for (const char* scheme : {"diloco", "streaming_diloco", "decoupled_diloco", "muloco"}) {
    EXPECT_EQ(values_moved(scheme), 7) << scheme;
  }
}

// Eager sites step by their own change and again by the others'; NoLoCo averages weights and momentum.
TEST(OuterUpdates, OfTwoResultsMoveTwiceAsMuch) {
  for (const char* scheme : {"eager_diloco", "noloco"}) {
    EXPECT_EQ(values_moved(scheme), 2 * values_moved("diloco")) << scheme;
  }
}

// The outer weights and their momentum in FP32, and an eager site's own change.
TEST(OuterState, IsTwoValuesOfAParameterAndTheChangeOfAnEagerSite) {
  EXPECT_EQ(scheme_named("diloco").between_sites->state_bytes, 2 * 4);
  EXPECT_EQ(scheme_named("eager_diloco").between_sites->state_bytes, 3 * 4);
}

}  // namespace
}  // namespace sim
