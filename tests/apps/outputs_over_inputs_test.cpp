// SPDX-License-Identifier: Apache-2.0
// No output of any command takes the place of any file that its answer comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/collectives/algorithm.hpp"
#include "tests/apps/checks.hpp"
#include "tests/fit/sample_log.hpp"

namespace apps_tests {
namespace {

namespace fs = std::filesystem;

// A command that writes OUT, and the kinds of files that it reads, each by its name in the sandbox.
struct Writer {
  std::string command;
  std::vector<std::string> inputs;
};

const std::vector<std::string> kFilesOfStep{"cluster.toml",     "model.toml", "table.json",
                                            "scheme.toml",      "card.toml",  "card.csv",
                                            "reliability.toml", "nodes.txt",  "traffic.toml"};
constexpr const char* kWritingStep =
    "run --topology ./cluster.toml --model ./model.toml --calibration ./table.json --scheme "
    "./scheme.toml --reliability ./reliability.toml --node-placement nodes.txt --traffic "
    "traffic.toml --range off ";
const std::vector<std::string> kFilesOfRound{"sites.toml", "cluster.toml", "config.json",
                                             "table.json", "outer.toml",   "scheme.toml",
                                             "card.toml",  "card.csv",     "host.json"};
constexpr const char* kWritingRound =
    "run --topology ./sites.toml --model ./config.json --calibration ./table.json --scheme "
    "./outer.toml --inner-scheme ./scheme.toml --host-codecs ./host.json --range off ";
const std::vector<std::string> kFilesOfStudy{"s.toml",     "cluster.toml", "model.toml",
                                             "table.json", "nodes.txt",    "traffic.toml"};
constexpr std::string_view kStudyOfFiles = R"([run]
topology = "./cluster.toml"
model = "./model.toml"
calibration = "./table.json"
node-placement = "nodes.txt"
traffic = "traffic.toml"
[grid]
scheme = ["sharded", "sdp4bit"]
)";

std::vector<std::string> and_files(std::vector<std::string> files, std::vector<std::string> more) {
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

void expect_says_why(const std::string& line) {
  for (const char* why : {"is an input", "is the input", "is the spec of", "already exists"}) {
    if (line.find(why) != std::string::npos) return;
  }
  ADD_FAILURE() << line;
}

std::vector<Writer> writers() {
  std::vector<Writer> all;
  for (const char* flag : {"--perfetto", "--kineto", "--month"}) {
    all.push_back({std::string(kWritingStep) + flag + " OUT", kFilesOfStep});
  }
  all.push_back({std::string(kWritingRound) + "--perfetto OUT", kFilesOfRound});
  all.push_back({"fit my.log --topo node.topo --topology ./cluster.toml --force --output OUT",
                 {"my.log", "node.topo", "cluster.toml"}});
  all.push_back(
      {"fit --steps steps.csv --topology ./cluster.toml --traffic traffic.toml --force --output "
       "OUT",
       {"steps.csv", "cluster.toml", "model.toml", "scheme.toml", "card.toml", "card.csv",
        "table.json", "nodes.txt", "traffic.toml"}});
  all.push_back(
      {"fit --trace trace.json --force --topology ./cluster.toml --nodes 1 --model ./model.toml "
       "--output OUT",
       {"trace.json", "cluster.toml", "model.toml"}});
  all.push_back({"export s.sqlite --output OUT", and_files(kFilesOfStudy, {"s.sqlite"})});
  all.push_back({"report s.sqlite --output OUT", and_files(kFilesOfStudy, {"s.sqlite"})});
  for (const char* flag : {"--junit", "--markdown"}) {
    const std::string out = std::string(flag) + " OUT";
    all.push_back({"check s.toml " + out, and_files(kFilesOfStudy, {"s.baseline.json"})});
    all.push_back({"check s.sqlite --baseline s.baseline.json " + out,
                   and_files(kFilesOfStudy, {"s.sqlite", "s.baseline.json"})});
    all.push_back(
        {"check r.json --baseline r.baseline.json " + out, {"r.json", "r.baseline.json"}});
  }
  all.push_back({"check s.toml --update --baseline OUT", kFilesOfStudy});
  all.push_back({"check s.sqlite --update --baseline OUT", and_files(kFilesOfStudy, {"s.sqlite"})});
  all.push_back({"sweep s.toml --store OUT", kFilesOfStudy});
  all.push_back({"merge OUT s.sqlite", and_files(kFilesOfStudy, {"s.sqlite"})});
  return all;
}

class OutputsOverInputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    copy("topologies/roce_a100_2to1.toml", "cluster.toml");
    copy("traces/models/gpt_125m.toml", "model.toml");
    copy("traces/calibration/a100_sdp4bit_published.json", "table.json");
    copy("traces/reliability/llama3_h100.toml", "reliability.toml");
    copy("traces/host_codecs/amd_epyc_milan.json", "host.json");
    copy("docs/examples/codec-as-card/entropy.csv", "card.csv");
    write_from("docs/examples/codec-as-card/entropy.toml", "entropy.csv", "card.csv", "card.toml");
    write_from("docs/examples/codec-as-card/lossless.toml", "entropy.toml", "card.toml",
               "scheme.toml");
    write_from("topologies/wide_area/two_sites_10g.toml", "\"dgx_h100_x16\"", "\"./cluster.toml\"",
               "sites.toml");
    sandbox_->write("outer.toml", ok("list scheme diloco"));
    sandbox_->write("config.json",
                    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
 "hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 4,
 "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 512,
 "tie_word_embeddings": false, "hidden_act": "silu", "rms_norm_eps": 1e-5})");
    sandbox_->write("nodes.txt", "0-1\n");
    sandbox_->write("traffic.toml",
                    "[jobs.other]\nplacement = \"2,3\"\npattern = \"all_to_all\"\nbandwidth = \"10 "
                    "GBps\"\nperiod = \"100 ms\"\non = \"50 ms\"\n");
    sandbox_->write("my.log", sample_of(two_nodes()));
    sandbox_->write("node.topo", matrix());
    sandbox_->write("steps.csv",
                    "model,scheme,calibration,node-placement,step_s\n"
                    "./model.toml,./scheme.toml,./table.json,nodes.txt,0.05\n"
                    "./model.toml,./scheme.toml,./table.json,nodes.txt,0.06\n");
    ok("run --topology ./cluster.toml --nodes 1 --model ./model.toml --range off --kineto "
       "trace.json");
    sandbox_->write("s.toml", kStudyOfFiles);
    ok("sweep s.toml");
    ok("check s.toml --update");
    sandbox_->write("r.json", ok(std::string(kWritingStep) + "--format json"));
    ok("check r.json --update");
  }
  static void TearDownTestSuite() { delete sandbox_; }

  static const fs::path& here() { return sandbox_->path(); }

 private:
  static void copy(const char* from, const char* name) {
    sandbox_->write(name, text_of(source_directory() / from));
  }
  static void write_from(const char* from, std::string_view old, std::string_view made,
                         const char* name) {
    std::string text = text_of(source_directory() / from);
    ASSERT_NE(text.find(old), std::string::npos) << old;
    for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += made.size()) {
      text.replace(at, old.size(), made);
    }
    sandbox_->write(name, text);
  }
  static std::string ok(const std::string& command) {
    const Outcome outcome = run(words(command), here());
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
    return outcome.out;
  }
  static sim::fit::Log two_nodes() {
    sim::fit::Log log{.name = "my.log",
                      .collective = &sim::collective_named("all_gather"),
                      .nodes = 2,
                      .gpus_per_node = 2};
    for (double bytes = 1024; bytes < 2e9; bytes *= 4) {
      log.times.push_back({bytes, 60e-6 + bytes / 20e9});
    }
    return log;
  }
  static std::string sample_of(const sim::fit::Log& log) {
    return fit_tests::log_text(log, "all_gather_perf");
  }
  static std::string matrix() {
    return "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\nGPU0\t X \tNV12\tPIX\tSYS\t0-31\n"
           "GPU1\tNV12\t X \tSYS\tPIX\t0-31\nNIC0\tPIX\tSYS\t X \tSYS\nNIC1\tSYS\tPIX\tSYS\t X \n";
  }

  static inline Sandbox* sandbox_ = nullptr;
};

