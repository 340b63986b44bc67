// SPDX-License-Identifier: Apache-2.0
// What launchers put before the lines of a log changes no time, as long as it tells one test from
// another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/fit/log.hpp"
#include "tests/fit/sample_log.hpp"
#include "tests/input_errors.hpp"

namespace fit_tests {
namespace {

using sim::fit::Log;
using sim::fit::LogTime;
using sim::fit::parse_nccl_tests;

// A line and its number, as a launcher prints it.
using Launcher = std::function<std::string(const std::string& line, int number)>;

std::string launched(const std::string& text, const Launcher& launcher) {
  std::string all;
  int number = 0;
  for (const std::string& line : lines_of(text)) all += launcher(line, number++) + "\n";
  return all;
}

Launcher with_tag(const std::string& tag) {
  return [=](const std::string& line, int) { return tag + line; };
}

// `form` with the line's number as its seconds.
Launcher with_time(const std::string& form) {
  return [=](const std::string& line, int number) {
    return fmt::format(fmt::runtime(form), number % 60) + line;
  };
}

void expect_some_log(const std::string& text) {
  std::vector<Log> logs;
  ASSERT_EQ(input_error_of([&] { logs = parse_nccl_tests(text, "my.log"); }), "");
  ASSERT_EQ(logs.size(), 1u);
  const Log plain = parse_nccl_tests(good(), "my.log").front();
  EXPECT_EQ(logs[0].collective, plain.collective);
  EXPECT_EQ(logs[0].nodes, plain.nodes);
  EXPECT_EQ(logs[0].gpus_per_node, plain.gpus_per_node);
  ASSERT_EQ(logs[0].times.size(), plain.times.size());
  for (std::size_t i = 0; i < plain.times.size(); ++i) {
    EXPECT_EQ(logs[0].times[i].seconds, plain.times[i].seconds);
  }
}

void expect_refused_for(const std::string& text, const std::string& why) {
  const std::string error = input_error_of([&] { (void)parse_nccl_tests(text, "my.log"); });
  EXPECT_NE(error.find(why), std::string::npos) << error << "\n" << text;
  EXPECT_EQ(lines_of(error).size(), 1u);
  expect_located(error, "my.log");
}

// The lines of both, one of each in turn.
std::string in_turn(const std::string& one, const std::string& other) {
  const auto a = lines_of(one), b = lines_of(other);
  std::string all;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size()) all += a[i] + "\n";
    if (i < b.size()) all += b[i] + "\n";
  }
  return all;
}

TEST(LaunchedLog, HasItsTimesUnderEveryTag) {
  for (const char* tag :
       {"[1,0]<stdout>:", "[prterun-node-1-4711@1,0]<stdout>: ", "0: ", "  0: ", "12:", "[0] ",
        "[default0]:", "node-1: ", "worker-0 nccl ", "[pod/job-x7/nccl] ",
        "\x1b[36mnode-1 |\x1b[0m ", "job#7: ", "> ", "    ", "\t"}) {
    SCOPED_TRACE(tag);
    expect_some_log(launched(good(), with_tag(tag)));
  }
}

TEST(LaunchedLog, HasItsTimesBehindTimesOfDay) {
  for (const char* form :
       {"2026-11-28T16:18:{:02}.123456789Z ", "2026-11-28 16:18:{:02},500 INFO ",
        "2026/11/28 16:18:{:02} ", "[16:18:{:02}] ", "16:18:{:02}.5+01:00 ", "Nov  8 16:18:{:02} ",
        "Nov 28 16:18:{:02} node-1 nccl[12]: ", "Sat Nov 28 16:18:{:02} 2026[1,0]<stdout>:",
        "Sat Nov 28 16:18:{:02} 2026<stdout>: ", "[pod/x] 2026-11-28T16:18:{:02}Z "}) {
    SCOPED_TRACE(form);
    expect_some_log(launched(good(), with_time(form)));
  }
}

TEST(LaunchedLog, HasTheLineEndsOfAnySystem) {
  expect_some_log(launched(good(), [](const std::string& line, int) { return line + "\r"; }));
  expect_some_log("\xef\xbb\xbf" + good());
}

TEST(LaunchedLog, PassesOverTheLinesOfOtherRanks) {
  const auto noisy = [](const std::string& line, int number) {
    return "[1,0]<stdout>:" + line + "\n[1," + std::to_string(1 + number % 2) +
           "]<stderr>:node-1:4712 [1] init.cc:77 WARN all_reduce_perf # Rank 1 is slow 8 8 8";
  };
  expect_some_log(launched(good(), noisy));
}

