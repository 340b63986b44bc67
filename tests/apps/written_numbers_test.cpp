// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them mean what the canonical ones do, wherever numbers are read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "apps/arguments.hpp"
#include "apps/job/field_flags.hpp"
#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

using Field = sim::ParallelismField;

sim::GivenFields fields_given(const Field& row, const std::string& text) {
  boost::program_options::options_description known;
  sim::GivenFields given;
  apps::add_field_flags(known, {&row, 1}, given);
  EXPECT_TRUE(apps::parse_arguments({fmt::format("--{}={}", row.name, text)}, "", known));
  return given;
}

TEST(WrittenNumbers, AreReadByEveryRowOfTheFields) {
  int rows = 0;
  for (const Field& row : sim::parallelism_fields()) {
    if (row.kind == Field::Kind::text) continue;
    SCOPED_TRACE(row.name);
    ++rows;
    for (const char* text : {"2e0", "2.0", "0.002 thousand", " 2 "}) {
      EXPECT_EQ(fields_given(row, text), fields_given(row, "2")) << text;
    }
    if (row.kind != Field::Kind::number) continue;
    for (const char* text : {"150%", "150 %", "3:2"}) {
      EXPECT_EQ(fields_given(row, text), fields_given(row, "1.5")) << text;
    }
  }
  EXPECT_GT(rows, 10);
}

struct Spelling {
  const char* command;
  Arguments given, canonical;
};

const std::string kSpelledStep =
    "run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --range off "
    "--scheme sdp4bit";

TEST(WrittenNumbers, GiveTheSameAnswersAsCanonicalOnes) {
  const std::string roce = "run --topology roce_a100_2to1 --model gpt_125m --range off";
  const std::string solve =
      "solve bandwidth --topology sdp4bit_a100 --model gpt_125m --nodes 2 --zero 3";
  const std::string compare =
      "compare --topology sdp4bit_a100 --model gpt_125m --nodes 2 --a=--tp=1 --b=--tp=2";
  const std::string steps =
      "plan --topology sdp4bit_a100 --model gpt_125m --tokens 1T --nodes 1 --tp 1 --pp 1";
  const Spelling spellings[] = {
      {kSpelledStep.c_str(), {"--gpus-per-node", "2e0"}, {"--gpus-per-node", "2"}},
      {kSpelledStep.c_str(), {"--sequence", "1Ki"}, {"--sequence", "1024"}},
      {kSpelledStep.c_str(), {"--codec-time", "150%"}, {"--codec-time", "1.5"}},
      {kSpelledStep.c_str(), {"--host-issue", "5 \u00b5s"}, {"--host-issue", "5us"}},
      {kSpelledStep.c_str(), {"--host-issue", "150%x"}, {"--host-issue", "1.5x"}},
      {kSpelledStep.c_str(),
       {"--set", "network.nic_bandwidth=200G"},
       {"--set", "network.nic_bandwidth=200 Gbps"}},
      {kSpelledStep.c_str(),
       {"--set", "network.nic_bandwidth=25 GB/s"},
       {"--set", "network.nic_bandwidth=200 Gbps"}},
      {kSpelledStep.c_str(), {"--set", "gpu.price=$2/h"}, {"--set", "gpu.price=2 USD/h"}},
      {kSpelledStep.c_str(),
       {"--set", "network.efficiency=91%"},
       {"--set", "network.efficiency=0.91"}},
      {kSpelledStep.c_str(), {"--set", "model.layers=\"6\""}, {"--set", "model.layers=6"}},
      {kSpelledStep.c_str(), {"--set", "model.layers=6e0"}, {"--set", "model.layers=6"}},
      {roce.c_str(),
       {"--set", "network.oversubscription=3:1"},
       {"--set", "network.oversubscription=3"}},
      {kSpelledStep.c_str(),
       {"--reliability", "llama3_h100", "--tokens", "2T"},
       {"--reliability", "llama3_h100", "--tokens", "2e12"}},
      {solve.c_str(), {"--utilisation", "50%,0.8"}, {"--utilisation", "0.5,0.8"}},
      {solve.c_str(), {"--tokens-per-day", "1B,20B"}, {"--tokens-per-day", "1e9,2e10"}},
      {compare.c_str(),
       {"--repetitions", "1e1", "--seed", "7.0", "--spread", "all=10%"},
       {"--repetitions", "10", "--seed", "7", "--spread", "all=0.1"}},
      {steps.c_str(), {"--batch-tokens", "64Ki"}, {"--batch-tokens", "65536"}},
      {kTiny.c_str(), {"--critical-batch", "10K"}, {"--critical-batch", "10000"}},
      {kTiny.c_str(), {"--gap", "1%"}, {"--gap", "0.01"}},
      {kTiny.c_str(), {"--memory-headroom", "97%"}, {"--memory-headroom", "0.97"}},
      {kTiny.c_str(), {"--nodes", "1e0"}, {"--nodes", "1"}},
      {kTiny.c_str(),
       {"--budget", "$1,000", "--confidence", "90%", "--deadline", "10d"},
       {"--budget", "1 kUSD", "--confidence", "0.9", "--deadline", "10 days"}},
      {kTiny.c_str(),
       {"--goal", "smallest-network", "--share", "90%", "--electricity", "$0.1/kWh"},
       {"--goal", "smallest-network", "--share", "0.9", "--electricity", "0.1 USD/kWh"}},
  };
  for (const auto& [command, given, canonical] : spellings) {
    SCOPED_TRACE(fmt::format("{} {}", command, testing::PrintToString(given)));
    const auto answer = [&](const Arguments& more) {
      Arguments arguments = words(command);
      arguments.insert(arguments.end(), more.begin(), more.end());
      return json_of(arguments, source_directory());
    };
    const Json as_people_write = answer(given);
    EXPECT_EQ(as_people_write, answer(canonical));
    EXPECT_NE(as_people_write, answer({})) << "it changes nothing";
  }
}

