// SPDX-License-Identifier: Apache-2.0
// The flags that a command's help lists are those that it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "apps/commands.hpp"
#include "sim/base/error.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/refusals.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

// A command with an input that does not exist: it is refused there, once its flags are parsed.
struct Lacking {
  const char* command;  // with the words that choose its help
  int (*run)(const Arguments&);
  const char* flags;
  std::string_view place;       // of the refusal
  std::string_view group = "";  // of the flags tried; empty: all
  std::string_view only = "";   // the one that is tried, and in no other row of the command
};

constexpr const char* kSitesGroup = "Topologies of several sites";
constexpr const char* kHelpOnCluster = "--topology sdp4bit_a100 --model nowhere ";
constexpr const char* kHelpOnSites = "--topology two_sites_10g --model nowhere --scheme diloco ";

const Lacking kLacking[] = {
    {"run", apps::run_command, kHelpOnCluster, "--model", "Setup"},
    {"run", apps::run_command, kHelpOnCluster, "--model", "Goodput"},
    {"run", apps::run_command, kHelpOnCluster, "--model", "Output"},
    {"run", apps::run_command, kHelpOnSites, "--model", kSitesGroup},
    {"compare", apps::compare_command,
     "--a=--set=model.layers=2 --topology sdp4bit_a100 --model nowhere", "--model", "Setup"},
    {"compare", apps::compare_command,
     "--a=--set=model.layers=2 --topology sdp4bit_a100 --model nowhere", "--model", "Comparison"},
    {"compare", apps::compare_command,
     "--a=--set=model.layers=2 --topology two_sites_10g --model nowhere --scheme diloco", "--model",
     kSitesGroup},
    {"map", apps::map_command, kHelpOnCluster, "--model"},
    {"map s.sqlite", apps::map_command, "nowhere.sqlite --x tp --y pp", "nowhere.sqlite"},
    {"plan", apps::plan_command,
     "--topology sdp4bit_a100 --model nowhere --tokens 1e12 --goal smallest-network", "--model",
     "Setup"},
    {"plan", apps::plan_command,
     "--topology sdp4bit_a100 --model nowhere --tokens 1e12 --goal smallest-network", "--model",
     "Plan"},
    {"solve", apps::solve_command,
     "bandwidth --topology sdp4bit_a100 --model nowhere --scheme sharded", "--model", "Setup"},
    {"solve", apps::solve_command,
     "bandwidth --topology sdp4bit_a100 --model nowhere --scheme sharded", "--model", "Goal"},
    {"solve", apps::solve_command,
     "bandwidth --topology two_sites_10g --model nowhere --scheme diloco", "--model", kSitesGroup},
    {"sweep", apps::sweep_command, "nowhere.toml", "nowhere.toml"},
    {"export", apps::export_command, "nowhere.sqlite", "nowhere.sqlite"},
    {"report", apps::report_command, "nowhere.sqlite", "nowhere.sqlite"},
    {"check", apps::check_command, "nowhere.toml", "nowhere", "Flags"},
    {"check", apps::check_command, "--measured nowhere.csv --topology sdp4bit_a100", "nowhere.csv",
     "Setup"},
    {"collective", apps::collective_command, "all_reduce --topology nowhere", "--topology"},
    {"plan", apps::plan_command,
     "--topology two_sites_10g --model nowhere --tokens 1e12 --scheme diloco", "--model", "",
     "inner-scheme"},
    {"check", apps::check_command, "--topology sdp4bit_a100", "nowhere.csv", "", "measured"},
    {"check", apps::check_command, "--measured nowhere.csv --topology sdp4bit_a100", "nowhere.csv",
     "", "trace"},
    {"collective", apps::collective_command, "all_reduce --topology nowhere --compress int8_g128",
     "--topology", "", "precision"},
    {"collective", apps::collective_command, "--topology nowhere --pairs 1MB", "--topology", "",
     "at-once"},
    {"bom", apps::bom_command, "--topology nowhere", "--topology"},
};

