// SPDX-License-Identifier: Apache-2.0
// What run, list and validate print, where they find the shipped files, and how several schemes are
// compared.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "apps/progress.hpp"
#include "tests/apps/answers.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/refusals.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRun = "run --topology sdp4bit_a100 --model gpt_125m --nodes 2";

Outcome run_with(std::string_view more) {
  const Sandbox sandbox;
  return run(words(std::string(kRun) + " " + std::string(more)), sandbox.path());
}

Json json_with(std::string_view more) {
  return json_of(std::string(kRun) + " " + std::string(more));
}

double number(const Json& report, const char* key) { return report.at(key).get<double>(); }

// The fields of a line of CSV whose quoted fields hold no line break.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

TEST(CommandLine, HelpsAndSaysItsVersion) {
  for (const char* arguments : {"--help", "-h", "help", "run --help", "list --help"}) {
    const Outcome outcome = run(words(arguments), "/");
    EXPECT_EQ(outcome.code, 0) << arguments;
    EXPECT_NE(outcome.out.find("usage: gardenhose"), std::string::npos) << arguments;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(run(words("validate --help"), "/").code, 0);
  EXPECT_EQ(run({}, "/").out, run({"--help"}, "/").out);
  EXPECT_TRUE(run({"--version"}, "/").out.starts_with("gardenhose "));
}

TEST(CommandLine, SwitchesTakeOnAndOff) {
  const std::string too_large = "--scheme sharded --set gpu.memory=1GB --require-fit";
  EXPECT_EQ(run_with(too_large).code, 2);
  EXPECT_EQ(run_with(too_large + "=on").code, 2);
  EXPECT_EQ(run_with(too_large + "=off").code, 0);
}

TEST(CommandLine, FindsShippedNamesFromAnyFolder) {
  const Sandbox sandbox;
  const Outcome here = run(words(kRun), source_directory());
  EXPECT_EQ(here.code, 0) << here.err;
  EXPECT_EQ(run(words(kRun), "/").out, here.out);
  EXPECT_EQ(run(words(kRun), sandbox.path()).out, here.out);
}

TEST(CommandLine, ListNamesWhatShips) {
  const Outcome listed = run({"list"}, "/");
  EXPECT_EQ(listed.code, 0) << listed.err;
  for (const auto& [folder, extension] :
       {std::pair{"topologies", ".toml"}, std::pair{"topologies/wide_area", ".toml"},
        std::pair{"traces/models", ".toml"}}) {
    for (const auto& file : shipped_files(folder, extension)) {
      EXPECT_NE(listed.out.find("\n  " + file.stem().string() + " "), std::string::npos) << file;
    }
  }
  for (const char* section :
       {"schemes", "codecs", "topologies", "sites", "models", "calibrations"}) {
    const Outcome one = run({"list", section}, "/");
    EXPECT_TRUE(one.out.starts_with(section));
    EXPECT_NE(listed.out.find(one.out), std::string::npos) << section;
  }
  for (const std::string& line : lines_of(listed.out)) EXPECT_LE(line.size(), 140u) << line;
}

TEST(CommandLine, ListPrintsShippedFiles) {
  for (const auto& [kind, file] : {std::pair{"topology", "topologies/dgx_h100_x16.toml"},
                                   std::pair{"topology", "topologies/wide_area/two_sites_10g.toml"},
                                   std::pair{"model", "traces/models/gpt_125m.toml"}}) {
    const std::filesystem::path path = source_directory() / file;
    const std::string listed = run({"list", kind, path.stem().string()}, "/").out;
    const std::string text = text_of(path);
    EXPECT_EQ(listed.substr(0, text.size()), text);
    // Behind a model what its keys amount to.
    const std::string rest = listed.substr(std::min(text.size(), listed.size()));
    EXPECT_EQ(rest.starts_with("# 125 million parameters:\n"), kind == std::string_view("model"))
        << rest;
  }
}

// What Progress writes to standard error, where that is `error`, of work that takes hours.
void work_for_hours(int error, bool logs = false) {
  const int before = dup(STDERR_FILENO);
  dup2(error, STDERR_FILENO);
  {
    std::chrono::steady_clock::time_point now{};
    apps::Progress progress("working", 3, [&] { return now += std::chrono::hours(1); });
    if (logs) progress.log_each_minute();
    progress.step();
    progress.show([] { return "far"; });
  }
  dup2(before, STDERR_FILENO);
  close(before);
}

TEST(CommandLine, ShowsProgressAtATerminalAlone) {
  const int log = memfd_create("log", MFD_CLOEXEC);
  work_for_hours(log);
  EXPECT_EQ(lseek(log, 0, SEEK_END), 0);
  work_for_hours(log, true);
  EXPECT_EQ(text_of(fmt::format("/proc/self/fd/{}", log)),
            "working: 1 of 3, 6 h 0 min left\nworking: far\n");
  close(log);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int error = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  work_for_hours(error);
  std::array<char, 200> text{};
  EXPECT_GT(read(terminal, text.data(), text.size() - 1), 0);
  EXPECT_NE(std::string(text.data()).find("working: 1 of 3"), std::string::npos) << text.data();
  close(error);
  close(terminal);
}

TEST(CommandLine, ReadsAModelOfHuggingFace) {
  const auto configs = source_directory() / "tests/workload/configs";
  const std::string arguments = "run --topology sdp4bit_a100 --nodes 2 --format json --model ";
  const Outcome there = run(words(arguments + "gpt2/config.json"), configs);
  EXPECT_EQ(there.code, 0) << there.err;
  const Json report = Json::parse(there.out);
  EXPECT_EQ(report.at("model"), "gpt2");
  EXPECT_EQ(report.at("/sources/model"_json_pointer),
            "gpt2/config.json: GPT-2: 12 layers of 768, sequence 1024");
  EXPECT_EQ(run(words(arguments + "config.json"), configs / "gpt2").out, there.out);
  const Outcome sites = run(words("run --topology two_sites_10g --scheme diloco --format json "
                                  "--model gpt2/config.json"),
                            configs);
  EXPECT_EQ(Json::parse(sites.out).at("/sources/model"_json_pointer),
            report.at("/sources/model"_json_pointer));
  // Every flag and key that changes a model changes this one.
  const Outcome changed =
      run(words(arguments + "gpt2/config.json --sequence 512 --set model.layers=2"), configs);
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_LT(Json::parse(changed.out).at("step_time_s"), report.at("step_time_s"));
}

TEST(CommandLine, RefusesAModelOfHuggingFaceLineByLine) {
  const Sandbox sandbox;
  sandbox.write("config.json",
                R"({"architectures": ["LlamaForCausalLM"], "num_local_experts": 8})");
  const Outcome refused =
      run(words("run --topology sdp4bit_a100 --model config.json"), sandbox.path());
  expect_refused(refused, "config.json", 7);
  EXPECT_TRUE(
      refused.err.ends_with("\n"
                            "config.json: unsupported: num_local_experts = 8: this family has no "
                            "experts\n"))
      << refused.err;
  sandbox.write("config.json", "[[[");
  expect_refused(run(words("run --topology sdp4bit_a100 --model config.json"), sandbox.path()),
                 "config.json");
  expect_refused(run(words("run --topology sdp4bit_a100 --model none.json"), sandbox.path()),
                 "none.json");
}

TEST(RunOutput, TwoRunsPrintTheSameBytes) {
  for (const char* format : {"table", "json", "csv"}) {
    const std::string more = "--scheme sdp4bit --format " + std::string(format);
    EXPECT_EQ(run_with(more).out, run_with(more).out);
  }
}

TEST(RunOutput, JsonHasTheFieldsOfTheContract) {
  const Json report = json_with("--scheme sdp4bit");
  for (const char* key :
       {"step_time_s", "tokens_per_s", "tflops_per_gpu", "mfu", "compute_s", "exposed_comm_s",
        "codec_s", "host_s", "bubble_s", "optimizer_s", "other_s", "wire_bytes_intra_node",
        "wire_bytes_inter_node", "wire_bytes_wan", "compression_ratio_fp32",
        "compression_ratio_bf16", "memory_per_gpu_bytes"}) {
    EXPECT_TRUE(report.at(key).is_number()) << key;
  }
  EXPECT_TRUE(report.at("speedup").is_null());  // of nothing
  EXPECT_TRUE(report.at("fits_memory").is_boolean());
  EXPECT_FALSE(report.at("codec_error").empty());
  EXPECT_FALSE(report.at("sources").empty());
}

TEST(RunOutput, PartsSumToTheStep) {
  for (const char* more :
       {"", "--scheme sdp4bit", "--tp 2 --pp 2 --accumulation 4 --overlap all"}) {
    const Json report = json_with(more);
    double sum = 0;
    for (const char* part : {"compute_s", "exposed_comm_s", "codec_s", "host_s", "bubble_s",
                             "optimizer_s", "other_s"}) {
      EXPECT_GE(number(report, part), 0) << part;
      sum += number(report, part);
    }
    const double step = number(report, "step_time_s");
    EXPECT_NEAR(sum, step, 1e-9 * step) << more;
  }
}

TEST(RunOutput, CsvSaysWhatJsonSays) {
  const Outcome csv = run_with("--scheme sharded,sdp4bit --baseline sharded --format csv");
  const Json json = json_with("--scheme sharded,sdp4bit --baseline sharded");
  const auto lines = lines_of(csv.out);
  ASSERT_EQ(lines.size(), 1 + json.size());
  const auto names = fields_of(lines[0]);
  for (std::size_t row = 0; row < json.size(); ++row) {
    const auto values = fields_of(lines[row + 1]);
    ASSERT_EQ(values.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Json& wanted = json[row].at(names[i]);
      const std::string text = wanted.is_null()     ? ""
                               : wanted.is_string() ? wanted.get<std::string>()
                                                    : wanted.dump();
      EXPECT_EQ(values[i], text) << names[i];
    }
  }
}

// The names of the ranks in the timeline of kRun.
std::vector<std::string> ranks_in_timeline(const std::string& flags) {
  const Sandbox sandbox;
  const Outcome outcome =
      run(words(std::string(kRun) + " --perfetto timeline.json" + flags), sandbox.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(sandbox.names(), Arguments{"timeline.json"});
  const Json timeline = Json::parse(text_of(sandbox.path() / "timeline.json"));
  std::vector<std::string> names;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.at("name") != "process_name") continue;
    EXPECT_EQ(event.at("pid"), names.size());
    names.push_back(event.at("args").at("name"));
  }
  return names;
}