TEST_F(OutputsOverInputs, AreRefused) {
  for (const auto& [command, inputs] : writers()) {
    for (const std::string& input : inputs) {
      SCOPED_TRACE(command + ": " + input);
      const std::string before = text_of(here() / input);
      ASSERT_NE(before, "");
      fs::remove(here() / "link");
      fs::create_hard_link(here() / input, here() / "link");
      // By another name: what counts is the file.
      const Outcome outcome = run(words(replaced_in(command, "OUT", "link")), here());
      EXPECT_EQ(outcome.code, 2) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      // What is no baseline is refused as one.
      if (command.find("--update") == std::string::npos) {
        for (const std::string& line : lines_of(outcome.err)) expect_says_why(line);
      }
      EXPECT_TRUE(text_of(here() / input) == before) << "overwritten";
    }
  }
}

// Or a refusal above would have another reason.
TEST_F(OutputsOverInputs, AreWrittenElsewhere) {
  for (const auto& [command, inputs] : writers()) {
    SCOPED_TRACE(command);
    fs::remove(here() / "new.file");
    const Outcome outcome = run(words(replaced_in(command, "OUT", "new.file")), here());
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
    EXPECT_TRUE(fs::exists(here() / "new.file"));
  }
}

// Every flag that names an output is above, but that of `validate`, whose inputs ship.
TEST(OutputFlags, AreAllHeldAgainstInputs) {
  std::set<std::string> held{"validate --freeze"};
  for (const Writer& writer : writers()) {
    const Arguments parts = words(writer.command);
    const auto out = std::ranges::find(parts, "OUT");
    ASSERT_NE(out, parts.end());
    const std::string flag = (out - 1)->starts_with("--") ? *(out - 1) : "--out";
    held.insert(parts.front() + " " + flag);
  }
  const auto help_of = [](const std::string& command) {
    return nlohmann::json::parse(run(words(command + " --help=json"), source_directory()).out);
  };
  const auto all = help_of("");
  for (const auto& command : all["commands"]) {
    const std::string name = command["name"];
    const auto help = help_of(name);
    for (const auto& flag : help["flags"]) {
      const std::string text = flag["text"];
      const bool writes = text.find("to write") != std::string::npos ||
                          text.find("file for ") != std::string::npos ||
                          text.find(" to FILE") != std::string::npos;
      const bool takes_file = writes && flag["takes_value"].get<bool>();
      if (takes_file) {
        EXPECT_TRUE(held.contains(name + " --" + flag["name"].get<std::string>()))
            << name << " --" << flag["name"] << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace apps_tests
