// SPDX-License-Identifier: Apache-2.0
// fit: a log becomes a cluster file that predicts it, and what is wrong is refused before a file is
// written.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"
#include "tests/fit/sample_log.hpp"

namespace apps_tests {
namespace {

using nlohmann::json;

constexpr std::string_view kA3Mega = "--topology gcp_a3_mega";
// A network that is slower and takes longer than that of the shipped cluster.
const std::string kTrueNetwork = " --set network.latency=90us --set network.efficiency=0.7";

json fit_times_of(const std::string& collective, const std::string& flags) {
  return json_of("collective " + collective + " --begin 1KiB --end 4GiB --factor 4 " + flags);
}

// What nccl-tests would have printed on two nodes with such a network.
std::string made_fit_log() {
  sim::fit::Log log{.name = "made.log",
                    .collective = &sim::collective_named("all_gather"),
                    .nodes = 2,
                    .gpus_per_node = 8};
  for (const json& row :
       fit_times_of("all_gather", std::string(kA3Mega) + " --nodes 2" + kTrueNetwork)) {
    log.times.push_back({row["size_bytes"].get<double>(), row["time_s"].get<double>()});
  }
  return fit_tests::log_text(log, "all_gather_perf");
}

const std::string& sample_log() {
  static const std::string text = made_fit_log();
  return text;
}

const json* constant_of(const json& answer, const std::string& key) {
  for (const json& one : answer["constants"]) {
    if (one["key"] == key) return &one;
  }
  ADD_FAILURE() << key;
  return nullptr;
}

TEST(FitCommand, WritesAClusterThatPredictsTheLog) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  const json answer =
      json_of(words("fit my.log --topology gcp_a3_mega -o mine.toml"), sandbox.path());
  EXPECT_NEAR((*constant_of(answer, "network.latency"))["fitted"].get<double>(), 90e-6, 0.9e-6);
  EXPECT_NEAR((*constant_of(answer, "network.efficiency"))["fitted"].get<double>(), 0.7, 0.007);
  EXPECT_EQ((*constant_of(answer, "nvlink.pairs_latency"))["kept"], "unused");
  EXPECT_LT(answer["errors"]["fit"]["mean"], 0.01);
  EXPECT_GT(answer["errors"]["base"]["mean"], 0.1);
  EXPECT_LT(answer["errors"]["fit_without_size"]["mean"],
            answer["errors"]["alpha_beta_without_size"]["mean"]);
  // On more nodes too, the written cluster is the true one.
  const json truth = fit_times_of("all_gather", std::string(kA3Mega) + " --nodes 4" + kTrueNetwork);
  const json fitted = fit_times_of(
      "all_gather", "--topology " + (sandbox.path() / "mine.toml").string() + " --nodes 4");
  ASSERT_EQ(fitted.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(fitted[i]["time_s"].get<double>() / truth[i]["time_s"].get<double>(), 1, 0.01);
  }
  const std::string text = text_of(sandbox.path() / "mine.toml");
  EXPECT_NE(text.find("# Fitted to my.log: 95 % interval "), std::string::npos);
  EXPECT_NE(text.find("all_gather on 16 GPUs of 2 nodes (my.log)"), std::string::npos);
}

TEST(FitCommand, PrintsTheSameEachTime) {
  const Arguments arguments =
      words("fit gcp_a3_mega_2x8 --topology dgx_h100_x16 --hold-out sizes --force");
  const Outcome once = run(arguments, source_directory());
  ASSERT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(run(arguments, source_directory()).out, once.out);
  EXPECT_NE(once.out.find("held out: alpha-beta law"), std::string::npos);
  EXPECT_NE(once.out.find("extrapolated"), std::string::npos);
}

// A log of one size has none to hold out; those of the others are, and its own counts as used. No other
// log has its collective, so no law predicts it without its size.
TEST(FitCommand, HoldsOutSizesOfTheLogsThatHaveSeveral) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  const std::string head = "log,collective,nodes,gpus_per_node,bytes,seconds\n";
  sandbox.write("one.csv", head + "a,all_reduce,2,8,1048576,1e-4\n");
  for (const char* logs : {"my.log one.csv", "one.csv my.log"}) {
    const json both =
        json_of(words(std::string("fit --force --topology gcp_a3_mega --hold-out sizes ") + logs),
                sandbox.path());
    const json alone =
        json_of(words("fit --topology gcp_a3_mega --hold-out sizes my.log"), sandbox.path());
    EXPECT_EQ(both["errors"]["held_fit"]["count"], alone["errors"]["held_fit"]["count"]);
    EXPECT_EQ(both["errors"]["fit"]["count"], alone["errors"]["fit"]["count"].get<int>() + 1);
    EXPECT_EQ(both["errors"]["alpha_beta_without_size"]["count"],
              alone["errors"]["alpha_beta_without_size"]["count"]);
  }
  std::string singles = head;
  for (int i = 0; i < 4; ++i) {
    singles += fmt::format("a{},all_reduce,2,8,{},1e-4\n", i, 1024 << i);
  }
  sandbox.write("singles.csv", singles);
  expect_refused(
      run(words("fit singles.csv --topology gcp_a3_mega --hold-out sizes"), sandbox.path()),
      "--hold-out");
}

