// SPDX-License-Identifier: Apache-2.0
// Whatever a launch file holds, it is read or refused in one located line.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/launch/launches.hpp"

namespace sim::launch {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

void expect_located(const std::string& what) {
  EXPECT_TRUE(what.starts_with("f:")) << what;
  EXPECT_TRUE(what.size() > 2 && what[2] >= '1' && what[2] <= '9') << what;
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
}

TEST(HostileLaunch, YamlIsRefusedInOneLocatedLine) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    laughs += repeated("*a" + std::to_string(i - 1) + ", ", 8) + "x]\n";
  }
  for (const std::string& text :
       {std::string("a: *unknown\n"), std::string("a: &x [1, *x]\n"), std::string("a: [1\n"),
        std::string("? [a, b]\n: 1\n"), std::string("a: 1\n\tb: 2\n"), repeated("[", 50'000),
        repeated("{a: ", 50'000), repeated("- ", 20'000), laughs, repeated("a: 1\n", 30'000),
        "a: " + std::string(100'000, 'x') + "\n"}) {
    SCOPED_TRACE(text.substr(0, 40));
    expect_located(refusal([&] { return parse_yaml(text, "f"); }));
  }
}

TEST(HostileLaunch, ShellIsRefusedInOneLocatedLine) {
  std::string doubling = "A=xxxxxxxx\n";
  for (int i = 0; i < 40; ++i) doubling += "A=$A$A\n";
  for (const std::string& text :
       {std::string("A=\"b\n"), std::string("A='b\n"), std::string("A=(1 2\n"),
        std::string("A=${B\n"), std::string("A=$(x\n"), std::string("A=`x\n"), doubling,
        repeated("if [ 1 = 1 ]; then\n", 100), "A=" + repeated("${A:-", 100) + repeated("}", 100),
        repeated("x --a 1\n", 30'000)}) {
    expect_located(refusal([&] { return parse_shell(text, "f"); }));
  }
}

TEST(HostileLaunch, OddShellsEnd) {
  for (const std::string& text :
       {repeated("case x in\n", 20), repeated("fi\n", 100), repeated("esac ;; else\n", 100),
        std::string("case $A in"), std::string("x <<EOF\nno end"), std::string("A=$((((((1)\n"),
        "A=$((" + repeated("(", 3000) + "1" + repeated(")", 3000) + "))\nx --a $A",
        std::string("A=$A\nx --a $((A))"), std::string("\\"), std::string("x --"),
        std::string("x \0 --a 1", 9), repeated("a|b&&c||d;;", 1000)}) {
    try {
      EXPECT_LE(parse_shell(text, "f").entries.size(), kMostEntries);
    } catch (const InputError& error) {
      expect_located(error.what());
    }
  }
}

TEST(HostileLaunch, ReferencesToThemselvesEnd) {
  EXPECT_EQ(parse_yaml("a: ${b}\nb: ${a}\nc: ${c}${c}\n", "f").entries.size(), 3U);
}

TEST(HostileLaunch, AFileOfNoFrameworkIsRefused) {
  expect_located(refusal([] { return launch_of(parse_yaml("a: 1\n", "f")); }));
}

}  // namespace
}  // namespace sim::launch
