// SPDX-License-Identifier: Apache-2.0
// Which points a spec has, and what is wrong with one, at its place.
#include <cstdlib>
#include <set>

#include "tests/apps/sweeps.hpp"

namespace apps_tests {
namespace {

std::vector<std::string> commands_of(std::string_view spec, std::string_view flags = "") {
  const Sandbox sandbox;
  sandbox.write("s.toml", spec);
  const Outcome outcome =
      run(words("sweep s.toml --dry-run " + std::string(flags)), sandbox.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(sandbox.names(), Arguments{"s.toml"}) << "a dry run writes nothing";
  return lines_of(outcome.out);
}

TEST(SweepSpec, MakesEveryCombinationTheLastKeyFastest) {
  const auto commands = commands_of(R"(
[run]
topology = "sdp4bit_a100"
step-by-step = true
each-kernel = false
[grid]
nodes = [1, 2]
network.nic_bandwidth = ["100 Gbps", "1 GBps"]
[together.size]
model = ["gpt_125m", "gpt_13b"]
tp = [1, 4]
)");
  ASSERT_EQ(commands.size(), 2u * 2 * 2);
  const std::string fixed = "gardenhose run --topology=sdp4bit_a100 --step-by-step ";
  const std::string fast = "--set 'network.nic_bandwidth=\"100 Gbps\"' ";
  EXPECT_EQ(commands[0], fixed + "--nodes=1 " + fast + "--model=gpt_125m --tp=1");
  EXPECT_EQ(commands[1], fixed + "--nodes=1 " + fast + "--model=gpt_13b --tp=4");
  EXPECT_EQ(commands[6],
            fixed + "--nodes=2 --set 'network.nic_bandwidth=\"1 GBps\"' --model=gpt_125m --tp=1");
}

TEST(SweepSpec, TakesStacksAtDates) {
  const auto commands = commands_of(R"([run]
topology = "dgx_h100_x16"
model = "gpt_125m"
[grid]
stack = ["composer", "composer@2023-10"]
)");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_TRUE(commands[0].ends_with("--stack=composer")) << commands[0];
  EXPECT_TRUE(commands[1].ends_with("'--stack=composer@2023-10'")) << commands[1];
}

TEST(SweepSpec, ConditionsAreSqlOverTheInputs) {
  const std::string grid = R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
nodes = [1, 2, 4, 8]
gpus-per-node = [1, 4]
network.nic_bandwidth = ["100 Gbps", "25 GBps"]
)";
  EXPECT_EQ(commands_of(grid).size(), 16u);
  // 1 x 4, 2 x 1, 2 x 4, 4 x 1 and 8 x 1 GPUs.
  EXPECT_EQ(commands_of("where = [\"nodes * gpus_per_node between 2 and 8\"]\n" + grid).size(),
            5u * 2);
  // 25 GBps are 200 Gbps.
  EXPECT_EQ(commands_of("where = [\"nodes = 8 -- only\", "
                        "\"quantity(network_nic_bandwidth) = quantity('200 Gbps')\"]\n" +
                        grid)
                .size(),
            1u * 2);
  EXPECT_EQ(commands_of("where = [\"network_nic_bandwidth_Bps / nodes > 2e9\"]\n" + grid).size(),
            // 25 GBps over all nodes, 12.5 GBps over up to 4 of them.
            (4u + 3) * 2);
}

struct BadSpec {
  std::string_view text;
  std::string_view place;
  std::string_view says;
};

// After these two lines.
const std::string kHead = "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\n";

const BadSpec kBad[] = {
    {"nods = 1", "s.toml:4:1: nods", "did you mean nodes?"},
    {"nodes = [1, 2]", "s.toml:4:1: nodes", "[grid]"},
    {"format = \"csv\"", "s.toml:4:1: format", "a single run"},
    {"set = \"model.layers=1\"", "s.toml:4:1: set", "write the key itself"},
    {"tp = true", "s.toml:4:1: tp", "not a switch"},
    {"step-by-step = \"on\"", "s.toml:4:1: step-by-step", "is a switch"},
    {"scheme = \"sharded,qwd\"", "s.toml:4:1: scheme", "several schemes"},
    {"scheme = \"\"", "s.toml:4:1: scheme", "empty"},
    {"network.latency_factor = inf", "s.toml:4:9: latency_factor", "not finite"},
    {"[grid]\nnodes = 1", "s.toml:5:1: nodes", "write a list"},
    {"[grid]\nnodes = []", "s.toml:5:1: nodes", "empty list"},
    {"[grid]\nnodes = [1, 2, 1]", "s.toml:5:1: nodes", "holds 1 twice"},
    {"[grid]\nnodes = [1, [2]]", "s.toml:5:1: nodes", "nested array"},
    {"[grid]\nmodel = [\"gpt_2.7b\"]", "s.toml:5:1: model", "given twice"},
    {"[together]\nnodes = [1]", "s.toml:5:1: nodes", "unknown key"},
    {"[together.a]\nnodes = [1, 2]\ntp = [1]", "s.toml:6:1: tp", "equally long"},
    {"[together.a]\nnodes = [1, 1]\ntp = [2, 2]", "s.toml:5:1: nodes", "twice"},
    {"[gird]\nnodes = [1]", "s.toml:4:2: gird", "[grid]"},
    {"[grid]\nnodes = [1", "s.toml", "not TOML"},
};

TEST(SweepSpec, BadOnesAreRefusedAtTheirPlace) {
  const Sandbox sandbox;
  for (const BadSpec& bad : kBad) {
    SCOPED_TRACE(bad.text);
    sandbox.write("s.toml", kHead + std::string(bad.text) + "\n");
    const Outcome outcome = sweep_in(sandbox);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(bad.place)) << outcome.err;
    EXPECT_NE(outcome.err.find(bad.says), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(sandbox.names(), Arguments{"s.toml"}) << "something was written";
}

TEST(SweepSpec, BadConditionsAreRefusedAtTheirPlace) {
  const Sandbox sandbox;
  for (const auto& [condition, says] : std::vector<std::pair<std::string, std::string>>{
           {"nodess > 1", "known here: topology, model, nodes"},
           {"nodes >", "syntax error"},
           {"nodes > 1); drop table points --", "more than one"},
           {"quantity(nodes) > 1", "is not a quantity"},
           {"nodes > 99", "leaves no point of 2"}}) {
    SCOPED_TRACE(condition);
    std::string spec = "where = [\"";
    spec.append(condition).append("\"]\n").append(kHead).append("[grid]\nnodes = [1, 2]\n");
    sandbox.write("s.toml", spec);
    const Outcome outcome = sweep_in(sandbox);
    expect_refused(outcome, "s.toml:1:1");
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

// By what they would do, not by the time that it takes here.
TEST(SweepSpec, ConditionsThatTakeForEverAreRefused) {
  std::string longer = "'x'";
  for (int i = 0; i < 6; ++i) {
    longer = "(select a || a || a || a || a || a || a || a from (select " + longer + " as a))";
  }
  const std::string joined =
      "select count(*) from points a, points b, points c, points d, points e,"
      " points f, points g, points h, points i, points j";
  for (const auto& [condition, says] : std::vector<std::pair<std::string, std::string>>{
           {"printf('%.*c', 2000000000, 'x') <> nodes", "not authorized to use function: printf"},
           {"length(zeroblob(1000000000)) > nodes", "zeroblob"},
           {"length(hex(nodes)) > 1", "hex"},
           {"nodes in (with recursive r(n) as (select 1 union all select n + 1 from r) select n "
            "from r)",
            "not authorized"},
           {"length(" + longer + ") > 1", "too big"},
           {"(" + joined + " where a.nodes + j.nodes > 99) = 0", "takes too long"}}) {
    SCOPED_TRACE(condition);
    const Sandbox sandbox;
    std::string spec = "where = [\"" + condition + "\"]\n" + kHead;
    sandbox.write("s.toml", spec + "[grid]\nnodes = [1, 2, 4, 8, 16]\n");
    const Outcome outcome = sweep_in(sandbox, "--dry-run");
    expect_refused(outcome, "s.toml:1:1");
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

TEST(SweepSpec, TooManyPointsAreRefused) {
  const Sandbox sandbox;
  std::string list = "[1";
  for (int i = 2; i <= 101; ++i) list += ", " + std::to_string(i);
  sandbox.write("s.toml",
                kHead + "[grid]\ntp = " + list + "]\npp = " + list + "]\nnodes = " + list + "]\n");
  const Outcome outcome = sweep_in(sandbox);
  expect_refused(outcome, "s.toml:4:2");
  EXPECT_NE(outcome.err.find("1030301 combinations"), std::string::npos) << outcome.err;
}

TEST(SweepShards, AreEqualPartsOfTheWhole) {
  const auto all = commands_of(kSmallSweep);
  std::multiset<std::string> parts;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const auto part = commands_of(kSmallSweep, "--shard " + std::string(shard));
    EXPECT_GE(part.size(), all.size() / 3);
    EXPECT_LE(part.size(), all.size() / 3 + 1);
    parts.insert(part.begin(), part.end());
  }
  EXPECT_EQ(parts, std::multiset<std::string>(all.begin(), all.end()));
}

// As `sbatch --array=FIRST-LAST:STEP` sets it for one of its tasks.
class SlurmTask {
 public:
  SlurmTask(int id, int first, int count, int step) {
    set("ID", id);
    set("MIN", first);
    set("COUNT", count);
    set("STEP", step);
  }
  ~SlurmTask() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  SlurmTask(const SlurmTask&) = delete;
  SlurmTask& operator=(const SlurmTask&) = delete;

 private:
  void set(const std::string& name, int value) {
    names_.push_back("SLURM_ARRAY_TASK_" + name);
    setenv(names_.back().c_str(), std::to_string(value).c_str(), 1);
  }
  std::vector<std::string> names_;
};

TEST(SweepShards, AreTheTasksOfAJobArrayOfSlurm) {
  const auto second = commands_of(kSmallSweep, "--shard 2/3");
  const auto in_task = [](int id, int first, int count, int step) {
    const SlurmTask task(id, first, count, step);
    return commands_of(kSmallSweep);
  };
  EXPECT_EQ(in_task(1, 0, 3, 1), second);
  EXPECT_EQ(in_task(2, 1, 3, 1), second);
  EXPECT_EQ(in_task(8, 4, 3, 4), second);
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  const SlurmTask task(5, 2, 2, 1);  // --array=2,5
  const Outcome outcome = sweep_in(sandbox, "--dry-run");
  expect_refused(outcome, "--shard");
  EXPECT_EQ(sweep_in(sandbox, "--dry-run --shard 2/3").code, 0) << "what is said goes first";
  setenv("SLURM_ARRAY_TASK_ID", "x", 1);
  expect_refused(sweep_in(sandbox, "--dry-run"), "--shard");
}

// An array of one task of three is not an array of one part: it would run all points again.
TEST(SweepShards, OfAnArrayOfSomeTasksAreNamed) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kTinySweep);
  const auto array = [&](int id, int first, int count, const std::string& flags = "") {
    const SlurmTask task(id, first, count, 1);
    return sweep_in(sandbox, flags);
  };
  for (int part = 1; part <= 3; ++part) ASSERT_EQ(array(part, 1, 3).code, 0);
  const std::vector<std::string> before = sandbox.names();
  for (const Outcome& outcome : {array(3, 3, 1), array(2, 2, 2)}) {
    expect_refused(outcome, "--shard");
    EXPECT_NE(outcome.err.find("s.1of3.sqlite holds a part of 3"), std::string::npos);
  }
  EXPECT_NE(array(3, 3, 1).err.find("--shard 3/3"), std::string::npos);
  EXPECT_EQ(sandbox.names(), before);
  EXPECT_EQ(array(3, 3, 1, "--shard 3/3").code, 0);
  EXPECT_EQ(array(1, 1, 3).code, 0) << "the whole array again";
  EXPECT_EQ(array(3, 3, 1, "--store other.sqlite").code, 0);
}

}  // namespace
}  // namespace apps_tests
