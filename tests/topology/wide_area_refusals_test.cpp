// SPDX-License-Identifier: Apache-2.0
// Files of sites that are wrong: each problem has a line of its own, at its place, with its remedy.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/topology/wide_area.hpp"
#include "tests/input_errors.hpp"
#include "tests/topology/sample_area.hpp"

namespace {

using namespace sim;

std::string error_of(const std::string& text, std::vector<Setting> settings = {}) {
  std::string error = input_error_of([&] { static_cast<void>(read_area(text, settings)); });
  expect_located(error, "some/test.toml");
  return error;
}

// The line, from 1, and the column that the first `part` of the text stands at.
std::string place_of(const std::string& text, std::string_view part) {
  const auto at = text.find(part);
  const auto line_begin = text.rfind('\n', at) + 1;
  return fmt::format("some/test.toml:{}:{}: ",
                     1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'),
                     at - line_begin + 1);
}

struct WrongSites {
  std::string_view line;     // of the sample
  std::string_view damaged;  // in its place, its key first
  std::string_view says;     // part of the one line of the error
};

constexpr WrongSites kWrongs[] = {
    {"transport = \"tcp\"", "transport = \"udp\"", "transport: 'udp' is not one of: tcp, rdma"},
    {"sender = \"node\"", "sender = \"rack\"", "not one of: gpu, node, site"},
    {"streams = 3", "streams = 0", "write a whole number from 1 to 65536"},
    {"streams = 3", "streams = 65537", "out of range"},
    {"window = \"5 MiB\"", "window = 5", "has no unit"},
    {"window = \"5 MiB\"", "window = \"0 B\"", "is 0; write more than 0"},
    {"congestion_control = \"reno\"", "congestion_control = \"bbr\"", "not one of: reno, cubic"},
    {"count = 2", "count = -1", "from 0 to 16384"},
    {"count = 2", "count = 16385", "from 0 to 16384"},
    {"count = 2", "count = 16384", "makes 16385 sites in total; the limit is 16384"},
    {"cluster = \"dgx_a100_x16\"", "cluster = \"dgx\"", "cluster: nothing is called dgx"},
    {"cluster = \"dgx_a100_x16\"", "cluster = \"wide_area/two_sites_10g\"",
     "cluster: two_sites_10g.toml describes several sites; name a cluster"},
    {"nodes = 4", "nodes = 17", "nodes: 17 exceeds the 16 nodes of dgx_a100_x16; write at most 16"},
    {"power_cap = \"6.4 kW\"", "power_cap = \"0 W\"", "is 0; write more than 0"},
    {"power_cap = \"6.4 kW\"", "power_cap = \"1.2 kW\"",
     "is less than the 1.28 kW that its 32 GPUs draw when idle"},
    {"region = \"atlantic\"", "region = \"\"", "is empty"},
    {"speed = 0.5", "speed = 1.5", "at most 1"},
    {"speed = 0.5", "speed = 0", "at least 0.001"},
    {"late = \"7 s\"", "late = \"-7 s\"", "is negative"},
    {"drops_out = \"90 s\"", "drops_out = 90", "has no unit"},
    {"stays = \"8 h\"", "stays = \"0 s\"", "is 0; write more than 0"},
    {"micro_batch = 21", "micro_batch = 0", "write a whole number from 1 to 65536"},
    {"zero = 1", "zero = 4", "zero: 4 is out of range; write a whole number from 0 to 3"},
    {"inner_scheme = \"sdp4bit\"", "inner_scheme = 4", "inner_scheme: "},
    {"inner_steps = 25", "inner_steps = 100001", "write a whole number from 1 to 100000"},
    {"egress = \"0.05 USD/GB\"", "egress = \"0.05 USD/h\"", "USD/GB, USD/TB"},
    {"loss = 0.002", "loss = 0.6", "at most 0.5"},
    {"background = 0.25", "background = 1", "at most 0.999"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11 s 0.75\"]", "'11 s 0.75' is not TIME: SHARE"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11: 0.75\"]", "is not TIME: SHARE"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11 s: 1.5\"]", "is not TIME: SHARE"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11 s: nan\"]", "is not TIME: SHARE"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11 s: 0.5 s\"]", "is not TIME: SHARE"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"0 s: 0.75\"]", "a time above 0"},
    {"changes = [\"11 s: 0.75\"]", "changes = [\"11 s: 0.75\", \"11 s: 1\"]",
     "'11 s: 1' does not come after '11 s'; write the changes in chronological order"},
    {"changes = [\"11 s: 0.75\"]", "changes = []", "is not a list of strings"},
    {"repeats = \"600 s\"", "repeats = \"260 s\"", "does not exceed the time of the last change"},
    {"repeats = \"600 s\"", "repeats = \"0 s\"", "is 0"},
    {"checkpoint_rounds = 26", "checkpoint_rounds = 0", "write a whole number from 1 to 1000000"},
    {"checkpoint_asynchronous = true", "checkpoint_asynchronous = 1", "checkpoint_asynchronous: "},
    {"between = [\"east\", \"west\"]", "between = [\"east\"]", "has 1 names; name two tables"},
    {"between = [\"east\", \"west\"]", "between = [\"east\", \"north\"]",
     "there is no [sites.north]"},
    {"between = [\"east\", \"west\"]", "between = \"east\"", "is not a list of strings"},
    {"dead = false", "dead = 1", "dead: "},
    {"upload = \"60 Gbps\"", "upload = \"0 Gbps\"", "is 0"},
    {"uplink = \"80 Gbps\"", "uplink = \"0 Gbps\"", "is 0"},
    {"memory_bandwidth = \"300 GBps\"", "memory_bandwidth = 300", "has no unit"},
    {"request = \"12 ms\"", "request = \"12 weeks\"", "'weeks' is not a unit of a time"},
};

TEST(WideAreaRefusal, IsOneLineAtTheKeysPlace) {
  for (const WrongSites& wrong : kWrongs) {
    SCOPED_TRACE(wrong.damaged);
    const std::string text = sample_area_with({{wrong.line, wrong.damaged}});
    const std::string error = error_of(text);
    EXPECT_EQ(lines_of(error).size(), 1u) << error;
    EXPECT_TRUE(error.starts_with(place_of(text, wrong.damaged))) << error;
    EXPECT_NE(error.find(wrong.says), std::string::npos) << error;
  }
}

TEST(WideAreaRefusal, NamesAllThatIsWrongMissingAndUnknownAtOnce) {
  const std::string error = error_of(sample_area_with({{"sender = \"node\"\n", ""},
                                                       {"streams = 3", "stream = 3"},
                                                       {"uplink = \"10 Gbps\"", "uplink = 10"},
                                                       {"loss = 0.002", "loss = 2"},
                                                       {"[store]", "[stores]"}}));
  EXPECT_EQ(lines_of(error).size(), 6u) << error;
  for (const char* line :
       {"missing key sender; add it", "missing key streams; add it",
        "stream: unknown key; did you mean streams?",
        "uplink: '10' has no unit; write e.g. \"10 Gbps\"", "loss: 2 is out of range",
        "stores: unknown table; did you mean [store]?"}) {
    EXPECT_NE(error.find(line), std::string::npos) << line << " is not in: " << error;
  }
}

TEST(WideAreaRefusal, NestsAClustersProblemsInOneLine) {
  const auto broken = source_directory() / "traces/models/gpt_125m.toml";  // a model, no cluster
  const std::string error = input_error_of([&] {
    static_cast<void>(
        parse_wide_area(kSampleArea, "some/test.toml", [&](const std::string&) { return broken; }));
  });
  expect_located(error, "some/test.toml");
  EXPECT_EQ(lines_of(error).size(), 2u) << "one for each site: " << error;
  EXPECT_NE(error.find("gpt_125m.toml:1:1: missing table [cluster]"), std::string::npos) << error;
  EXPECT_NE(error.find(" more like it)"), std::string::npos) << error;
}

TEST(WideAreaRefusal, OfSitesThatAreNotTables) {
  const auto sites = [](std::string_view instead) {
    const std::string text = kSampleArea;
    return text.substr(0, text.find("[sites.east]")) + std::string(instead);
  };
  EXPECT_NE(
      error_of(sites("[[sites]]\nname = \"east\"\n[backbone]\nlatency = \"1 ms\"\nloss = 0\n"))
          .find("sites: is not a table; write a table [sites.NAME] for each site"),
      std::string::npos);
  EXPECT_NE(error_of(sites("[sites]\n")).find("sites: none given; add a table [sites.NAME]"),
            std::string::npos);
  EXPECT_NE(error_of(sites("")).find("test.toml:1:1: sites: none given"), std::string::npos);
  EXPECT_NE(error_of("sites = 5\n" + sites("")).find("test.toml:1:1: sites: is not a table"),
            std::string::npos);
  const std::string links = error_of(sample_area_with({{"[links.line]", "[[links]]"}}));
  EXPECT_NE(links.find("links: is not a table; write a table [links.NAME]"), std::string::npos);
}

TEST(WideAreaRefusal, OfPairsWithoutAPathNamesThem) {
  const std::string text =
      sample_area_with({{"[backbone]\nlatency = \"8 ms\"\nloss = 0.001\n", ""}});
  const std::string error = error_of(text);
  EXPECT_NE(error.find("east: there is no path from east to east; add a [links.NAME] between the "
                       "two, or a [backbone] for all"),
            std::string::npos)
      << error;
  EXPECT_TRUE(error.starts_with(place_of(text, "sites.east]").substr(0, 18))) << error;
  // A path of its own makes it good, or that it is one site.
  EXPECT_EQ(error_of(text + "[links.peers]\nbetween = [\"east\", \"east\"]\nlatency = \"1 ms\"\n"
                            "loss = 0\n"),
            "");
  EXPECT_EQ(error_of(text, {{"sites.east.count", "1"}}), "");
}

TEST(WideAreaRefusal, OfSitesThatComeAndGoInPart) {
  const std::string stays = "stays = \"8 h\"\n", returns = "returns_after = \"3 h\"\n";
  const std::string bandwidth = "checkpoint_bandwidth = \"11 Gbps\"\n";
  const std::string membership = "[membership]\ndetection = \"4 s\"\ncheckpoint_rounds = 26\n" +
                                 bandwidth + "checkpoint_asynchronous = true\n";
  const auto says = [](const std::string& text, const char* what) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says(sample_area_with({{stays, ""}, {membership, ""}}),
       "returns_after: applies to a site that leaves; write stays, or remove it");
  says(sample_area_with({{returns, ""}}), "[sites.east]: missing key returns_after; add it");
  says(sample_area_with({{membership, ""}}), "missing table [membership]; add it with detection");
  says(sample_area_with({{stays, ""}, {returns, ""}}),
       "detection: applies where a site leaves; write sites.NAME.stays, or remove it");
  says(sample_area_with({{stays, ""}, {returns, ""}}),
       "checkpoint_rounds: applies where a site leaves; write sites.NAME.stays, or remove it");
  says(sample_area_with({{bandwidth, ""}}), "missing key checkpoint_bandwidth; add it");
  says(sample_area_with({{"checkpoint_rounds = 26\n", ""}}),
       "checkpoint_bandwidth: applies with checkpoints; write checkpoint_rounds, or remove it");
  says(sample_area_with({{"checkpoint_rounds = 26\n" + bandwidth, ""}}),
       "checkpoint_asynchronous: applies with checkpoints; write checkpoint_rounds, or remove it");
}

TEST(WideAreaRefusal, OfOneSiteAlone) {
  const std::string text = kSampleArea;
  const std::string one =
      text.substr(0, text.find("[sites.west]")) + "[membership]\ndetection = \"4 s\"\n";
  EXPECT_NE(error_of(one, {{"sites.east.count", "1"}}).find("east: is the only site; add another"),
            std::string::npos);
  EXPECT_EQ(error_of(text, {{"sites.east.count", "0"}}), "");
  EXPECT_NE(error_of(text, {{"sites.east.count", "0"}, {"sites.west.count", "0"}})
                .find("sites: every count is 0; set at least one above 0"),
            std::string::npos);
}

TEST(WideAreaRefusal, OfASecondLinkBetweenTheSamePair) {
  const std::string more =
      "[links.other]\nbetween = [\"west\", \"east\"]\nlatency = \"1 ms\"\nloss = 0\n";
  EXPECT_NE(error_of(kSampleArea + more).find("between: [links.line] already joins east and west"),
            std::string::npos);
}

TEST(WideAreaRefusal, OfKeysThatWouldDoNothing) {
  const std::string rdma = "[rdma]\nbuffer = \"4 MiB\"\n";
  EXPECT_NE(error_of(kSampleArea + rdma).find("buffer: does not apply with transport tcp"),
            std::string::npos);
  const auto says = [](std::vector<Setting> settings, const char* what) {
    const std::string error = error_of(kSampleArea, std::move(settings));
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says({{"backbone.background", "0.5"}},
       "is a fraction of the bandwidth, which is missing; add bandwidth");
  says({{"backbone.changes", "[\"1 s: 0.5\"]"}},
       "are fractions of the bandwidth, which is missing; add bandwidth");
  says({{"sites.west.repeats", "600 s"}},
       "without changes there is nothing to repeat; add changes");
}

TEST(WideAreaRefusal, OfPeriodsTooShortToPlay) {
  // Three changes: at least 3 s.
  const std::string text = sample_area_with({{"\"100 s: 0.5\"", "\"0.1 s: 0.5\""},
                                             {"\"200 s: 0\"", "\"0.2 s: 0\""},
                                             {"\"260 s: 1\"", "\"0.3 s: 1\""}});
  EXPECT_EQ(error_of(text, {{"sites.east.repeats", "3 s"}}), "");
  EXPECT_NE(error_of(text, {{"sites.east.repeats", "2.9 s"}}).find("less than 1 s per change"),
            std::string::npos);
}

TEST(WideAreaRefusal, OfTwoSitesWithOneName) {
  const std::string more =
      "[sites.east_1]\ncluster = \"dgx_a100_x16\"\nuplink = \"1 Gbps\"\n"
      "downlink = \"1 Gbps\"\negress = \"0 USD/GB\"\n";
  EXPECT_NE(
      error_of(kSampleArea + more).find("east_1: [sites.east] already has a site of this name"),
      std::string::npos);
  // Of two sites, east_0 and east_1, none is east_2.
  EXPECT_EQ(error_of(kSampleArea + ("[sites.east_2]" + more.substr(14))), "");
}

TEST(WideAreaRefusal, OfMoreTablesThanASimulationHoldsComesAtOnce) {
  std::string text(kSampleArea);
  for (int i = 0; i < 30'000; ++i) text += fmt::format("[sites.s{}]\n", i);
  const std::string error = error_of(text);
  EXPECT_EQ(error, "some/test.toml:1:1: sites: 30002 tables exceed the limit of 1024");
}

TEST(WideAreaRefusal, OfAPowerCapOnGpusWithoutPower) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / fmt::format("gardenhose_powerless_{}.toml", getpid());
  std::string cluster = text_of(source_directory() / "topologies/dgx_a100_x16.toml");
  cluster.replace(cluster.find("\"400 W\""), 7, "\"0 W\"");
  std::ofstream(file) << cluster;
  const std::string error = input_error_of([&] {
    static_cast<void>(
        parse_wide_area(kSampleArea, "some/test.toml", [&](const std::string&) { return file; }));
  });
  std::filesystem::remove(file);
  EXPECT_NE(error.find("power_cap: the GPUs of gardenhose_powerless"), std::string::npos) << error;
}

}  // namespace
