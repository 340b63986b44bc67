// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/testbed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/input_errors.hpp"

namespace sim::validation {
namespace {

const std::string kPredictions =
    "# Made up.\n"
    "grid,cell,twin,kind,overlap,step_s,codec_s,null_s,break_even_bps,flags\n";
const std::string kMeasurements = "# Made up.\ncell,repetition,step_s,break_even_bps\n";

std::vector<TestbedCell> made_up(const std::string& predictions, const std::string& measurements) {
  return testbed_cells(parse_csv(kPredictions + predictions, "p.csv"),
                       parse_csv(kMeasurements + measurements, "m.csv"));
}

// A job of 2 s, a scheme that is predicted to take half of it and takes 1.6 s, and one that is
// predicted to be as fast as plain arithmetic says, and is not apart from the job.
const std::string kCells =
    "a,job,,step,off,2,0,2,,--flags\n"
    "a,gains,job,step,off,1,0.06,1.25,,\n"
    "a,near,job,step,off,1.6,0.08,1.6,,\n"
    "b,job_b,,round,on,4,0,4,,\n"
    "b,loses,job_b,round,on,5,0,2,,\n"
    "c,turn,,break_even,,,,,3e8,\n"
    "c,no_turn,,break_even,,,,,,\n";
const std::string kTimes =
    "job,1,2,\njob,2,1.9,\njob,3,2.1,\n"
    "gains,1,1.5,\ngains,2,1.6,\ngains,3,1.7,\n"
    "near,1,2,\n"
    "job_b,1,4,\n"
    "loses,1,8,\n"
    "turn,low,,1e8\nturn,high,,4e8\n"
    "no_turn,low,,1e9\nno_turn,high,,\n";

TEST(Testbed, TimesAreComparedWithTheMedianOfTheRepetitions) {
  const auto scores = testbed_scores(made_up(kCells, kTimes));
  // Frozen: 2 of 2, 1 of 1.6 and 1.6 of 2 s. Now: nothing is predicted yet, 0 s.
  const TestbedScores& a = scores.times.at("a, step");
  EXPECT_EQ(a.cells, 3);
  EXPECT_NEAR(a.errors[kFrozen].mean, (0 + 0.375 + 0.2) / 3, 1e-12);
  EXPECT_NEAR(a.errors[kFrozen].worst, 0.375, 1e-12);
  EXPECT_NEAR(a.errors[kNow].mean, 1, 1e-12);
  EXPECT_NEAR(a.errors[kNull].mean, (0 + 0.35 / 1.6 + 0.2) / 3, 1e-12);
  EXPECT_EQ(scores.times.at("b, round").cells, 2);
  EXPECT_FALSE(scores.times.contains("c, break_even"));
}

TEST(Testbed, SpeedUpsHaveASignIfAllPairingsOfRepetitionsAgree) {
  auto cells = made_up(kCells, kTimes);
  for (TestbedCell& cell : cells) cell.predicted[kNow] = cell.is_measured() ? cell.middle() : 0;
  const auto scores = testbed_scores(cells);
  // Measured 1.25 and 1 (within noise), frozen 2 and 1.25, plain arithmetic 1.6 and 1.25.
  const TestbedScores& a = scores.speed_ups.at("a, step");
  EXPECT_EQ(a.cells, 2);
  EXPECT_EQ(a.signs, 1);
  EXPECT_NEAR(a.errors[kFrozen].mean, (0.6 + 0.25) / 2, 1e-12);
  EXPECT_NEAR(a.errors[kNull].mean, (0.28 + 0.25) / 2, 1e-12);
  EXPECT_NEAR(a.errors[kNow].worst, 0, 1e-12) << "the measured times themselves";
  EXPECT_EQ(a.errors[kFrozen].right, 1);
  // Measured 0.5, frozen 0.8, plain arithmetic 2.
  const TestbedScores& b = scores.speed_ups.at("b, round");
  EXPECT_EQ(b.signs, 1);
  EXPECT_EQ(b.errors[kFrozen].right, 1);
  EXPECT_EQ(b.errors[kNull].right, 0);
  // Codecs take 6 % of `gains` and just 5 % of `near`; `loses` overlaps.
  EXPECT_EQ(scores.where_it_matters.cells, 2);
  EXPECT_NEAR(scores.where_it_matters.errors[kFrozen].mean, 0.6, 1e-12);
}

TEST(Testbed, ASpeedUpOfExactlyOneIsRightForNoSign) {
  for (const char* time : {"1", "4"}) {
    const auto scores =
        testbed_scores(made_up("a,job,,step,off,2,0,2,,\na,same,job,step,off,2,0,2,,\n",
                               std::string("job,1,2,\nsame,1,") + time + ",\n"));
    EXPECT_EQ(scores.speed_ups.at("a, step").signs, 1);
    EXPECT_EQ(scores.speed_ups.at("a, step").errors[kFrozen].right, 0);
  }
}

TEST(Testbed, CellsThatAreNotMeasuredAreNotScored) {
  const auto cells = made_up(kCells, "gains,1,1.6,\njob_b,1,4,\nturn,low,,1e8\n");
  const auto scores = testbed_scores(cells);
  EXPECT_EQ(scores.times.at("a, step").cells, 1);
  EXPECT_TRUE(scores.speed_ups.empty()) << "without the twin's time";
  EXPECT_FALSE(cells[5].is_measured()) << "one end of a bisection";
}

TEST(Testbed, BreakEvensAreTheGeometricMiddleOfTheEndsOrNone) {
  const auto cells = made_up(kCells, kTimes);
  EXPECT_NEAR(cells[5].middle(), 2e8, 1);
  EXPECT_EQ(cells[5].predicted[kFrozen], 3e8);
  EXPECT_TRUE(std::isinf(cells[6].predicted[kFrozen]));
  EXPECT_TRUE(std::isinf(cells[6].middle()));
}

TEST(Testbed, OfSeveralBisectionsTheMedianCounts) {
  const auto cells = made_up(kCells,
                             "turn,low,,1e8\nturn,high,,4e8\nturn,low,,9e8\nturn,high,,9e8\n"
                             "turn,low,,3e8\nturn,high,,3e8\n");
  EXPECT_NEAR(cells[5].middle(), 3e8, 1);
}

TEST(Testbed, SaysWhereAFileIsWrong) {
  const auto error = [](const std::string& predictions, const std::string& measurements) {
    return input_error_of([&] { (void)made_up(predictions, measurements); });
  };
  EXPECT_EQ(error(kCells, "jbo,1,2,\n"), "m.csv:3:1: cell: 'jbo' is no cell of the predictions");
  EXPECT_EQ(error(kCells, "job,1,,\n"), "m.csv:3:1: step_s: '' is not a number above 0");
  EXPECT_EQ(error(kCells + "a,job,,step,off,2,0,2,,\n", ""),
            "p.csv:10:1: cell: 'job' is there twice");
  EXPECT_EQ(error("a,x,y,step,off,2,0,2,,\n", ""),
            "p.csv:3:1: twin: 'y' is no cell of the predictions");
  EXPECT_EQ(error("c,y,,break_even,,,,,,\na,x,y,step,off,2,0,2,,\n", ""),
            "p.csv:4:1: twin: is no step and no round");
  EXPECT_EQ(error("a,x,,step,off,2,-1,2,,\n", ""),
            "p.csv:3:1: codec_s: '-1' is not a number above 0");
  EXPECT_EQ(error("a,x,,step,off,0,0,2,,\n", ""), "p.csv:3:1: step_s: '0' is not a number above 0");
}

}  // namespace
}  // namespace sim::validation
