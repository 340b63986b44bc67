// SPDX-License-Identifier: Apache-2.0
// fit --steps and fit --trace: what the program itself predicts, taken for measured, gives the
// constants back; and check --measured tells what has drifted.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using nlohmann::json;

const std::string kOwnCluster = "--topology sdp4bit_a100 --nodes 1";
const std::string kTraced = kOwnCluster + " --model gpt_1.3b --attention unfused";

std::map<std::string, double> fitted_in(const json& answer) {
  std::map<std::string, double> fitted;
  for (const json& one : answer["constants"]) {
    if (!one["fitted"].is_null()) fitted[one["key"]] = one["fitted"];
  }
  return fitted;
}

std::string write_trace(const Sandbox& sandbox, const std::string& flags,
                        const std::string& name = "trace.json") {
  const Outcome outcome = run(words("run " + flags + " --kineto " + name), sandbox.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return name;
}

TEST(FitTrace, OfItsOwnMakingGivesTheConstantsBack) {
  const Sandbox sandbox;
  write_trace(sandbox, kTraced +
                           " --set fitted.compute_efficiency=0.51"
                           " --set gpu.memory_efficiency=0.77"
                           " --set fitted.network_efficiency=0.8");
  const json answer = json_of(words("fit --trace trace.json " + kTraced), sandbox.path());
  const auto fitted = fitted_in(answer);
  EXPECT_NEAR(fitted.at("fitted.compute_efficiency"), 0.51, 0.01 * 0.51);
  EXPECT_NEAR(fitted.at("gpu.memory_efficiency"), 0.77, 0.01 * 0.77);
  EXPECT_NEAR(answer["fit_step_s"].get<double>(), answer["measured_step_s"].get<double>(),
              0.01 * answer["measured_step_s"].get<double>());
  EXPECT_TRUE(answer["not_in_model"].empty()) << answer["not_in_model"];
}

TEST(FitTrace, TheClusterFileHoldsTheConstants) {
  const Sandbox sandbox;
  write_trace(sandbox, kTraced + " --set fitted.compute_efficiency=0.51");
  ASSERT_EQ(run(words("fit --trace trace.json " + kTraced + " -o mine.toml"), sandbox.path()).code,
            0);
  const auto step_s = [&](const std::string& flags) {
    return json_of(words("run --nodes 1 --model gpt_1.3b --attention unfused --range off " + flags),
                   sandbox.path())["step_time_s"]
        .get<double>();
  };
  const double measured_s = step_s("--topology sdp4bit_a100 --set fitted.compute_efficiency=0.51");
  EXPECT_NEAR(step_s("--topology mine.toml"), measured_s, 0.01 * measured_s);
}

// Every class that the program gives a simulated kernel is found again by its name.
TEST(FitTrace, KnowsEverySimulatedKernel) {
  for (const char* model : {"gpt_125m", "llama_3_8b", "mpt_1b"}) {
    for (const char* flags : {"--attention fused", "--attention unfused --kernels eager",
                              "--tp 2 --sequence-parallel on --scheme sdp4bit", "--pp 2"}) {
      const Sandbox sandbox;
      SCOPED_TRACE(std::string(model) + " " + flags);
      write_trace(sandbox, std::string("--topology dgx_h100_x16 --nodes 1 --set model.layers=4 ") +
                               "--model " + model + " " + flags);
      const json answer = json_of(words("fit --trace trace.json"), sandbox.path());
      EXPECT_TRUE(answer["unexplained"].empty()) << answer["unexplained"];
      EXPECT_GT(answer["classes"].size(), 3u);
    }
  }
}

// A trace of other layers, of as many larger ones, or of a host that is slower is told of; the job's own is
// not, however fast its GPU.
TEST(FitTrace, TellsWhatConstantsOfKernelsDoNotExplain) {
  const std::string job =
      "--topology sdp4bit_a100 --nodes 1 --stack torch-eager --zero 1 --model gpt_350m";
  const auto warnings_of = [&](const std::string& traced) {
    const Sandbox sandbox;
    write_trace(sandbox, job + traced);
    const Outcome fit = run(words("fit --trace trace.json " + job), sandbox.path());
    EXPECT_EQ(fit.code, fit.err.empty() ? 0 : 1);
    return fit.err;
  };
  EXPECT_EQ(warnings_of(""), "");
  EXPECT_EQ(warnings_of(" --set fitted.compute_efficiency=0.6"), "");
  EXPECT_NE(warnings_of(" --set model.layers=12").find("matrix products a step, but the job has"),
            std::string::npos);
  EXPECT_NE(warnings_of(" --set model.hidden=2048 --set model.head_width=128")
                .find("times as long as those of the job"),
            std::string::npos);
  EXPECT_NE(warnings_of(" --host-issue 300us").find("no kernel runs for"), std::string::npos);
}

// The job has one node of 4 GPUs, of which one is traced.
TEST(FitTrace, SaysWhatItDoesNotTellOfTheJob) {
  const Sandbox sandbox;
  write_trace(sandbox, kTraced);
  const std::string text = text_of(sandbox.path() / "trace.json");
  const std::string ranks = R"(,"world_size":4)";
  ASSERT_NE(text.find(ranks), std::string::npos);
  const auto said = [&](const std::string& by) {
    std::string other = text;
    sandbox.write("trace.json", other.replace(other.find(ranks), ranks.size(), by));
    return run(words("fit --trace trace.json"), sandbox.path()).out;
  };
  EXPECT_NE(
      said(ranks).find("\n1 of the job's 4 ranks is traced. Not in the trace: the job's model"),
      std::string::npos);
  EXPECT_NE(said("").find("\nNot in the trace: how many ranks the job has, the job's model"),
            std::string::npos);
  EXPECT_TRUE(json_of(words("fit --trace trace.json"), sandbox.path())["job_ranks"].is_null());
  said(R"(,"world_size":16)");
  EXPECT_EQ(json_of(words("fit --trace trace.json"), sandbox.path())["job_ranks"], 16);
  EXPECT_NE(run(words("fit --trace trace.json " + kTraced), sandbox.path())
                .err.find("--trace: is of a job of 16 ranks, but the job has 4; check --nodes"),
            std::string::npos);
}

// A CSV file of steps that the program predicts with these settings.
std::string made_steps(const std::string& settings, double rest_s = 0, double noise = 0) {
  std::string text = "name,model,micro-batch,accumulation,step_s\n";
  int row = 0;
  for (const char* model : {"gpt_125m", "gpt_350m", "gpt_1.3b"}) {
    for (const int micro_batch : {1, 4}) {
      const json report =
          json_of("run --range off " + kOwnCluster + settings + " --model " + model +
                  " --accumulation 2 --micro-batch " + std::to_string(micro_batch));
      const double sign = ++row % 2 == 0 ? 1 : -1;
      const double step_s = (report["step_time_s"].get<double>() + rest_s) * (1 + sign * noise);
      text += std::string(model) + "/" + std::to_string(micro_batch) + "," + model + "," +
              std::to_string(micro_batch) + ",2," + std::to_string(step_s) + "\n";
    }
  }
  return text;
}

TEST(FitSteps, OfItsOwnMakingGiveTheConstantsBack) {
  const Sandbox sandbox;
  sandbox.write("steps.csv", made_steps(" --set fitted.compute_efficiency=0.51"));
  const json answer = json_of(words("fit --steps steps.csv " + kOwnCluster), sandbox.path());
  const auto fitted = fitted_in(answer);
  ASSERT_EQ(fitted.size(), 1u) << answer["constants"];
  // What the base's own fit knew before counts a little.
  EXPECT_NEAR(fitted.at("fitted.compute_efficiency"), 0.51, 0.005 * 0.51);
  EXPECT_LT(answer["errors"]["fit_without_step"]["mean"].get<double>(), 0.01);
}

// Half of the GPUs' speed is lost by flags of another job rather than by GPUs.
TEST(FitSteps, ThatAreHardToBelieveBecomeNoFile) {
  const Sandbox sandbox;
  sandbox.write("steps.csv", made_steps(" --set fitted.compute_efficiency=0.35"));
  const std::string fit = "fit --steps steps.csv -o mine.toml " + kOwnCluster;
  const Outcome refused = run(words(fit), sandbox.path());
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("compute efficiency is 0.44"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(sandbox.path() / "mine.toml"));
  EXPECT_EQ(run(words(fit + " --force"), sandbox.path()).code, 0);
  EXPECT_TRUE(std::filesystem::exists(sandbox.path() / "mine.toml"));
}

TEST(FitSteps, TellTwoConstantsApart) {
  const Sandbox sandbox;
  sandbox.write("steps.csv", made_steps(" --set fitted.compute_efficiency=0.51"
                                        " --set gpu.launch_latency=12us"));
  const auto fitted =
      fitted_in(json_of(words("fit --steps steps.csv " + kOwnCluster), sandbox.path()));
  EXPECT_NEAR(fitted.at("fitted.compute_efficiency"), 0.51, 0.01 * 0.51);
  // Gaps of a sixth of that are what is known; these steps hold too few of them to say otherwise.
  EXPECT_NEAR(fitted.at("gpu.launch_latency"), 12e-6, 0.3 * 12e-6);
}

// Steps of small layers, which wait for this host but not for a usual one, and longer ones, which do
// for neither.
TEST(FitSteps, TellTheHostFromTheGpu) {
  const Sandbox sandbox;
  const std::string flags = " --sequence 1024";
  sandbox.write("steps.csv", made_steps(flags + " --set fitted.compute_efficiency=0.51"
                                                " --set fitted.host_slowdown=4"));
  const auto fitted = fitted_in(
      json_of(words("fit --steps steps.csv -o mine.toml " + kOwnCluster + flags), sandbox.path()));
  EXPECT_NEAR(fitted.at("fitted.compute_efficiency"), 0.51, 0.01 * 0.51);
  EXPECT_NEAR(fitted.at("fitted.host_slowdown"), 4, 0.01 * 4);
  const std::string report = "run --range off --topology mine.toml --model gpt_125m" + flags;
  const json own = json_of(words(report), sandbox.path());
  EXPECT_NE(own["sources"]["host"].get<std::string>().find("fitted to measured steps"),
            std::string::npos);
  // What is given goes before what was fitted.
  const json given = json_of(words(report + " --host-issue 1x"), sandbox.path());
  EXPECT_LT(given["host_s"].get<double>(), own["host_s"].get<double>());
}

TEST(FitSteps, AnIntervalHoldsTheConstantDespiteNoise) {
  const Sandbox sandbox;
  sandbox.write("steps.csv", made_steps(" --set fitted.compute_efficiency=0.51", 0, 0.02));
  const json answer =
      json_of(words("fit --steps steps.csv -o mine.toml " + kOwnCluster), sandbox.path());
  EXPECT_NE(text_of(sandbox.path() / "mine.toml").find("95 % interval 0."), std::string::npos);
  for (const json& one : answer["constants"]) {
    if (one["key"] != "fitted.compute_efficiency") continue;
    EXPECT_LT(one["low"].get<double>(), 0.51);
    EXPECT_GT(one["high"].get<double>(), 0.51);
    EXPECT_LT(one["high"].get<double>() - one["low"].get<double>(), 0.05);
  }
}

TEST(FitSteps, HeldOutOnesArePredicted) {
  const Sandbox sandbox;
  sandbox.write("steps.csv", made_steps(" --set fitted.compute_efficiency=0.51"));
  const json answer = json_of(
      words("fit --steps steps.csv --hold-out steps -o mine.toml " + kOwnCluster), sandbox.path());
  EXPECT_EQ(answer["errors"]["held_fit"]["count"], 3);
  EXPECT_LT(answer["errors"]["held_fit"]["mean"].get<double>(), 0.02);
  EXPECT_GT(answer["errors"]["held_base"]["mean"].get<double>(), 0.05);
  EXPECT_NE(text_of(sandbox.path() / "mine.toml").find("compute_efficiency = 0.5"),
            std::string::npos);
}

TEST(FitSteps, AreRefusedWithTheirLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"model,step_s\n", "has no row"},
      {"model,step_s\ngpt_125m,0\n", "steps.csv:2:1: step_s: '0' is not a number above 0"},
      {"model,step_s\ngpt_125m,-1\n", "steps.csv:2:1: step_s"},
      {"model,step_s\ngpt_125m,1e-300\n", "steps.csv:2:1: step_s: a step of 1e-300 s is out"},
      {"model,step_s\ngpt_125m,1e300\n", "steps.csv:2:1: step_s: a step of 1e+300 s is out"},
      {"model,tokens_per_second\ngpt_125m,1e-300\n", "steps.csv:2:1: tokens_per_second: a step"},
      {"model\ngpt_125m\n", "steps.csv:2:1: has no measured time"},
      {"model,step_s,tokens_per_second\ngpt_125m,1,2\n", "has both"},
      {"model,step_s\ngpt_125,1\n", "steps.csv:2:1: --model"},
      // In the header, whose line is not the row's.
      {"model,nods,step_s\ngpt_125m,1,1\n",
       "steps.csv:1:1: nods: unknown column; did you mean nodes?"},
      {"# of today\nmodel,step_ms\ngpt_125m,1\n",
       "steps.csv:2:1: step_ms: unknown column; did you mean step_s?"},
      {"model,topology,step_s\ngpt_125m,a,1\n", "steps.csv:1:1: topology: cannot be a column"},
      {"model,set,step_s\ngpt_125m,a,1\n", "steps.csv:1:1: set: cannot be a column"},
      {"model,nods,topology,step_s\ngpt_125m,1,a,1\n",
       "steps.csv:1:1: nods: unknown column; did you mean nodes?\nsteps.csv:1:1: topology: cannot"},
      {"model,scheme,step_s\ngpt_125m,\"qwd,zeropp\",1\n", "names several schemes"},
      {"model,tp,step_s\ngpt_125m,3,1\n", "steps.csv:2:1: --tp"},
      // Flags of a row are those of its job.
      {"model,step_s,flags\ngpt_125m,1,--help\n", "steps.csv:2:1: --help: "},
      {"model,step_s,flags\ngpt_125m,1,--help=json\n", "steps.csv:2:1: --help: "},
      {"model,step_s,flags\ngpt_125m,1,-h\n", "steps.csv:2:1: -h: "},
      {"model,step_s,flags\ngpt_125m,1,--version\n", "steps.csv:2:1: --version: "},
      {"model,step_s,flags\ngpt_125m,1,--format json\n", "steps.csv:2:1: --format: "},
      {"model,step_s,flags\ngpt_125m,1,--perfetto=a.json\n", "steps.csv:2:1: --perfetto: "},
      {"model,step_s,flags\ngpt_125m,1,--topology dgx_h100_x16\n",
       "steps.csv:2:1: --topology: is that of the command line"},
  };
  for (const auto& [text, message] : wrong) {
    const Sandbox sandbox;
    sandbox.write("steps.csv", text);
    const Outcome outcome =
        run(words("fit --steps steps.csv -o mine.toml " + kOwnCluster), sandbox.path());
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << text << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.find("steps.csv:2:1: steps.csv"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(sandbox.names(), Arguments{"steps.csv"});
  }
}

