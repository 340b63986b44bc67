// SPDX-License-Identifier: Apache-2.0
// Outputs of all commands: whole or not there, and never in the place of an input.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "apps/run/run_options.hpp"
#include "sim/base/printable.hpp"
#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

namespace fs = std::filesystem;

// A sweep of two points over files of its own, with its baseline, run's report and a merged store.
class Outputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    write_study(*sandbox_);
    for (const auto& [shipped, name] : {std::pair{"topologies/sdp4bit_a100.toml", "cluster.toml"},
                                        {"traces/models/gpt_125m.toml", "model.toml"}}) {
      fs::copy(source_directory() / shipped, sandbox_->path() / name);
    }
    sandbox_->write("scheme.toml", run(words("list scheme sdp4bit"), "/").out);
    ASSERT_EQ(run(words("sweep s.toml"), sandbox_->path()).code, 0);
    sandbox_->write("r.json", run(words(std::string(kRun) + " --format json"), here()).out);
  }
  static void TearDownTestSuite() { delete sandbox_; }
  static const fs::path& here() { return sandbox_->path(); }

  static constexpr std::string_view kRun =
      "run --topology ./cluster.toml --model ./model.toml --calibration ./table.json "
      "--scheme ./scheme.toml --nodes 1";
  static inline Sandbox* sandbox_ = nullptr;
};

TEST_F(Outputs, AreNotTheSpecOfAStoreWhereverItLies) {
  sandbox_->write("elsewhere.toml", text_of(here() / "s.toml"));
  for (const char* command :
       {"export s.sqlite -o elsewhere.toml", "report s.sqlite -o elsewhere.toml"}) {
    expect_refused(run(words(command), here()), "--output");
  }
}

// A store may lie apart from its spec, and from what the spec's paths start from.
TEST_F(Outputs, AreNoInputsOfAStoreWhereverTheyLie) {
  fs::create_directory(here() / "apart");
  fs::copy(here() / "s.sqlite", here() / "apart/s.sqlite");
  const std::string before = text_of(here() / "table.json");
  for (const char* command : {"export apart/s.sqlite -o table.json",
                              "report apart/s.sqlite --timeline none -o table.json"}) {
    expect_refused(run(words(command), here()), "--output");
  }
  expect_refused(
      run(words("check apart/s.sqlite --baseline s.baseline.json --junit table.json"), here()),
      "--junit");
  EXPECT_EQ(text_of(here() / "table.json"), before);
}

TEST_F(Outputs, AreFilesOfTheirOwn) {
  const std::string to_two = std::string(kRun) + " --range off --perfetto x ";
  for (const auto& [command, flag] :
       {std::pair<std::string, const char*>{"check s.toml --junit x --markdown ./x", "--markdown"},
        {to_two + "--kineto ./x", "--kineto"}}) {
    expect_refused(run(words(command), here()), flag);
    EXPECT_FALSE(fs::exists(here() / "x"));
  }
}

// What is no regular file stays what it is, and gets what a regular one would.
TEST_F(Outputs, ThatAreNoRegularFilesAreWrittenInPlace) {
  const fs::path pipe = here() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", here() / "to_pipe");
  for (const std::string command : {"export s.sqlite -o ", "report s.sqlite --timeline none -o ",
                                    "check s.toml --junit ", "check s.toml --markdown ",
                                    "run --topology sdp4bit_a100 --model gpt_125m --nodes 1 "
                                    "--perfetto "}) {
    SCOPED_TRACE(command);
    std::string read;
    std::thread reader([&] { read = text_of(pipe); });
    EXPECT_EQ(run(words(command + "to_pipe"), here()).code, 0);
    reader.join();
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_TRUE(fs::is_symlink(here() / "to_pipe"));
    ASSERT_EQ(run(words(command + "file"), here()).code, 0);
    EXPECT_EQ(read.size(), text_of(here() / "file").size());
  }
}