TEST(RunOutput, TimelineIsJsonWithATrackForEachRankOfTheWhole) {
  const auto names = ranks_in_timeline(" --whole");
  ASSERT_EQ(names.size(), 8u);  // two nodes of four
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(names[static_cast<std::size_t>(rank)], "rank " + std::to_string(rank));
  }
}

TEST(RunOutput, TimelineHasOneTrackForRanksThatDoTheSame) {
  EXPECT_EQ(ranks_in_timeline(""), std::vector<std::string>{"rank 0, as 7 others"});
}

TEST(Comparison, SchemesComeInTheOrderAsked) {
  const Json reports = json_with("--scheme tlq,sharded,sdp4bit");
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].at("scheme"), "tlq");
  EXPECT_EQ(reports[1].at("scheme"), "sharded");
  EXPECT_EQ(reports[2].at("scheme"), "sdp4bit");
  const Json alone = json_with("--scheme sharded");
  Json beside = reports[1];
  beside["pareto"] = alone.at("pareto");  // the front is one of those that are asked for
  EXPECT_EQ(beside, alone);
}

TEST(Comparison, SpeedUpIsTheRatioOfTheSteps) {
  const Json reports = json_with("--scheme sharded,sdp4bit,tlq --baseline sharded");
  ASSERT_EQ(reports.size(), 3u);
  for (const Json& report : reports) {
    EXPECT_EQ(report.at("baseline"), "sharded");
    EXPECT_DOUBLE_EQ(number(report, "speedup"),
                     number(reports[0], "step_time_s") / number(report, "step_time_s"));
  }
  EXPECT_EQ(number(reports[0], "speedup"), 1);
}