TEST(FitTrace, IsRefusedWithItsFile) {
  const Sandbox sandbox;
  sandbox.write("empty.json", "{\"traceEvents\": []}");
  sandbox.write("cut.json.gz", std::string("\x1f\x8b\x08\x00", 4));
  const std::pair<const char*, const char*> wrong[] = {
      {"fit --trace empty.json", "empty.json: has no kernel"},
      {"fit --trace cut.json.gz", "cut.json.gz: is cut off"},
      {"fit --trace none.json", "none.json: no such file"},
      {"fit --trace empty.json --topology sdp4bit_a100", "--model: is missing"},
      {"fit --trace empty.json --model gpt_125m", "--model: needs --topology"},
      {"fit --trace empty.json -o mine.toml", "--output: needs --topology"},
      {"fit --trace empty.json --steps steps.csv", "--trace: cannot be fitted together"},
      {"fit --trace empty.json --collective all_reduce", "--collective: applies to logs"},
      {"fit --steps steps.csv", "--topology: is missing"},
      {"fit my.log --topology sdp4bit_a100 --model gpt_125m", "--model: applies to --steps"},
  };
  for (const auto& [command, message] : wrong) {
    const Outcome outcome = run(words(command), sandbox.path());
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_TRUE(outcome.err.starts_with(message)) << command << "\n" << outcome.err;
  }
}