// Values of flags without a default of their own.
const std::map<std::string, std::string> kFlagValues{
    {"accumulation", "2"},
    {"algorithm", "ring"},
    {"annotations", "on"},
    {"attention", "fused"},
    {"backward-prefetch", "pre"},
    {"baseline", "sharded"},
    {"beats", "qwd"},
    {"best", "tokens"},
    {"budget", "1MUSD"},
    {"codec-time", "2"},
    {"compress", "int8_g128"},
    {"critical-batch", "1e6"},
    {"deadline", "60s"},
    {"electricity", "0.1USD/kWh"},
    {"factor", "2"},
    {"folder", "nowhere"},
    {"from", "nowhere.sh"},
    {"global-batch", "64"},
    {"gpus-per-node", "2"},
    {"gradient-sync", "step"},
    {"host-codecs", "nowhere"},
    {"host-issue", "8us"},
    {"hybrid-shard", "2"},
    {"inner-scheme", "sharded"},
    {"junit", "nowhere.xml"},
    {"kernels", "eager"},
    {"kineto", "nowhere.kineto"},
    {"loss", "fused"},
    {"markdown", "nowhere.md"},
    {"measured", "nowhere.csv"},
    {"month", "nowhere.csv"},
    {"nic-bandwidths", "100Gbps"},
    {"nodes", "2"},
    {"offload-weights", "off"},
    {"optimizer", "adamw"},
    {"output", "nowhere.out"},
    {"overlap", "all"},
    {"parts", (source_directory() / "traces/network_parts.toml").string()},
    {"perfetto", "nowhere.json"},
    {"prefetch", "1"},
    {"print-flags", "nowhere.sh"},
    {"protocol", "ll"},
    {"nccl", "2.28"},
    {"recompute", "full"},
    {"reliability", "llama3_h100"},
    {"require", "mfu>=0"},
    {"reshard", "on"},
    {"sequence", "512"},
    {"share", "0.5"},
    {"shard", "1/2"},
    {"split", "1"},
    {"spread", "all=0"},
    {"stack", "megatron"},
    {"store", "nowhere.sqlite"},
    {"timeline", "1"},
    {"tokens", "1e12"},
    {"tokens-per-day", "1e12"},
    {"tolerance", "all=1%"},
    {"traffic", "nowhere.toml"},
    {"unit-layers", "1"},
    {"usd-per-million-tokens", "1"},
    {"where", "1"},
    {"zero", "1"},
    {"set", "network.nic_bandwidth=100Gbps"},
};
// Flags that need another one.
const std::map<std::string, std::string> kFlagCompany{{"perfetto-ranks", "--perfetto nowhere.json"},
                                                      {"break-even", "--baseline sharded"},
                                                      {"print-flags", "--from nowhere.sh"}};

std::string flag_value(const nlohmann::json& flag) {
  const std::string name = flag["name"], usual = flag["default"];
  const auto known = kFlagValues.find(name);
  if (known != kFlagValues.end()) return known->second;
  return usual == "chosen" || usual.empty() ? "1" : usual;
}

// Whether the refusal is not of the flag: of what is lacking, or of a file that the flag names.
void expect_taken(const Lacking& lacking, const nlohmann::json& flag) {
  const std::string name = flag["name"];
  Arguments arguments = words(lacking.flags);
  const std::string value = flag_value(flag);
  arguments.push_back("--" + name + (flag["takes_value"] ? "=" + value : ""));
  if (const auto company = kFlagCompany.find(name); company != kFlagCompany.end()) {
    for (std::string& word : words(company->second)) arguments.push_back(std::move(word));
  }
  try {
    lacking.run(arguments);
    ADD_FAILURE() << lacking.command << " --" << name << " runs";
  } catch (const std::exception& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(lacking.place) || what.starts_with(value) ||
                what.find("'" + value + "'") != std::string::npos)
        << lacking.command << " --" << name << ": " << what;
  }
}

// Names of the places of commands may be left out.
bool is_place(const std::string& name) {
  constexpr std::string_view kPlaces[] = {"collective", "spec", "store", "unknown", "what"};
  return std::ranges::find(kPlaces, name) != std::end(kPlaces);
}

// Whether the row is for this flag.
bool tries(const Lacking& row, const nlohmann::json& flag) {
  const std::string name = flag["name"];
  if (!row.only.empty()) return name == row.only;
  if (!row.group.empty() && flag["group"] != row.group) return false;
  const bool elsewhere = std::ranges::any_of(kLacking, [&](const Lacking& other) {
    return std::string_view(other.command) == row.command && other.only == name;
  });
  const Arguments given = words(row.flags);
  const bool has = std::ranges::any_of(given, [&](const std::string& one) {
    return one == "--" + name || one.starts_with("--" + name + "=");
  });
  return !elsewhere && !has && !is_place(name) && name != "help";
}