TEST(LaunchedLog, MayHoldOneTaggedRunAfterAnother) {
  const std::string first = launched(good(), with_tag("[prterun-node-1-11@1,0]<stdout>:"));
  const std::string second = launched(good(), with_tag("[prterun-node-1-12@1,0]<stdout>:"));
  EXPECT_EQ(parse_nccl_tests(first + second, "my.log").size(), 2u);
}

// Without MPI, each process runs the test alone, and all print at once.
TEST(LaunchedLog, OfTestsWithoutMpiSaysSo) {
  const char* why = "MPI=1";
  const std::string zero = launched(good(), with_tag("0: "));
  expect_refused_for(in_turn(zero, launched(good(), with_tag("1: "))), why);
  expect_refused_for(in_turn(good(), good()), why);
  // The second starts later: a test has got to its ranks, its columns or its times.
  for (const char* started : {"Using devices", "Rank  1", "out-of-place", "(elements)"}) {
    const std::size_t line = good().rfind('\n', good().find(started)) + 1;
    expect_refused_for(good().substr(0, line) + in_turn(good().substr(line), good()), why);
  }
  Log alone = some_log();
  alone.nodes = alone.gpus_per_node = 1;
  expect_refused_for(log_text(alone, ""), why);
}

TEST(LaunchedLog, WithATagThatChangesFromLineToLineIsRefused) {
  const auto by_line = [](const std::string& line, int number) {
    return fmt::format("[{}.5] {}", number, line);
  };
  expect_refused_for(launched(good(), by_line), "remove what stands before each line");
  // And where it changes among the rows alone.
  const std::size_t rows = good().find("(elements)");
  const std::size_t begin = good().find('\n', rows) + 1;
  expect_refused_for(
      launched(good().substr(0, begin), with_tag("0: ")) + launched(good().substr(begin), by_line),
      "no row of times begins with '0:'");
}

// The lines of the ranks from `first` to `last`, replaced.
std::string without_ranks(std::string text, int first, int last, const std::string& by) {
  const std::size_t begin = text.find(fmt::format("#  Rank {:>2}", first));
  const std::size_t end = text.find('\n', text.find(fmt::format("#  Rank {:>2}", last))) + 1;
  return text.replace(begin, end - begin, by);
}

TEST(ElidedRanks, AreToldByTheDevicesOfTheOthers) {
  for (const char* dots : {"", "...\n", "#  ...\n", "# [...]\n", "#\n"}) {
    expect_some_log(without_ranks(good(), 1, 6, dots));
    expect_some_log(without_ranks(good(), 4, 6, dots));
    expect_some_log(without_ranks(good(), 1, 2, dots));
  }
  expect_some_log(launched(without_ranks(good(), 1, 6, "...\n"), with_tag("[1,0]<stdout>:")));
}

TEST(ElidedRanks, AreRefusedWhereNothingTellsThem) {
  expect_refused_for(without_ranks(good(), 4, 7, "#  ...\n"), "the last ranks are not listed");
  // Each process sees its own GPU alone, as device 0.
  std::string masked = without_ranks(good(), 2, 6, "...\n");
  for (int device = 1; device < 4; ++device) {
    const std::string from = fmt::format("device {:>2}", device);
    for (std::size_t at = masked.find(from); at != std::string::npos; at = masked.find(from)) {
      masked.replace(at, from.size(), "device  0");
    }
  }
  expect_refused_for(masked, "3 of 8 ranks are listed");
  expect_refused_for(edited(without_ranks(good(), 1, 6, ""), "device  3", "device  2"),
                     "print all ranks");
}

TEST(ElidedRows, LeaveTheOthers) {
  const std::string row = row_text(some_log(), some_log().times[1]);
  const auto logs = parse_nccl_tests(edited(good(), row, "      ...\n"), "my.log");
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].times.size(), 2u);
}

// Before version 2.13, "error" is the largest deviation, and rounding deviates.
std::string old_log(const std::string& error, const std::string& verdict) {
  std::string text = good();
  for (std::size_t at = text.find("#wrong"); at != std::string::npos; at = text.find("#wrong")) {
    text.replace(at, 6, " error");
  }
  for (std::size_t at = text.find("      0"); at != std::string::npos; at = text.find("      0")) {
    text.replace(at, 7, error);
  }
  return edited(text, "# Out of bounds values : 0 OK\n", verdict);
}

TEST(OldLog, IsRightWhereTheLastLineSaysSo) {
  expect_some_log(old_log("  2e-07", "# Out of bounds values : 0 OK\n"));
  expect_refused_for(old_log("  2e-07", "# Out of bounds values : 3 FAILED\n"),
                     "results were wrong");
  expect_refused_for(old_log("  2e-07", ""), "no line \"# Out of bounds values\"");
  expect_some_log(old_log("  0e+00", ""));
}

}  // namespace
}  // namespace fit_tests
