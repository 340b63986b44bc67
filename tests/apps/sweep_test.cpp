// SPDX-License-Identifier: Apache-2.0
// What a sweep keeps of its points, and what it does not do twice.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/apps/sweeps.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

TEST(Sweep, APointSaysWhatRunSays) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  const Outcome outcome = sweep_in(sandbox);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(sandbox.names(), (Arguments{"s.sqlite", "s.toml"}));
  const auto lines = lines_of(exported(sandbox));
  ASSERT_EQ(lines.size(), 8u);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(Json::parse(lines[i])["number"], i);

  const Json sixth = Json::parse(lines[6]);
  EXPECT_EQ(sixth["inputs"], (Json{{"topology", "sdp4bit_a100"},
                                   {"model", "gpt_2.7b"},
                                   {"scheme", "sdp4bit"},
                                   {"nodes", 1}}));
  const Outcome alone =
      run(words("run --range off --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit "
                "--nodes 1 --format json"),
          sandbox.path());
  EXPECT_EQ(sixth["report"], Json::parse(alone.out));
}

TEST(Sweep, ResultsHaveAColumnForEachFigureOfCsv) {
  const Sandbox sandbox;
  sandbox.write("s.toml", "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\nnodes = 2\n");
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  const Outcome csv = run(
      words("run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --format csv"), sandbox.path());
  const std::string header = lines_of(csv.out)[0];
  std::string columns;
  for (const auto& name : query(sandbox, "select name from pragma_table_info('results')")) {
    if (name != "point") columns += (columns.empty() ? "" : ",") + name;
  }
  EXPECT_EQ(columns, header);
  EXPECT_EQ(lines_of(exported(sandbox, "s.sqlite", "csv"))[0],
            "number,state,in_topology,in_model,in_nodes," + header + ",message");
  EXPECT_EQ(query(sandbox, "select number, state, in_nodes, model, fits_memory from all_points"),
            Arguments{"0|done|2|gpt_125m|1"});
}

TEST(Sweep, SaysOfEachPointWhatBecameOfIt) {
  const Sandbox sandbox;
  sandbox.write("s.toml", R"([run]
topology = "sdp4bit_a100"
nodes = 2
[together.points]
model = ["gpt_125m", "gpt_18b", "gpt_125m", "none"]
tp = [1, 1, 64, 1]
)");
  const Outcome outcome = sweep_in(sandbox);
  EXPECT_EQ(outcome.code, 1) << "none runs with 64 or none";
  EXPECT_EQ(query(sandbox, "select state, fits_memory from all_points"),
            (Arguments{"done|1", "too_large|0", "refused|", "refused|"}));
  EXPECT_EQ(query(sandbox,
                  "select count(*) from points where message like '--tp: %' or message "
                  "like '--model: %' or message like 'warning: %'"),
            Arguments{"3"});
  EXPECT_NE(outcome.out.find("1 done, 1 too large"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 x --model: no shipped file is named 'none'"), std::string::npos);
}

TEST(Sweep, WhereNothingSucceedsIsAFailure) {
  const Sandbox sandbox;
  sandbox.write("s.toml", "[run]\ntopology = \"none\"\nmodel = \"gpt_125m\"\n");
  EXPECT_EQ(sweep_in(sandbox).code, 1);
}

TEST(Sweep, DoesNothingTwice) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kTinySweep);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  const std::string first = exported(sandbox);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_EQ(query(sandbox, "select distinct session from points"), Arguments{"1"});
  EXPECT_EQ(exported(sandbox), first);

  std::string more(kTinySweep);
  more.replace(more.find("[1, 2]"), 6, "[2, 3]");
  sandbox.write("s.toml", more);
  const Outcome outcome = sweep_in(sandbox);
  EXPECT_NE(outcome.out.find("2 points are no longer in the spec"), std::string::npos);
  EXPECT_EQ(query(sandbox,
                  "select session, in_nodes, count(*) from all_points join points using "
                  "(number) group by 1, 2"),
            (Arguments{"1|2|2", "3|3|2"}));
  sandbox.write("s.toml", kTinySweep);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_EQ(exported(sandbox), first) << "what was once done stays";
}

