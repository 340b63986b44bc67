// SPDX-License-Identifier: Apache-2.0
// Checks of a spec that something ends before all of its points were run: a signal, a crash, a file
// that changes meanwhile.

#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

TEST(CheckEnds, ACrashIsAnErrorAndNoBaseline) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string baseline = text_of(sandbox.path() / "s.baseline.json");
  sandbox.write("s.toml", replaced_in(kLongSweep, "[400, 401, 402]", "[4000]"));
  Program program(words("check s.toml -j 1 --junit c.xml"), sandbox.path());
  ASSERT_NO_FATAL_FAILURE(signal_worker(program, SIGSEGV));
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_says(text_of(sandbox.path() / "c.xml"),
              {"errors=\"1\"", "<error type=\"new\"", "signal 11"});
  expect_valid_junit(sandbox, "c.xml");

  Program update(words("check s.toml -j 1 --update"), sandbox.path());
  ASSERT_NO_FATAL_FAILURE(signal_worker(update, SIGSEGV));
  EXPECT_EQ(update.wait().code, 1);
  EXPECT_EQ(text_of(sandbox.path() / "s.baseline.json"), baseline);
}

// As Slurm tells all processes of a job that is cancelled.
TEST(CheckEnds, APointThatIsStoppedFromOutsideIsNoResult) {
  const Sandbox sandbox;
  sandbox.write("s.toml", replaced_in(kLongSweep, "[400, 401, 402]", "[4000]"));
  Program program(words("check s.toml -j 1 --update"), sandbox.path());
  ASSERT_NO_FATAL_FAILURE(signal_worker(program, SIGTERM));
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 2);
  expect_says(outcome.err, {"s.toml: 1 of its points", "interrupted"});
  EXPECT_EQ(sandbox.names(), Arguments{"s.toml"});
}

TEST(CheckEnds, FilesThatChangeMeanwhileAreNoBaseline) {
  const Sandbox sandbox;
  sandbox.write("table.json", slower_table(1));
  sandbox.write("s.toml",
                replaced_in(kLongSweep, "[grid]", "calibration = \"./table.json\"\n[grid]"));
  Program program(words("check s.toml --update"), sandbox.path());
  ASSERT_TRUE(comes_true([&] { return !children_of(program.id()).empty(); }));
  sandbox.write("table.json", slower_table(1.03));
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 2);
  // After lines of progress, where it took long.
  expect_says(outcome.err, {"s.toml: ", "table.json changed while the points ran"});
  EXPECT_EQ(sandbox.names(), (Arguments{"s.toml", "table.json"}));
}

TEST(CheckEnds, CtrlCEndsItWithNothingWritten) {
  const Sandbox sandbox;
  ASSERT_NO_FATAL_FAILURE(interrupt(sandbox, "check s.toml -j 1 --update"));
  EXPECT_EQ(sandbox.names(), Arguments{"s.toml"});
}

}  // namespace
}  // namespace apps_tests
