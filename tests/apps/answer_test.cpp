// SPDX-License-Identifier: Apache-2.0
// The sentence above the table of run: who trains fastest, how fast, over what; and its numbers.
#include "apps/run/answer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "apps/words.hpp"

namespace apps {
namespace {

using Reports = std::vector<sim::Report>;

sim::Report step(const char* scheme, double tokens_per_s, double speedup = 0) {
  sim::Report report;
  report.scheme = scheme;
  report.tokens_per_s = tokens_per_s;
  report.speedup = speedup;
  if (speedup > 0) report.baseline = "sharded";
  return report;
}

sim::Report too_large(sim::Report report) {
  report.fits_memory = false;
  return report;
}

std::string sentence(const Reports& reports) { return answer(reports); }

TEST(Answer, OfOneSchemeIsItsSpeedAndLikelyRange) {
  sim::Report report = step("sdp4bit", 206763.4);
  EXPECT_EQ(sentence({report}), "sdp4bit trains at 206 763 tokens/s");
  report.range = {.tokens_per_s_low = 169871, .tokens_per_s_high = 240449};
  EXPECT_EQ(sentence({report}), "sdp4bit trains at 206 763 tokens/s, likely 170 000 to 240 000");
}

TEST(Answer, ComparesWithTheBaseline) {
  const auto with = [](double speedup) {
    return sentence({step("sharded", 100), step("sdp4bit", 100 * speedup, speedup)});
  };
  EXPECT_EQ(with(2.5), "sdp4bit trains 2.5 times as fast as sharded: 250 tokens/s");
  EXPECT_EQ(with(1.08), "sdp4bit trains 1.08 times as fast as sharded: 108 tokens/s");
  EXPECT_EQ(with(1.05),
            "sdp4bit trains 1.05 times as fast as sharded, too close to call: 105 tokens/s");
  EXPECT_EQ(with(0.96),
            "sdp4bit trains 0.96 times as fast as sharded, too close to call: 96 tokens/s");
  EXPECT_EQ(with(0.8), "sdp4bit trains 20 % slower than sharded: 80 tokens/s");
}

// A gain of 30 % is none if the constants could take it away; one of 3 % is, if they cannot.
TEST(Answer, GoesByTheRangeOfASpeedUp) {
  sim::Report unsure = step("sdp4bit", 130, 1.3), sure = step("sdp4bit", 103, 1.03);
  unsure.speedup_range = {.low = 0.9, .high = 1.9};
  sure.speedup_range = {.low = 1.01, .high = 1.05};
  EXPECT_EQ(
      sentence({step("sharded", 100), unsure}),
      "sdp4bit trains 1.3 times as fast as sharded, too close to call (likely 0.9 to 1.9): 130 "
      "tokens/s");
  EXPECT_EQ(sentence({step("sharded", 100), sure}),
            "sdp4bit trains 1.03 times as fast as sharded (likely 1.01 to 1.05): 103 tokens/s");
}

TEST(Answer, OfABaselineAloneIsItsSpeed) {
  EXPECT_EQ(sentence({step("sharded", 100, 1)}), "sharded trains at 100 tokens/s");
  EXPECT_EQ(sentence({step("sharded", 100, 1), step("tlq", 150, 1.5)}),
            "tlq trains 1.5 times as fast as sharded: 150 tokens/s");
}

TEST(Answer, OfSeveralNamesTheFastestFirst) {
  EXPECT_EQ(sentence({step("a", 100), step("b", 300), step("c", 200), step("d", 50)}),
            "b trains fastest: 300 tokens/s; next c (200) and a (100)");
  EXPECT_EQ(sentence({step("sharded", 100), step("a", 200, 2), step("b", 12000, 120)}),
            "b trains fastest, 120 times as fast as sharded: 12 000 tokens/s; next a (200)");
  EXPECT_EQ(sentence({step("sharded", 100), step("a", 80, 0.8), step("b", 98, 0.98)}),
            "none of 2 schemes beats sharded; b comes closest: 98 tokens/s; next a (80)");
}

TEST(Answer, CallsNoneFastestThatBeatsNoOther) {
  EXPECT_EQ(sentence({step("a", 100), step("b", 104)}),
            "b and a are too close to call, within 4 % of one another: up to 104 tokens/s");
  EXPECT_EQ(sentence({step("a", 100), step("b", 104), step("c", 50)}),
            "b and a train fastest, within 4 % of one another: up to 104 tokens/s; next c (50)");
  EXPECT_EQ(sentence({step("a", 100), step("b", 100)}), "a and b train equally fast: 100 tokens/s");
  EXPECT_EQ(sentence({step("a", 100), step("b", 108)}),
            "b trains fastest: 108 tokens/s; next a (100)");
  EXPECT_EQ(sentence({step("sharded", 50), step("a", 100, 2), step("b", 104, 2.08)}),
            "b and a are too close to call, within 4 % of one another, up to 2.08 times as fast as "
            "sharded: up to 104 tokens/s");
}

// Each with its own baseline: the fastest one need not gain most.
TEST(Answer, SaysWhereTheFastestDoesNotBeatItsOwnBaseline) {
  sim::Report other = step("other", 90, 1.5);
  other.baseline = "slow";
  EXPECT_EQ(
      sentence({step("a", 99, 0.99), other}),
      "a trains fastest, but 0.99 times as fast as sharded, too close to call: 99 tokens/s; next "
      "other (90)");
}

TEST(Answer, OfWhatDoesNotFitIsNoSpeed) {
  EXPECT_EQ(sentence({too_large(step("a", 300))}),
            "a does not fit in memory; if it did, it would train at 300 tokens/s");
  EXPECT_EQ(sentence({step("sharded", 100), too_large(step("a", 300, 3))}),
            "a does not fit in memory; if it did, it would train 3 times as fast as sharded: 300 "
            "tokens/s");
  EXPECT_EQ(sentence({too_large(step("a", 300)), too_large(step("b", 400))}),
            "no scheme fits in memory; if all did, b would train at 400 tokens/s");
  EXPECT_EQ(sentence({too_large(step("a", 300)), step("b", 200), too_large(step("c", 400))}),
            "b trains at 200 tokens/s; a and c do not fit in memory");
  EXPECT_EQ(sentence({too_large(step("sharded", 100)), step("a", 200, 2)}),
            "a trains at 200 tokens/s; sharded does not fit in memory")
      << "nothing is as fast as what cannot run";
}

TEST(Answer, OfRoundsLeavesOutThoseThatNeverEnd) {
  sim::Report round;
  round.scheme = "diloco";
  round.tokens_per_s = 78520;
  sim::Report endless = round;
  endless.scheme = "wan_sync";
  endless.time_s = std::numeric_limits<double>::infinity();
  endless.tokens_per_s = 0;
  EXPECT_EQ(sentence({round}), "diloco trains at 78 520 tokens/s");
  EXPECT_EQ(sentence({endless}), "wan_sync completes no round");
  EXPECT_EQ(sentence({endless, round}),
            "diloco trains at 78 520 tokens/s; wan_sync completes no round");
  EXPECT_EQ(sentence({endless, endless}), "no scheme completes a round");
}

TEST(Answer, GroupsDigitsFromTenThousandOn) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(9999), "9999");
  EXPECT_EQ(grouped(9999.6), "10 000");
  EXPECT_EQ(grouped(206763), "206 763");
  EXPECT_EQ(grouped(1234567890), "1 234 567 890");
}

TEST(Answer, ListsAtMostFiveNames) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e"}), "a, b, c, d and e");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f"}), "a, b, c, d and 2 more");
}

TEST(Answer, RoundsRangesToThreeDigits) {
  EXPECT_EQ(rounded_range(81629, 83757), "81 600 to 83 800");
  EXPECT_EQ(rounded_range(0.4, 12.34), "0 to 12");
  EXPECT_EQ(rounded_range(999.6, 1004), "1000 to 1000");
}

TEST(Answer, WrapsBetweenWordsAndNotInNumbers) {
  EXPECT_EQ(wrapped("trains 1.1 times as fast: 7 313 993 tokens/s", 31),
            "trains 1.1 times as fast:\n7 313 993 tokens/s");
  EXPECT_EQ(wrapped("one two", 7), "one two");
  EXPECT_EQ(wrapped("one two", 6), "one\ntwo");
  EXPECT_EQ(wrapped("longer than the width", 3), "longer\nthan\nthe\nwidth");
  EXPECT_EQ(wrapped("", 10), "");
}

}  // namespace
}  // namespace apps