TEST_F(Outputs, AreWholeOrNotThereWhereASignalEndsACommand) {
  const Arguments before = sandbox_->names();
  Program program(words("export s.sqlite --format jsonl -o new"), here());
  const rlimit limit{1000, 1000};
  ASSERT_EQ(prlimit(program.id(), RLIMIT_FSIZE, &limit, nullptr), 0);
  EXPECT_EQ(program.wait().signal, SIGXFSZ) << "in the middle of the writing";
  EXPECT_EQ(sandbox_->names(), before);
  const std::string exported = run(words("export s.sqlite"), here()).out;
  for (int i = 0; i < 6; ++i) {
    Program merge(words("merge whole.sqlite s.sqlite"), here());
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
    kill(merge.id(), i % 2 == 0 ? SIGTERM : SIGINT);
    const Outcome outcome = merge.wait();
    // A signal may also come between the last step, which gives the file its name, and the exit.
    const bool there = fs::exists(here() / "whole.sqlite");
    EXPECT_TRUE(there || outcome.code != 0);
    if (there) {
      EXPECT_EQ(run(words("export whole.sqlite"), here()).out, exported);
    }
    fs::remove(here() / "whole.sqlite");
    EXPECT_EQ(sandbox_->names(), before);
  }
}

TEST_F(Outputs, InputsThatAreNoFilesAreRefusedAtOnce) {
  const fs::path pipe = here() / "input";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string command :
       {"export IN", "report IN", "check IN --baseline s.baseline.json", "merge new IN",
        "map IN --x nodes --y tp", "sweep s.toml --store IN", "sweep IN",
        "check s.toml --baseline IN", "check IN --update --baseline new"}) {
    for (const std::string& in : {std::string("input"), std::string("/dev/zero")}) {
      SCOPED_TRACE(command);
      const Outcome outcome = run(words(replaced_in(command, "IN", in)), here());
      expect_refused(outcome, in);
    }
  }
  fs::remove(pipe);
}

// Names, summaries and settings come from files of others.
TEST(PrintedText, HasNothingThatATerminalObeys) {
  const std::string hostile = "x\u202e\u009b31m\ufeff\x9b";
  const Sandbox sandbox;
  for (const auto& [shipped, name] : {std::pair{"topologies/sdp4bit_a100.toml", hostile + ".toml"},
                                      {"traces/models/gpt_125m.toml", hostile + "2.toml"}}) {
    sandbox.write(name, text_of(source_directory() / shipped));
  }
  sandbox.write("s.toml",
                "[run]\nnodes = 1\ntopology = \"./a\\u001b[2J\\u009b\\u202e.toml\"\n"
                "model = \"gpt_125m\"\n");
  std::vector<Arguments> commands{{"sweep", "s.toml", "--dry-run"},
                                  {"sweep", "s.toml"},
                                  {"export", "s.sqlite"},
                                  {"export", "s.sqlite", "--format", "jsonl"},
                                  {"map", "s.sqlite", "--x", "a", "--y", "b", "--where", hostile}};
  for (const char* format : {"table", "json", "csv"}) {
    commands.push_back({"run", "--topology", "./" + hostile + ".toml", "--model",
                        "./" + hostile + "2.toml", "--nodes", "1", "--format", format});
  }
  commands.push_back({"run", "--topology", hostile, "--model", hostile});
  commands.push_back({hostile});
  for (const Arguments& command : commands) {
    const Outcome outcome = run(command, sandbox.path());
    for (const std::string& text : {outcome.out, outcome.err}) {
      EXPECT_EQ(sim::printable_lines(text), text) << testing::PrintToString(command);
    }
    EXPECT_NE(outcome.out + outcome.err, "");
    EXPECT_NE(outcome.code, 70) << outcome.err;
  }
}

// Simulating a step of so many operations would take a test too long.
TEST(LikelyRange, LeftOutOfAVeryLargeStepIsNamed) {
  const auto said = [](apps::ShowRange range, std::size_t operations) {
    apps::RunOptions options;
    options.range = range;
    testing::internal::CaptureStderr();
    note_left_out(options, operations);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(apps::ShowRange::where_cheap, 500'000), "");
  EXPECT_EQ(said(apps::ShowRange::never, 600'000), "");
  EXPECT_TRUE(said(apps::ShowRange::where_cheap, 600'000).starts_with("note: no likely range"));
}

}  // namespace
}  // namespace apps_tests