// Whole numbers and fractions in quotes, and units as people write them.
std::string rewritten(const std::string& toml) {
  std::string text =
      std::regex_replace(toml, std::regex(R"(\n(\w+) = ([0-9]+)\n)"), "\n$1 = \"$2.0\"\n");
  text = std::regex_replace(text, std::regex(R"(\n(\w+) = (0\.[0-9]+)\n)"), "\n$1 = \"$2:1\"\n");
  text = std::regex_replace(text, std::regex(R"(([0-9]) Gbps")"), "$1 Gb/s\"");
  text = std::regex_replace(text, std::regex(R"(([0-9]) GBps")"), "$1 GB/s\"");
  text = std::regex_replace(text, std::regex(R"(([0-9]) us")"), "$1 \u00b5s\"");
  text = std::regex_replace(text, std::regex(R"(([0-9]) TFLOPs")"), "$1 TFLOPS\"");
  return std::regex_replace(text, std::regex(R"("([0-9.]+) USD/)"), "\"$$$1/");
}

TEST(WrittenNumbers, AreReadInFiles) {
  const Sandbox sandbox;
  int changed = 0;
  const auto write = [&](const std::string& folder, const std::string& name) {
    const std::string text = text_of(source_directory() / folder / (name + ".toml"));
    const std::string other = rewritten(text);
    for (std::size_t i = 0, size = lines_of(text).size(); i < size; ++i) {
      changed += lines_of(text)[i] != lines_of(other)[i];
    }
    sandbox.write(name + ".toml", other);
  };
  write("topologies", "dgx_h100_x16");
  write("traces/models", "llama_3_8b");
  EXPECT_GE(changed, 20) << "most lines of numbers";
  const std::string flags = " --zero 3 --nodes 4 --range off";
  Json read = json_of(words("run --topology dgx_h100_x16.toml --model llama_3_8b.toml" + flags),
                      sandbox.path());
  Json shipped = json_of("run --topology dgx_h100_x16 --model llama_3_8b" + flags);
  EXPECT_EQ(read, shipped);
}

// But for the commands: a value of a list is the plan's, one that is given stays where it stands.
Json without_commands(Json plans) {
  for (Json& one : plans) one.erase("command");
  return plans;
}

TEST(WrittenNumbers, OfPlansMayBeSeveral) {
  struct List {
    const char *field, *first, *second;
  };
  constexpr List kLists[] = {{"tp", "1", "2"},
                             {"pp", "2", "4"},
                             {"cp", "1", "2"},
                             {"micro-batch", "2", "4"},
                             {"pp 2 --virtual-stages", "1", "2"},
                             {"zero", "1", "3"},
                             {"recompute", "full", "none"}};
  for (const auto& [field, first, second] : kLists) {
    SCOPED_TRACE(field);
    const std::string flag = field;
    const auto with = [&](const std::string& values) {
      return without_commands(
          plans(fmt::format("{}--scheme sharded --nodes 2 --goal fastest --gap 0 --setups --{} {}",
                            kTiny, flag, values)));
    };
    const auto time = [](const Json& found) {
      return found.at(0).at("training_time_s").get<double>();
    };
    const Json one = with(first), other = with(second);
    EXPECT_EQ(time(with(fmt::format("{},{}", second, first))), std::min(time(one), time(other)));
    EXPECT_EQ(with(fmt::format("{0},{0}", first)), one);
  }
}

// Every value that there is to try is no restriction.
TEST(WrittenNumbers, OfPlansMayBeAll) {
  const Json free = plan(kTiny + "--goal fastest");
  for (const char* all : {"--tp 1,2,4", "--pp 4,2,1", "--zero 0,1,2,3"}) {
    EXPECT_EQ(plan(kTiny + "--goal fastest " + all), free) << all;
  }
}

TEST(WrittenNumbers, OfAPlansListAreInItsCommands) {
  for (const Json& one : plans(kTiny + "--setups --tp 2,4 --pp 1,2")) {
    const std::string command = one.at("command").get<std::string>();
    EXPECT_EQ(command.find(','), std::string::npos) << command;
    EXPECT_NE(command.find("--tp "), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace apps_tests