TEST(CheckMeasured, FailsWhereAStepHasDrifted) {
  const Sandbox sandbox;
  sandbox.write("same.csv", made_steps(""));
  sandbox.write("slow.csv", made_steps("", 5));
  const Outcome same = run(words("check --measured same.csv " + kOwnCluster), sandbox.path());
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  const Outcome slow = run(words("check --measured slow.csv " + kOwnCluster), sandbox.path());
  EXPECT_EQ(slow.code, 1) << slow.err;
  EXPECT_NE(slow.out.find("slower"), std::string::npos) << slow.out;
}

TEST(CheckMeasured, NamesTheKernelsThatDrifted) {
  const Sandbox sandbox;
  const std::string flags = kTraced + " --set gpu.memory_efficiency=0.5";
  write_trace(sandbox, flags);
  const json report = json_of("run --range off " + flags);
  sandbox.write("step.csv",
                "step_s\n" + std::to_string(report["step_time_s"].get<double>()) + "\n");
  const Outcome outcome =
      run(words("check --measured step.csv --trace trace.json " + kTraced), sandbox.path());
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("optimizer"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("slower"), std::string::npos) << outcome.out;
}

TEST(CheckMeasured, RefusesFlagsOfBaselines) {
  const std::pair<const char*, const char*> wrong[] = {
      {"check --measured steps.csv", "--topology: is missing"},
      {"check --measured steps.csv --topology sdp4bit_a100 --strict", "--strict: is of checks"},
      {"check study.toml --model gpt_125m", "--model: applies to --measured"},
      {"check study.toml --trace trace.json", "--trace: applies to --measured"},
      {"check", "gardenhose check: WHAT is missing"},
  };
  for (const auto& [command, message] : wrong) {
    const Outcome outcome = run(words(command), source_directory());
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_TRUE(outcome.err.starts_with(message)) << command << "\n" << outcome.err;
  }
}

}  // namespace
}  // namespace apps_tests