TEST(Comparison, OneSchemeIsShownBesideItsBaseline) {
  const Json reports = json_with("--scheme sdp4bit --baseline twin");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0], json_with("--scheme sharded"));
  EXPECT_EQ(reports[1].at("baseline"), "sharded");
  EXPECT_DOUBLE_EQ(number(reports[1], "speedup"),
                   number(reports[0], "step_time_s") / number(reports[1], "step_time_s"));
}

TEST(Comparison, TwinIsEachSchemesOwn) {
  const Json reports = json_with("--scheme sharded_all_to_all,sdp4bit --baseline twin");
  EXPECT_EQ(reports[0].at("baseline"), "sharded_all_to_all");
  EXPECT_EQ(number(reports[0], "speedup"), 1);
  EXPECT_EQ(reports[1].at("baseline"), "sharded");
}

TEST(Fit, WhatDoesNotFitIsAWarningUntilItIsRequired) {
  const Outcome warned = run_with("--set gpu.memory=1GB --format json");
  EXPECT_EQ(warned.code, 0);
  EXPECT_TRUE(warned.err.starts_with("warning: ")) << warned.err;
  EXPECT_EQ(lines_of(warned.err).size(), 1u);
  EXPECT_EQ(Json::parse(warned.out).at("fits_memory"), false);
  EXPECT_EQ(run_with("--set gpu.memory=1GB --require-fit").code, 2);
  const Outcome fits = run_with("--require-fit");
  EXPECT_EQ(fits.code, 0);
  EXPECT_EQ(fits.err, "");
}