TEST(Sweep, PointsOfOtherFilesAreNotTakenForThese) {
  const Sandbox sandbox;
  const std::string cluster = text_of(source_directory() / "topologies/sdp4bit_a100.toml");
  sandbox.write("mine.toml", cluster);
  sandbox.write("s.toml",
                "[run]\ntopology = \"./mine.toml\"\nmodel = \"gpt_125m\"\nnodes = 1\n"
                "[grid]\nscheme = [\"sharded\", \"sdp4bit\"]\n");
  // From another folder: paths go from the spec's.
  ASSERT_EQ(run({"sweep", (sandbox.path() / "s.toml").string()}, "/").code, 0);
  sandbox.write("mine.toml", cluster + "\n# changed\n");
  const Outcome refused = sweep_in(sandbox);
  expect_refused(refused, "s.sqlite");
  EXPECT_NE(refused.err.find("2 of its points"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("mine.toml has changed"), std::string::npos) << refused.err;
  EXPECT_EQ(query(sandbox, "select count(*) from results"), Arguments{"2"}) << "and stay";
  ASSERT_EQ(sweep_in(sandbox, "--recompute").code, 0);
  EXPECT_EQ(query(sandbox, "select distinct session from points"), Arguments{"2"});
  EXPECT_EQ(sweep_in(sandbox).code, 0);
}

TEST(SweepShards, MergedAreTheSingleRun) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kTinySweep);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  for (const char* shard : {"1/4", "2/4", "3/4", "4/4"}) {
    ASSERT_EQ(sweep_in(sandbox, "--shard " + std::string(shard)).code, 0);
  }
  const std::string merge = "merge all.sqlite s.4of4.sqlite s.2of4.sqlite s.1of4.sqlite ";
  ASSERT_EQ(run(words(merge + "s.3of4.sqlite"), sandbox.path()).code, 0);
  EXPECT_EQ(exported(sandbox, "all.sqlite"), exported(sandbox));
  EXPECT_EQ(exported(sandbox, "all.sqlite", "csv"), exported(sandbox, "s.sqlite", "csv"));
  expect_refused(run(words(merge), sandbox.path()), "all.sqlite");

  // What a shard that is missing had to do, a sweep of the whole does.
  std::filesystem::remove(sandbox.path() / "all.sqlite");
  ASSERT_EQ(run(words(merge), sandbox.path()).code, 0);
  EXPECT_EQ(query(sandbox, "select count(*) from points where state = 'open'", "all.sqlite"),
            Arguments{"1"});
  ASSERT_EQ(sweep_in(sandbox, "--store all.sqlite").code, 0);
  EXPECT_EQ(exported(sandbox, "all.sqlite"), exported(sandbox));
}

TEST(SweepShards, OfDifferentSweepsAreNotMerged) {
  const Sandbox sandbox;
  const std::string cluster = text_of(source_directory() / "topologies/sdp4bit_a100.toml");
  const std::string spec =
      "[run]\ntopology = \"./mine.toml\"\nmodel = \"gpt_125m\"\n[grid]\nnodes = [1, 2]\n";
  sandbox.write("mine.toml", cluster);
  sandbox.write("s.toml", spec);
  ASSERT_EQ(sweep_in(sandbox, "--shard 1/2").code, 0);
  expect_refused(sweep_in(sandbox, "--shard 2/2 --store s.1of2.sqlite"), "s.1of2.sqlite");
  sandbox.write("mine.toml", cluster + "\n# changed\n");
  ASSERT_EQ(sweep_in(sandbox, "--shard 2/2").code, 0);
  const Outcome files = run(words("merge all.sqlite s.1of2.sqlite s.2of2.sqlite"), sandbox.path());
  expect_refused(files, "s.2of2.sqlite");
  EXPECT_NE(files.err.find("mine.toml differs"), std::string::npos) << files.err;
  sandbox.write("s.toml", spec + "# another\n");
  ASSERT_EQ(sweep_in(sandbox, "--shard 2/2 --recompute").code, 0);
  const Outcome specs = run(words("merge all.sqlite s.1of2.sqlite s.2of2.sqlite"), sandbox.path());
  expect_refused(specs, "s.2of2.sqlite");
  EXPECT_NE(specs.err.find("different spec"), std::string::npos) << specs.err;
  EXPECT_EQ(sandbox.names(), (Arguments{"mine.toml", "s.1of2.sqlite", "s.2of2.sqlite", "s.toml"}));
}

