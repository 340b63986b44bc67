// SPDX-License-Identifier: Apache-2.0
// What every command prints: as wide as the terminal, without blanks at the ends of lines, and
// without a colour in a pipe.
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tests/apps/answers.hpp"
#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

// A variable of the environment, for a while; null: not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

const std::string kTableJob =
    "--topology dgx_h100_x16 --nodes 2 --model gpt_125m --set model.layers=2 ";
const std::string kFive = "run --scheme sharded,sdp4bit,zeropp,tlq,qwd " + kTableJob;
const std::string kTableSites =
    "--topology two_sites_10g --model gpt_125m --scheme diloco,sparseloco ";

Outcome in_pipe(const std::string& command) { return run(words(command), source_directory()); }

// As standard output of a terminal of so many columns; 0: it does not say.
std::string in_terminal(const std::string& command, unsigned short columns) {
  int here = -1, there = -1;
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  EXPECT_EQ(openpty(&here, &there, nullptr, nullptr, &size), 0);
  Program program(words(command), source_directory(), there);
  close(there);
  std::string text;
  char part[4096];
  for (ssize_t count = 0; (count = read(here, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(count));
  }
  close(here);
  EXPECT_EQ(program.wait().code, 0) << command;
  std::erase(text, '\r');
  return text;
}

// Of the table: without the sentences above and below it.
std::size_t width_of_table(const std::string& text) {
  const std::size_t begin = text.find("\n\n", text.find("\n\n") + 2) + 2;
  const std::string table = text.substr(begin, text.find("\nlikely range: ") - begin);
  std::size_t width = 0;
  for (const std::string& line : lines_of(table)) width = std::max(width, line.size());
  return width;
}

TEST(Tables, NoLineEndsInBlanks) {
  const Variable columns("COLUMNS", "60");
  for (const std::string& command :
       {std::string("list"), kFive, "run --scheme sdp4bit " + kTableJob,
        "run --baseline diloco " + kTableSites,
        "run --scheme sdp4bit --set gpu.memory=800MB " + kTableJob,
        "solve bandwidth --utilisation 0.5,0.9 " + kTableJob,
        "map --bandwidths 1Gbps,400Gbps --tokens 65536 " + kTableJob,
        "compare --repetitions 10 --a=--scheme=sdp4bit --b=--scheme=sharded " + kTableJob,
        std::string("plan --tokens 1e9 --tp 1 --pp 1 --batch-tokens 65536 ") + kTableJob,
        std::string("collective all_gather --topology dgx_h100_x16 --nodes 2 --end 1MB"),
        std::string("validate sparseloco")}) {
    SCOPED_TRACE(command);
    const Outcome outcome = in_pipe(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const std::string& line : lines_of(outcome.out)) {
      EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
    }
  }
}

TEST(Tables, NoLineOfTheHelpEndsInBlanks) {
  for (const char* command : {"", "run", "compare", "map", "plan", "solve", "sweep", "export",
                              "merge", "report", "check", "collective", "validate", "list"}) {
    for (const std::string& line : lines_of(in_pipe(std::string(command) + " --help").out)) {
      EXPECT_TRUE(line.empty() || line.back() != ' ') << command << ": '" << line << "'";
    }
  }
}

TEST(Tables, AreAsWideAsColumnsSays) {
  const Variable none("COLUMNS", nullptr);
  const std::string usual = in_pipe(kFive).out;
  EXPECT_LE(width_of_table(usual), 100u);
  for (const char* senseless : {"", "0", "-80", "19", "1001", "80x", "99999999999999999999"}) {
    const Variable columns("COLUMNS", senseless);
    EXPECT_EQ(in_pipe(kFive).out, usual) << senseless;
  }
  const Variable columns("COLUMNS", "80");
  const std::string narrow = in_pipe(kFive).out;
  EXPECT_LE(width_of_table(narrow), 80u);
  EXPECT_NE(narrow.find("\nschemes 1 to 3 of 5\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("\nschemes 4 to 5 of 5\n"), std::string::npos) << narrow;
}

TEST(Tables, OfFiveSchemesFit120Columns) {
  const Variable columns("COLUMNS", "120");
  const std::string wide = in_pipe(kFive).out;
  EXPECT_EQ(wide.find("schemes 1 to"), std::string::npos) << wide;
}

TEST(Tables, OfATerminalAreAsWideAsIt) {
  const Variable columns("COLUMNS", "300");
  const Variable colourless("NO_COLOR", "1");
  EXPECT_LE(width_of_table(in_terminal(kFive, 60)), 60u);
  EXPECT_GT(width_of_table(in_terminal(kFive, 120)), 80u);
  EXPECT_EQ(in_terminal(kFive, 0), in_pipe(kFive).out) << "of no known size";
}

TEST(Tables, HaveColourOnATerminalAlone) {
  const Variable terminal("TERM", "xterm");
  const Variable colour("NO_COLOR", nullptr);
  const Variable columns("COLUMNS", "200");
  // So wide that the answer has one line there, too.
  const std::string plain = in_pipe(kFive).out;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  const std::string coloured = in_terminal(kFive, 200);
  EXPECT_NE(coloured.find("\x1b[1msdp4bit\x1b[0m"), std::string::npos) << "a bold heading";
  {
    const Variable empty("NO_COLOR", "");
    EXPECT_EQ(in_terminal(kFive, 200), coloured) << "it says nothing";
  }
  const Variable none("NO_COLOR", "0");
  EXPECT_EQ(in_terminal(kFive, 200), plain) << "any value counts";
}

TEST(Tables, HaveNoColourOnATerminalThatCannot) {
  const Variable colour("NO_COLOR", nullptr);
  for (const char* name : {"dumb", ""}) {
    const Variable terminal("TERM", name);
    EXPECT_EQ(in_terminal("run " + kTableJob, 100).find('\x1b'), std::string::npos) << name;
  }
  const Variable terminal("TERM", nullptr);
  EXPECT_EQ(in_terminal("run " + kTableJob, 100).find('\x1b'), std::string::npos);
}

// The program's own sequences are all that reaches a terminal, whatever a file says.
TEST(Tables, ShowNoEscapeSequenceOfAFile) {
  const Variable terminal("TERM", "xterm");
  const Variable colour("NO_COLOR", nullptr);
  const Sandbox sandbox;
  std::string topology = text_of(source_directory() / "topologies/dgx_h100_x16.toml");
  const std::string key = "summary = \"";
  ASSERT_NE(topology.find(key), std::string::npos);
  topology.insert(topology.find(key) + key.size(), "\\u001b[31m\\u001b]0;title\\u0007");
  sandbox.write("hostile.toml", topology);
  const std::string text =
      in_terminal("run --topology " + (sandbox.path() / "hostile.toml").string() +
                      " --nodes 2 --model gpt_125m --set model.layers=2",
                  100);
  EXPECT_NE(text.find("?[31m?]0;title?"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[31m?"), std::string::npos) << text;
  EXPECT_EQ(text.find('\a'), std::string::npos);
}

}  // namespace
}  // namespace apps_tests