// A network at half of what its data sheet says becomes no constant unless that is meant.
TEST(FitCommand, WritesNoConstantsThatAreHardToBelieve) {
  const Sandbox sandbox;
  const std::string fit = "fit gcp_a3_mega_2x8 --topology dgx_h100_x16 -o ";
  const std::string output = (sandbox.path() / "mine.toml").string();
  const Outcome refused = run(words(fit + output), source_directory());
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("% of the base's"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(run(words(fit + output + " --force"), source_directory()).code, 0);
  EXPECT_TRUE(std::filesystem::exists(output));
}

TEST(FitCommand, DiagnosesLogsOfTooFewSizesToFitTo) {
  const Sandbox sandbox;
  const auto sentence_at = [&](double busbw) {
    const double bytes = 1 << 30;
    sandbox.write("one.csv", fmt::format("log,collective,nodes,gpus_per_node,bytes,seconds\n"
                                         "a,all_reduce,2,8,{},{}\n",
                                         bytes, bytes * 2 * 15 / 16 / busbw));
    const json answer = json_of(words("fit one.csv --topology dgx_superpod_a100"), sandbox.path());
    return answer["diagnosis"]["sentences"][0].get<std::string>();
  };
  EXPECT_NE(sentence_at(10e9).find("Your network delivers 4 %"), std::string::npos);
  EXPECT_EQ(sentence_at(180e9).find("delivers"), std::string::npos);
}

TEST(FitCommand, TakesSettingsOfTheBaseAndWritesThem) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  const std::string fit = "fit my.log --topology gcp_a3_mega --force -o mine.toml";
  ASSERT_EQ(
      run(words(fit + " --set network.nics_per_node=4 --protocol simple"), sandbox.path()).code, 0);
  const std::string text = text_of(sandbox.path() / "mine.toml");
  EXPECT_NE(text.find("nics_per_node = 4"), std::string::npos);
  EXPECT_NE(text.find("protocol = \"simple\""), std::string::npos);
  expect_refused(run(words(fit + " --set network.nics=4"), sandbox.path()), "--set network.nics");
}

