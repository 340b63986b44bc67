// SPDX-License-Identifier: Apache-2.0
// The Pareto front of speed and codec error.
#include "sim/report/pareto.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sim {
namespace {

Report step(double tokens_per_s, std::optional<double> error) {
  Report report;
  report.tokens_per_s = tokens_per_s;
  report.pareto = ParetoPlace{};
  report.pareto->error = error;
  return report;
}

Report plain(double tokens_per_s) {
  Report report = step(tokens_per_s, std::nullopt);
  report.pareto->sends_plain = true;
  return report;
}

// One letter a step: whether it is on the front.
std::string front_of(std::vector<Report> reports) {
  mark_pareto_front(reports);
  std::string front;
  for (const Report& report : reports) front += report.pareto->on_front ? 'y' : 'n';
  return front;
}

TEST(ParetoFront, IsOfStepsThanWhichNoneIsBothFasterAndMoreExact) {
  EXPECT_EQ(front_of({step(1, 0.1), step(2, 0.2), step(3, 0.3)}), "yyy");
  EXPECT_EQ(front_of({step(1, 0.3), step(2, 0.2), step(3, 0.1)}), "nny");
  EXPECT_EQ(front_of({step(2, 0.1), step(1, 0.1), step(2, 0.2)}), "ynn");
  EXPECT_EQ(front_of({step(2, 0.1), step(2, 0.1)}), "yy");
}

TEST(ParetoFront, KnowsNoErrorThatWasNotMeasured) {
  EXPECT_EQ(front_of({step(9, std::nullopt), step(1, 0.1)}), "ny");
}

// A measured error of 0 is still that of a codec.
TEST(ParetoFront, BeginsWithTheFastestThatSendsValuesAsTheyAre) {
  EXPECT_EQ(front_of({plain(1), plain(2), step(3, 0.1), step(2, 0.0), step(1.5, 0.01)}), "nyynn");
}

TEST(ParetoFront, IsOfStepsThatFitInMemory) {
  std::vector<Report> reports{step(9, 0.01), step(1, 0.1)};
  reports[0].fits_memory = false;
  EXPECT_EQ(front_of(reports), "ny");
}

// Each part that is encoded counts, the worse one.
TEST(ParetoPlace, HasTheErrorOfAllThatIsEncoded) {
  Report report;
  report.codec_error = {{"normal", 0.2}, {"weights_lr_6e-4", 0.01}};
  EXPECT_EQ(pareto_place(scheme_named("sdp4bit"), report).error, 0.2);
  report.codec_error = {{"normal", 0.2}};
  EXPECT_EQ(pareto_place(scheme_named("tlq"), report).error, 0.2);
  EXPECT_FALSE(pareto_place(scheme_named("sdp4bit"), report).error);
  report.codec_error = {{"weights_lr_6e-4", 0.01}};
  EXPECT_EQ(pareto_place(scheme_named("qwd"), report).error, 0.01);
  EXPECT_FALSE(pareto_place(scheme_named("sdp4bit"), report).error);
  EXPECT_FALSE(pareto_place(scheme_named("qwd"), {}).error);
  report.codec_error = {{"normal", {}}};
  EXPECT_FALSE(pareto_place(scheme_named("tlq"), report).error);
}

TEST(ParetoPlace, HasNoErrorWhereThereIsNoCodec) {
  Report report;
  report.codec_error = {{"weights_lr_6e-4", 0.002}};  // of BF16 weights
  EXPECT_TRUE(pareto_place(scheme_named("sharded"), report).sends_plain);
  EXPECT_FALSE(pareto_place(scheme_named("sharded"), report).error);
}

}  // namespace
}  // namespace sim
