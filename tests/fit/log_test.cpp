// SPDX-License-Identifier: Apache-2.0
// Logs read back as they were, and whatever cannot be believed is refused where it stands.
#include "sim/fit/log.hpp"

#include <gtest/gtest.h>

#include "tests/fit/sample_log.hpp"
#include "tests/input_errors.hpp"

namespace fit_tests {
namespace {

using sim::fit::Log;
using sim::fit::parse_nccl_tests;
using sim::fit::parse_timings_csv;

void expect_log_refused(const std::string& text, const std::string& what) {
  SCOPED_TRACE(what);
  const std::string error = input_error_of([&] { (void)parse_nccl_tests(text, "my.log"); });
  EXPECT_NE(error.find(what), std::string::npos) << error;
  EXPECT_EQ(lines_of(error).size(), 1u);
  expect_located(error, "my.log");
}

TEST(NcclTestsLog, ReadsWhatTheProgramPrints) {
  const std::vector<Log> logs = parse_nccl_tests(good(), "my.log");
  ASSERT_EQ(logs.size(), 1u);
  const Log expected = some_log();
  EXPECT_EQ(logs[0].collective, expected.collective);
  EXPECT_EQ(logs[0].nodes, 2);
  EXPECT_EQ(logs[0].gpus_per_node, 4);
  ASSERT_EQ(logs[0].times.size(), expected.times.size());
  for (std::size_t i = 0; i < expected.times.size(); ++i) {
    EXPECT_EQ(logs[0].times[i].bytes, expected.times[i].bytes);
    EXPECT_NEAR(logs[0].times[i].seconds / expected.times[i].seconds, 1, 1e-5);
  }
}

// A log of nccl-tests 2.0 on one host with 2 GPUs in one process: no root, no program, "error" for
// "#wrong", N/A where nothing was checked; launchers and NCCL print between its lines.
TEST(NcclTestsLog, ReadsOldVersionsAndSkipsTheOutputOfOthers) {
  const std::string text =
      "+ mpirun -np 1 ./app\n"
      "# nThread 1 nGpus 2 minBytes 0 maxBytes 134217728 step: 2(factor) warmup iters: 5 "
      "iters: 20 validation: 1\n"
      "#\n# Using devices\n"
      "#   Rank  0 Pid   1297 on dgx-01 device  0 [0x06] Tesla V100-SXM2-32GB\n"
      "#   Rank  1 Pid   1297 on dgx-01 device  1 [0x07] Tesla V100-SXM2-32GB\n"
      "NCCL version 2.4.8+cuda10.1\n"
      "#\n"
      "#       size         count      type     time   algbw   busbw  error     time   algbw\n"
      "#        (B)    (elements)               (us)  (GB/s)  (GB/s)            (us)  (GB/s)\n"
      "           0             0     float    11.02    0.00    0.00    N/A    10.90    0.00\n"
      "dgx-01:1297:1310 [0] NCCL INFO Launch mode Parallel\n"
      "     1048576        262144     float    40.00   26.21   13.11  0e+00    39.00   26.89\n"
      "# Out of bounds values : 0 OK\n"
      "bye\n";
  const std::vector<Log> logs =
      parse_nccl_tests(text, "old.log", &sim::collective_named("all_gather"));
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].gpus(), 2);
  ASSERT_EQ(logs[0].times.size(), 1u) << "a buffer of 0 B is no collective";
  EXPECT_DOUBLE_EQ(logs[0].times[0].seconds, 40e-6);
}

TEST(NcclTestsLog, ReadsRunsOneAfterAnother) {
  Log gather = some_log();
  gather.collective = &sim::collective_named("all_gather");
  const auto logs = parse_nccl_tests(good() + log_text(gather, "all_gather_perf"), "my.log");
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].collective->name, "all_reduce");
  EXPECT_EQ(logs[1].collective->name, "all_gather");
  EXPECT_EQ(logs[1].times.size(), 3u);
}