// The flags between "with " and " (", between "; or " and " (".
std::vector<std::string> remedies_in(const std::string& warning) {
  std::vector<std::string> remedies;
  const std::regex remedy("(?:it fits with|; or) (.*?) \\([0-9.]+ GB\\)");
  for (std::sregex_iterator at(warning.begin(), warning.end(), remedy), end; at != end; ++at) {
    remedies.push_back((*at)[1]);
  }
  return remedies;
}

// Also where the scheme is not defined for every stage of ZeRO.
TEST(Fit, WhatIsSuggestedRunsAndFits) {
  for (const std::string scheme : {"sharded", "sdp4bit"}) {
    const std::string job = "--scheme " + scheme + " --set gpu.memory=2.5GB ";
    const auto remedies = remedies_in(run_with(job).err);
    EXPECT_FALSE(remedies.empty()) << scheme;
    for (const std::string& flags : remedies) {
      EXPECT_EQ(run_with(job + "--require-fit " + flags).code, 0) << scheme << flags;
    }
  }
}

// sdp4bit needs 3.1 GB of these GPUs, its baseline 2.8 GB, and the other way round.
TEST(Fit, SpeedUpsOverWhatDoesNotFitAreMarked) {
  const std::string small = " --set gpu.memory=3GB ";
  const std::string note = "!: next to a speed-up: the scheme or its baseline does not fit";
  const Outcome table = run_with("--scheme sharded --baseline sdp4bit" + small);
  EXPECT_NE(table.out.find("x !"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find(note), std::string::npos) << table.out;
  const Json marked = json_with("--scheme sharded --baseline sdp4bit" + small);
  EXPECT_EQ(marked.back().at("baseline"), "sdp4bit");
  EXPECT_EQ(marked.back().at("fits_memory"), true);
  EXPECT_EQ(marked.back().at("baseline_fits_memory"), false);
  const Outcome fits = run_with("--scheme sdp4bit --baseline sharded");
  EXPECT_EQ(fits.out.find('!'), std::string::npos) << fits.out;
  const Json plain = json_with("--scheme sdp4bit --baseline sharded" + small);
  EXPECT_EQ(plain.back().at("baseline_fits_memory"), true);
  EXPECT_EQ(plain.front().at("baseline_fits_memory"), nullptr);
}

}  // namespace
}  // namespace apps_tests