// A point's key stands in a table of the spec, which knows no flag for it.
TEST(Sweep, RefusalsNameKeysAsTheSpecDoes) {
  const Sandbox sandbox;
  sandbox.write("s.toml",
                std::string(kTinySweep) + "network.nic_bandwidth = [\"100 Gbps\", \"9 GB\"]\n");
  const Outcome outcome = sweep_in(sandbox);
  const std::string all =
      outcome.out + outcome.err + query(sandbox, "select message from points").back();
  EXPECT_NE(all.find(" network.nic_bandwidth: 'GB' is not a unit"), std::string::npos) << all;
  EXPECT_EQ(all.find("--set"), std::string::npos) << all;
}

TEST(Sweep, ADamagedStoreIsRefused) {
  for (const char* damage :
       {"update points set inputs = '{'", "update reports set report = '[1]'"}) {
    const Sandbox sandbox;
    sandbox.write("s.toml", kTinySweep);
    ASSERT_EQ(sweep_in(sandbox).code, 0);
    EXPECT_TRUE(query(sandbox, damage).empty());
    for (const char* command : {"export s.sqlite", "merge all.sqlite s.sqlite"}) {
      SCOPED_TRACE(command);
      expect_refused(run(words(command), sandbox.path()), "s.sqlite");
    }
  }
}

TEST(Sweep, AStoreWhoseInputsWereEditedIsNotMerged) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kTinySweep);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_TRUE(query(sandbox, "update points set inputs = json_set(inputs, '$.nodes', 7)").empty());
  const Outcome outcome = run(words("merge all.sqlite s.sqlite"), sandbox.path());
  expect_refused(outcome, "s.sqlite");
  EXPECT_NE(outcome.err.find("the store was edited"), std::string::npos) << outcome.err;
  EXPECT_EQ(sandbox.names(), (Arguments{"s.sqlite", "s.toml"}));
}

// As texts "100 Gbps" comes before "25 GBps".
TEST(Sweep, QuantitiesHaveANumberBesideThem) {
  const Sandbox sandbox;
  sandbox.write("s.toml", R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
nodes = 1
[grid]
network.nic_bandwidth = ["100 Gbps", "25 GBps"]
bucket-size = ["1 MiB", "2 MB"]
)");
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_EQ(
      query(sandbox,
            "select printf('%.3g', in_network_nic_bandwidth_Bps), cast(in_bucket_size_bytes"
            " as integer) from all_points order by in_network_nic_bandwidth_Bps, 2"),
      (Arguments{"1.25e+10|1048576", "1.25e+10|2000000", "2.5e+10|1048576", "2.5e+10|2000000"}));
  const std::string csv = exported(sandbox, "s.sqlite", "csv");
  EXPECT_TRUE(
      csv.starts_with("number,state,in_topology,in_model,in_nodes,in_network_nic_bandwidth,"
                      "in_network_nic_bandwidth_Bps,in_bucket_size,in_bucket_size_bytes,"))
      << csv;
  EXPECT_NE(csv.find(",25 GBps,25000000000.0,2 MB,2000000.0,"), std::string::npos) << csv;
}

TEST(SweepFlags, AreRefusedWhereTheyAreGiven) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  sandbox.write("text", "no store at all, but long enough to be looked at");
  for (const auto& [arguments, place] : std::vector<std::pair<std::string, std::string>>{
           {"sweep", "gardenhose sweep"},
           {"sweep none.toml", "none.toml"},
           {"sweep s.toml -j 0", "-j"},
           {"sweep s.toml --shard 5/4", "--shard"},
           {"sweep s.toml --shard 0/4", "--shard"},
           {"sweep s.toml --shard 1", "--shard"},
           {"sweep s.toml --store text", "text"},
           {"sweep s.toml --store none/s.sqlite", "none/s.sqlite"},
           {"export none.sqlite", "none.sqlite"},
           {"export text", "text"},
           {"export text --format xml", "--format"},
           {"merge all.sqlite", "gardenhose merge"},
           {"merge s.toml text", "s.toml"},
           {"merge all.sqlite none.sqlite", "none.sqlite"},
           {"merge all.sqlite text", "text"}}) {
    SCOPED_TRACE(arguments);
    expect_refused(run(words(arguments), sandbox.path()), place);
  }
  EXPECT_EQ(sandbox.names(), (Arguments{"s.toml", "text"}));
  for (const char* command : {"sweep --help", "export --help", "merge --help"}) {
    EXPECT_EQ(run(words(command), "/").code, 0);
  }
}

}  // namespace
}  // namespace apps_tests
