// SPDX-License-Identifier: Apache-2.0
// Whatever is refused is refused before the first simulation: what is said late, after minutes, is of
// a later scheme, side, point or output.
#include "tests/apps/checks.hpp"
#include "tests/apps/refusals.hpp"
#include "tests/apps/sweeps.hpp"

namespace apps_tests {
namespace {

// No program of a test has the memory to simulate such a step: what simulates it crashes.
const std::string kHuge =
    " --topology sdp4bit_a100 --model gpt_125m --nodes 3 --accumulation 115000 ";
const std::string kWideRun = " --topology two_sites_10g --model gpt_125m --accumulation 10000 ";

struct Case {
  std::string command, place;
  std::size_t lines = 1;
};

const std::vector<Case> kCases{
    {"run --scheme sharded,top_k --zero 3" + kHuge, "--zero"},
    // All that is wrong at once, each once.
    {"run --scheme sharded,top_k,power_sgd --zero 3 --baseline top_k" + kHuge, "--zero", 2},
    {"run --scheme sharded,qwd --baseline sdp4bt" + kHuge, "--baseline"},
    {"run --scheme sharded,qwd --baseline power_sgd --zero 2" + kHuge, "--zero"},
    // Stages of 6 replicas on nodes of 4.
    {"run --scheme sharded,sdp4bit --pp 2" + kHuge, "--scheme"},
    {"run --scheme sharded,sdp4bit --pp 2 --tune" + kHuge, "--scheme"},
    {"run --baseline best --scheme sdp4bit --pp 2 --tune" + kHuge, "--scheme"},
    {"run --scheme sharded,qwd --perfetto /no/such/x.json" + kHuge, "/no/such/x.json"},
    {"run --scheme sharded,qwd --require-fit --set gpu.memory=1GB" + kHuge, "--require-fit"},
    {"run --scheme sharded,qwd --require-fit --tune --set gpu.memory=1GB" + kHuge, "--require-fit"},
    {"run --scheme qwd --baseline best --require-fit --tune --set gpu.memory=1GB" + kHuge,
     "--require-fit"},
    {"compare --a=--scheme=sharded --b=--scheme=top_k --zero 3" + kHuge, "--zero"},
    {"compare --a=--tune --b=--scheme=sdp4bt" + kHuge, "--scheme"},
    {"compare --a=--tune --b=--scheme=sharded --spread loss=0.1" + kHuge, "--spread"},
    {"solve bandwidth --scheme sharded,top_k --zero 3" + kHuge, "--zero"},
    {"solve bandwidth --scheme sharded --beats top_k --zero 3" + kHuge, "--zero"},
    {"map --topology sdp4bit_a100 --model gpt_125m --nodes 3 --pp 2 --tp 1 --scheme sdp4bit",
     "--scheme"},
    {"plan --goal smallest-network --budget 1MUSD --tokens 1e12 --tp 1 --pp 1 --micro-batch 1 "
     "--batch-tokens 2800000000 --set gpu.price=0USD/h --topology sdp4bit_a100 --model gpt_125m "
     "--nodes 3",
     "--budget"},
    {"run --scheme diloco,wan_sync --inner-scheme top_k --zero 3" + kWideRun, "--zero"},
    {"run --scheme diloco,wan_sync --baseline dilco" + kWideRun, "--baseline"},
    {"run --scheme diloco,wan_sync --baseline sparseloco_store" + kWideRun, "--scheme"},
    {"run --scheme diloco --perfetto /no/such/x.json" + kWideRun, "/no/such/x.json"},
    {"run --scheme diloco,wan_sync --require-fit --set sites.east.nodes=1 --micro-batch 4096" +
         kWideRun,
     "--require-fit"},
    {"solve inner_steps --scheme diloco --beats wan_sync" + kWideRun, "solve inner_steps"},
    {"solve latency --scheme diloco --beats sparseloco_store" + kWideRun, "--scheme"},
};

TEST(RefusedFirst, IsWhateverIsRefused) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.command);
    expect_refused(run(words(one.command), source_directory()), one.place, one.lines);
  }
}

constexpr std::string_view kMisspelt = R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
scheme = ["sharded", "sdp4bt"]
nodes = [1, 2]
)";

TEST(RefusedFirst, ASweepWithAMisspeltSchemeEndsWithOne) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kMisspelt);
  for (const char* when : {"at first", "again"}) {
    const Outcome outcome = sweep_in(sandbox);
    EXPECT_EQ(outcome.code, 1) << when;
    EXPECT_NE(outcome.out.find("no point can run with scheme = \"sdp4bt\""), std::string::npos)
        << outcome.out;
  }
  EXPECT_EQ(query(sandbox, "select state, count(*) from points group by 1"),
            (Arguments{"done|2", "refused|2"}));
}

TEST(RefusedFirst, ASweepSaysSoBeforeItStarts) {
  const Sandbox sandbox;
  sandbox.write("s.toml", std::string(kLongSweep) + "scheme = [\"sharded\", \"sdp4bt\"]\n");
  sandbox.write("t.toml", "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_12m\"\nnodes = 1\n");
  Program program(words("sweep s.toml -j 1"), sandbox.path());
  ASSERT_TRUE(comes_true([&] { return !children_of(program.id()).empty(); }));
  kill(program.id(), SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(outcome.err.starts_with(
      "note: none of 3 points with scheme = \"sdp4bt\" can run: --scheme: unknown scheme 'sdp4bt'"))
      << outcome.err;
  const Outcome none = run(words("sweep t.toml"), sandbox.path());
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(
      none.err.starts_with("note: none of 1 points can run: --model: no shipped file is named"))
      << none.err;
}

// A stage of ZeRO beside a scheme that is not defined for it is a point that is left out.
TEST(RefusedFirst, ACombinationThatDoesNotGoTogetherIsNoMistake) {
  const Sandbox sandbox;
  sandbox.write("s.toml",
                "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\nnodes = 1\n"
                "[grid]\nscheme = [\"sharded\", \"top_k\"]\nzero = [0, 1]\n");
  const Outcome outcome = sweep_in(sandbox);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("2 done"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace apps_tests