TEST(Help, ListsTheFlagsThatTheCommandTakes) {
  for (const Lacking& lacking : kLacking) {
    Arguments asked = words(lacking.command);
    asked.push_back("--help=json");
    const nlohmann::json help = nlohmann::json::parse(run(asked, "/").out);
    int tried = 0;
    for (const nlohmann::json& flag : help["flags"]) {
      if (!tries(lacking, flag)) continue;
      expect_taken(lacking, flag);
      ++tried;
    }
    EXPECT_GT(tried, 0) << lacking.command << lacking.group << lacking.only;
  }
}

// What a search chooses is no flag of it, and is told of.
TEST(Help, OfASearchLeavesOutWhatItChooses) {
  for (const auto& [command, flags] :
       {std::pair{"plan", std::vector<std::string>{"accumulation", "global-batch", "hybrid-shard"}},
        {"map", {"micro-batch", "accumulation", "global-batch"}}}) {
    const std::string help = run({command, "--help=all"}, "/").out;
    for (const std::string& flag : flags) {
      EXPECT_EQ(help.find("--" + flag + " "), std::string::npos) << command << flag;
      const Outcome outcome = run({command, "--topology", "sdp4bit_a100", "--model", "gpt_125m",
                                   "--tokens", "1000000", "--" + flag, "2"},
                                  "/");
      EXPECT_EQ(outcome.code, 2);
      EXPECT_NE(outcome.err.find("chooses"), std::string::npos) << outcome.err;
    }
  }
}

nlohmann::json help_of(const std::string& command) {
  return nlohmann::json::parse(run({command, "--help=json"}, "/").out);
}

std::size_t rows_of(const std::string& help) {
  std::size_t rows = 0;
  for (const std::string& line : lines_of(help)) {
    const std::size_t start = line.find_first_not_of(' ');
    rows += line.starts_with("  ") && start < 4 && line.substr(start, 1) == "-" ? 1 : 0;
  }
  return rows;
}

// Whoever has few flags lists all of them; the others the ones of a first day, and where the rest is.
TEST(Help, IsShortAndSaysWhereTheRestIs) {
  const nlohmann::json top = nlohmann::json::parse(run({"--help=json"}, "/").out);
  int commands_of_many = 0;
  for (const nlohmann::json& row : top["commands"]) {
    const std::string command = row["name"];
    SCOPED_TRACE(command);
    const std::size_t all = help_of(command)["flags"].size();
    EXPECT_EQ(rows_of(run({command, "--help=all"}, "/").out), all);
    const std::string brief = run({command, "--help"}, "/").out;
    const std::string where = fmt::format("--help=all lists all {}", all);
    const bool many = all > 15;
    EXPECT_EQ(brief.find(where) != std::string::npos, many);
    EXPECT_LE(rows_of(brief), 15u);
    EXPECT_GE(rows_of(brief), many ? 5u : all);
    commands_of_many += many ? 1 : 0;
  }
  EXPECT_GE(commands_of_many, 5);
}

TEST(Help, RefusesAFormThatItHasNot) {
  expect_refused(run({"run", "--help=al"}, "/"), "--help");
  expect_refused(run({"--help=long"}, "/"), "--help");
}

// A page of man for the program and for each command, in which no line of text is taken for a request.
TEST(Help, IsAPageOfMan) {
  for (const char* command : {"", "run", "check"}) {
    Arguments asked = words(command);
    asked.push_back("--help=man");
    const std::string page = run(asked, "/").out;
    EXPECT_TRUE(page.starts_with(".TH gardenhose")) << page.substr(0, 40);
    for (const std::string& line : lines_of(page)) {
      if (!line.starts_with(".")) continue;
      const std::string request = line.substr(0, line.find(' '));
      EXPECT_TRUE(
          (std::set<std::string>{".TH", ".SH", ".SS", ".TP", ".nf", ".fi"}).contains(request))
          << line;
    }
  }
}

}  // namespace
}  // namespace apps_tests