TEST(NcclTestsLog, RefusesWhatCannotBeBelieved) {
  const std::string row = row_text(some_log(), some_log().times[1]);
  expect_log_refused("", "no line of column names");
  expect_log_refused("size 8\n8 8 8\n", "no line of column names");
  expect_log_refused(good().substr(0, good().find(row) + 40), "of 13 columns");
  expect_log_refused(edited(good(), "61.5", "6l.5"), "time: '6l.5' is not a number");
  expect_log_refused(edited(good(), "61.5", "-61.5"), "time: '-61.5' is not a number");
  expect_log_refused(edited(good(), "61.5", " nan"), "time: 'nan' is not a number");
  expect_log_refused(edited(good(), "61.5", "   0"), "time: is 0");
  expect_log_refused(edited(good(), "61.5", "16.5"), "algbw: 17.05 is not 1048576 B in 16.5 us");
  // So short that the bandwidth is infinite.
  expect_log_refused(edited(good(), "  61.5", "1e-320"), "algbw: 17.05 is not 1048576 B in 1e-320");
  expect_log_refused(edited(good(), "      0  ", "      3  "), "results were wrong");
  expect_log_refused(edited(good(), "1048576 ", "1O48576 "), "size: '1O48576' is not a number");
  expect_log_refused(edited(good(), row, "Segmentation fault\n"), "has 2 of 13 columns");
  expect_log_refused(edited(edited(good(), "            (us)", "            (ms)"), "(us)", "(ms)"),
                     "times are not in us");
  expect_log_refused(edited(good(), "algbw", "speed"), "no columns time, algbw and busbw");
  expect_log_refused(edited(good(), "starting: all_reduce_perf", "starting: broadcast_perf"),
                     "broadcast_perf: cannot be fitted");
  expect_log_refused(edited(good(), "Rank  3", "Rank  5"), "rank 4 follows rank 5");
  expect_log_refused(edited(good(), "Rank  0 Group  0", "Rank  0 Group  1"), "several groups");
  expect_log_refused(edited(good(), "4718 on     node-1", "4718 on     node-2"), "hosts have");
  // Half of the ranks are cut out of the list.
  std::string halved = good();
  const std::size_t first = halved.find("#  Rank  4");
  halved.erase(first, halved.find("#\n", first) - first);
  expect_log_refused(halved, "busbw: 29.84 is not that of all_reduce on 4 GPUs");
}

TEST(NcclTestsLog, AsksForACollectiveThatNothingNames) {
  const std::string error =
      input_error_of([] { (void)parse_nccl_tests(log_text(some_log(), ""), "my.log"); });
  EXPECT_TRUE(error.starts_with("`collective`: my.log ")) << error;
  // And a wrong one is noticed: the bus bandwidth is not that of an all_gather.
  EXPECT_NE(input_error_of([] {
              (void)parse_nccl_tests(log_text(some_log(), ""), "my.log",
                                     &sim::collective_named("all_gather"));
            }).find("busbw"),
            std::string::npos);
}

// Whatever part of a log is lost, it is read or refused at a line, and no time changes.
TEST(NcclTestsLog, CutOffAnywhereItNeverInventsATime) {
  const std::string text = good();
  const Log whole = parse_nccl_tests(text, "my.log").front();
  for (std::size_t end = 0; end < text.size(); ++end) {
    std::vector<Log> logs;
    const std::string error =
        input_error_of([&] { logs = parse_nccl_tests(text.substr(0, end), "my.log"); });
    if (!error.empty() && !error.starts_with("`collective`")) expect_located(error, "my.log");
    for (const Log& log : logs) {
      ASSERT_LE(log.times.size(), whole.times.size());
      for (std::size_t i = 0; i < log.times.size(); ++i) {
        EXPECT_EQ(log.times[i].seconds, whole.times[i].seconds) << end;
      }
    }
  }
}

TEST(TimingsCsv, HasARunForEachLogAndCollective) {
  const std::string head = "log,collective,nodes,gpus_per_node,bytes,seconds\n";
  const auto logs = parse_timings_csv(head +
                                          "a,all_reduce,1,8,1024,1e-5\na,all_gather,1,8,1024,2e-5\n"
                                          "a,all_reduce,1,8,2048,3e-5\n",
                                      "times.csv");
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].times.size(), 2u);
  EXPECT_EQ(logs[1].times[0].seconds, 2e-5);
  for (const char* line :
       {"a,all_reduce,1,1,1024,1e-5", "a,all_reduce,1,8,-3,1e-5", "a,all_reduce,1,8,1024,inf",
        "a,all_reduce,1,8,1024", "a,all_gathr,1,8,1024,1e-5", "a,all_reduce,1,8,1024,1e-320",
        "a,all_reduce,1,8,1e-320,1e-5", "a,all_reduce,1.5,8,1024,1e-5",
        "a,all_reduce,1e18,8,1024,1e-5", "a,all_reduce,1,1e18,1024,1e-5"}) {
    const std::string error =
        input_error_of([&] { (void)parse_timings_csv(head + line + "\n", "times.csv"); });
    EXPECT_TRUE(error.starts_with("times.csv:2:1: ")) << error;
  }
}

TEST(TimingsCsv, HasATime) {
  const char* head = "# mine\nlog,collective,nodes,gpus_per_node,bytes,seconds\n";
  EXPECT_EQ(input_error_of([&] { (void)parse_timings_csv(head, "times.csv"); }),
            "times.csv:2:1: is followed by no line; write one for each size");
}

}  // namespace
}  // namespace fit_tests
