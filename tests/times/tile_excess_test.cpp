// SPDX-License-Identifier: Apache-2.0
// The time that products lose to incomplete tiles and waves.
#include <gtest/gtest.h>

#include "sim/times/published.hpp"

namespace sim {
namespace {

constexpr double kRows = 128, kColumns = 256;

double excess(double m, double n, double count, double multiprocessors) {
  const PublishedProducts table{.tile_rows = kRows, .tile_columns = kColumns};
  return tile_excess(table, m, n, count, multiprocessors);
}

TEST(TileExcess, IsNoneOfWholeTilesInWholeWaves) {
  EXPECT_DOUBLE_EQ(excess(kRows, kColumns, 1, 1), 1);
  EXPECT_DOUBLE_EQ(excess(3 * kRows, 2 * kColumns, 4, 24), 1);
  EXPECT_DOUBLE_EQ(excess(3 * kRows, 2 * kColumns, 4, 12), 1) << "two waves";
}

TEST(TileExcess, IsWhatTheLastTilesOfAProductLackInEachDirection) {
  // 5 x 3 tiles for 4.5 x 2.25 of them, one after the other.
  EXPECT_DOUBLE_EQ(excess(4.5 * kRows, 2.25 * kColumns, 1, 1), 5 / 4.5 * (3 / 2.25));
}

TEST(TileExcess, IsWhatTheLastWaveLacks) {
  // 3 x 2 tiles of each of 3 products take 3 waves of 8 instead of 2.25.
  EXPECT_DOUBLE_EQ(excess(3 * kRows, 2 * kColumns, 3, 8), 3 / 2.25);
}

TEST(TileExcess, OfSmallProductsIsThatOfTilesOfMultiplesOf64) {
  EXPECT_DOUBLE_EQ(excess(64, kColumns, 1, 1), 1);
  EXPECT_DOUBLE_EQ(excess(48, kColumns, 1, 1), 64.0 / 48);
  EXPECT_DOUBLE_EQ(excess(kRows, 65, 1, 1), 128.0 / 65);
}

TEST(TileExcess, DoesNotShowInATableWithoutTiles) { EXPECT_EQ(tile_excess({}, 1, 1, 1, 132), 1); }

}  // namespace
}  // namespace sim