TEST(FitCommand, RefusesWhatIsWrongAndWritesNothing) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  sandbox.write("cut.log", sample_log().substr(0, sample_log().find("# Out of") - 30));
  sandbox.write("unnamed.log",
                fit_tests::log_text({.name = "",
                                     .collective = &sim::collective_named("all_reduce"),
                                     .nodes = 1,
                                     .gpus_per_node = 8,
                                     .times = {{8, 1e-5}}},
                                    ""));
  sandbox.write("empty.csv", "log,collective,nodes,gpus_per_node,bytes,seconds\n");
  sandbox.write("blank.csv", "");
  sandbox.write("steps.csv", "model,step_s\n");
  sandbox.write("few.csv",
                "log,collective,nodes,gpus_per_node,bytes,seconds\na,all_reduce,1,8,8,1e-5\n");
  const std::vector<std::string> before = sandbox.names();
  const std::string base = " --topology gcp_a3_mega -o mine.toml";
  for (const auto& [arguments, place] : std::vector<std::pair<std::string, std::string>>{
           {"cut.log" + base, "cut.log"},
           {"unnamed.log" + base, "--collective"},
           {"unnamed.log --collective all_gather" + base, "unnamed.log"},
           {"unnamed.log --collective all" + base, "--collective"},
           {"few.csv" + base, "a"},
           {"empty.csv" + base, "empty.csv"},
           {"blank.csv" + base, "blank.csv"},
           {"--steps steps.csv" + base, "steps.csv"},
           {"none.log" + base, "none.log"},
           {"./none.log" + base, "./none.log"},
           {"my.log my.log" + base, "my.log"},
           {"h100_2x4_xla" + base, "h100_2x4_xla"},
           {"my.log --hold-out nodes" + base, "--hold-out"},
           {"my.log --hold-out gpus" + base, "--hold-out"},
           {"my.log --topology sdp4bit_a100", "my.log"},
           {"my.log --topology two_sites_10g", "--topology"},
           {"my.log --topology none", "--topology"},

           {"my.log --topology gcp_a3_mega -o my.log", "--output"},
           {"my.log --topology gcp_a3_mega -o none/mine.toml", "none/mine.toml"},
           {"my.log --format xml" + base, "--format"}}) {
    SCOPED_TRACE(arguments);
    expect_refused(run(words("fit " + arguments), sandbox.path()), place);
    EXPECT_EQ(sandbox.names(), before);
  }
  EXPECT_EQ(text_of(sandbox.path() / "my.log"), sample_log());
}

TEST(FitCommand, NamesTheMatrixWhoseNodeHasFewerGpusThanTheLog) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  sandbox.write("node.topo",
                "GPU0 GPU1 GPU2 GPU3 NIC0 NIC1\n"
                "GPU0 X NV4 NV4 NV4 PHB SYS\n"
                "GPU1 NV4 X NV4 NV4 PHB SYS\n"
                "GPU2 NV4 NV4 X NV4 SYS PHB\n"
                "GPU3 NV4 NV4 NV4 X SYS PHB\n"
                "NIC0 PHB PHB SYS SYS X SYS\n"
                "NIC1 SYS SYS PHB PHB SYS X\n");
  const Outcome outcome =
      run(words("fit my.log --topology gcp_a3_mega --topo node.topo"), sandbox.path());
  expect_refused(outcome, "my.log");
  EXPECT_NE(outcome.err.find("--topo node.topo has 4"), std::string::npos) << outcome.err;
}

TEST(FitCommand, KilledAtAnyTimeLeavesAWholeFileOrNone) {
  const Sandbox sandbox;
  sandbox.write("my.log", sample_log());
  const Arguments arguments = words("fit my.log --topology gcp_a3_mega -o mine.toml");
  ASSERT_EQ(run(arguments, sandbox.path()).code, 0);
  const std::filesystem::path output = sandbox.path() / "mine.toml";
  const std::string whole = text_of(output);
  for (int delay_ms = 0; delay_ms <= 100; delay_ms += 5) {
    std::filesystem::remove(output);
    Program program(arguments, sandbox.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    kill(program.id(), SIGKILL);
    program.wait();
    if (std::filesystem::exists(output)) {
      EXPECT_EQ(text_of(output), whole);
    }
    EXPECT_LE(sandbox.names().size(), 2u) << "no temporary file stays";
  }
}

}  // namespace
}  // namespace apps_tests
