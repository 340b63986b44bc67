// SPDX-License-Identifier: Apache-2.0
// Whole reductions: what they are where a plain computation says so, and where the errors of single
// encodes add up to theirs.
#include "codecs/error/reductions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "codecs/error/distributions.hpp"
#include "codecs/error/error.hpp"
#include "codecs/two_level/two_level.hpp"
#include "tests/codecs/error_table.hpp"

namespace codecs {
namespace {

constexpr RankShape kRanks{.gpus = 4, .nodes = 2};
constexpr std::size_t kReducedElements = std::size_t{1} << 15;
constexpr double kFloat = 1e-6;  // sums of float32

const Gradients& gradients(const std::string& distribution) {
  static std::map<std::string, Gradients> drawn;
  const auto [place, added] = drawn.try_emplace(distribution);
  if (added) {
    place->second =
        draw_gradients({&distribution_named(distribution), 0, 5}, kRanks.ranks(), kReducedElements);
  }
  return place->second;
}

double error_of(const Reduction& reduction, const std::string& distribution = "normal") {
  const Gradients& given = gradients(distribution);
  const AllReduceStep exchange = start_reduction(reduction, kRanks, kReducedElements, 3);
  return compare(given.mean, exchange(given.of_rank, 0)).relative_l2;
}

// All scales are of the same groups, and 8 ranks' division exact: single roundings apart.
TEST(Reductions, OnTwoLevelsAreTheReferences) {
  const Gradients& given = gradients("normal");
  const TwoLevel shape = two_level({.gpus_per_node = kRanks.gpus,
                                    .nodes = kRanks.nodes,
                                    .intra = codec_named("int8_g512").format,
                                    .inter = codec_named("int4_g512").format},
                                   kReducedElements);
  const auto expected = reduce_two_level(shape, given.of_rank, {});
  const AllReduceStep exchange =
      start_reduction({.hops = Hops::two_level, .first = "int8_g512", .again = "int4_g512"}, kRanks,
                      kReducedElements, 1);
  EXPECT_LT(compare(expected, exchange(given.of_rank, 0)).relative_l2, 0.005);
}

TEST(Reductions, OfValuesAsTheyAreAreExact) {
  for (const Hops hops : {Hops::gather, Hops::all_to_all, Hops::there_and_back, Hops::two_level}) {
    EXPECT_LT(error_of({.hops = hops, .first = "fp32", .again = "fp32"}), kFloat);
  }
}

// What is kept of a vector is never farther from it than nothing is: two choices of the largest of
// each 4096 lose less than all, where the squares of their errors add up to more.
TEST(Reductions, OfTheLargestElementsLoseLessThanAll) {
  const double once = error_of({.hops = Hops::gather, .first = "topk64"});
  const double twice = error_of({.hops = Hops::two_level, .first = "topk64", .again = "topk64"});
  EXPECT_GT(std::hypot(once, once), 1.3);
  EXPECT_GT(twice, once);
  EXPECT_LT(twice, 1);
}

// LoCo and EF-SGD begin with nothing to carry on.
TEST(Reductions, StartWithoutAnError) {
  for (const Carried carried : {Carried::float32, Carried::loco}) {
    const Reduction fed{.hops = Hops::two_level,
                        .first = "int4_full_g2048",
                        .again = "int4_full_g2048",
                        .carried = carried};
    Reduction plain = fed;
    plain.carried = Carried::nothing;
    EXPECT_EQ(error_of(fed), error_of(plain));
  }
}

// One encode of each rank: as much of the sum as of one gradient, whatever the codec.
TEST(Composition, OfOneHopIsOneEncode) {
  for (const Codec* codec : all_codecs()) {
    for (const char* distribution : {"normal", "student_t3"}) {
      const double one = relative_l2("codecs", std::string(codec->name), distribution);
      EXPECT_NEAR(error_of({.hops = Hops::gather, .first = codec->name}, distribution), one,
                  (distribution == std::string("normal") ? 0.05 : 0.2) * one + kFloat)
          << codec->name << " " << distribution;
    }
  }
}

// Of codecs that round, the errors of both encodes are independent: their squares add up. The second
// one is of sums, which are nearer to normal values than what is summed.
TEST(Composition, OfTwoEncodesThatRoundIsTheSumOfTheirSquares) {
  for (const Codec* codec : all_codecs()) {
    if (!rounds(codec->format)) continue;
    for (const char* distribution : {"normal", "student_t3"}) {
      const std::string name(codec->name);
      const double one = relative_l2("codecs", name, distribution);
      const auto with = [one](double second) {
        return std::hypot(one, second * std::hypot(1, one));
      };
      const auto [least, most] =
          std::minmax({with(one), with(relative_l2("codecs", name, "normal"))});
      const double whole =
          error_of({.hops = Hops::two_level, .first = name, .again = name}, distribution);
      EXPECT_GE(whole, 0.9 * least) << name << " " << distribution;
      EXPECT_LE(whole, 1.08 * most + kFloat) << name << " " << distribution;
    }
  }
}

}  // namespace
}  // namespace codecs
