// SPDX-License-Identifier: Apache-2.0
// No dead knob: every flag and every key moves the answer in the direction that it should, and none
// has been forgotten here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/apps/knobs.hpp"
#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

bool is_flag(std::string_view name) { return name.starts_with("--"); }
bool is_written_file(std::string_view figure) {
  return figure != "stdout" && !figure.starts_with("/");
}

Arguments base_of(const Knob& knob) {
  Arguments arguments = words("run --format json");
  for (const std::string& word : words(knob.base)) arguments.push_back(word);
  return arguments;
}

// The base with the knob turned: in its place where the base has it, else at the end.
Arguments turned(const Knob& knob) {
  Arguments arguments = base_of(knob);
  if (!is_flag(knob.name)) {
    arguments.insert(arguments.end(),
                     {"--set", std::string(knob.name) + "=" + std::string(knob.value)});
    return arguments;
  }
  const auto found = std::ranges::find(arguments, knob.name);
  if (found != arguments.end() && knob.name != "--set") {
    *std::next(found) = knob.value;
    return arguments;
  }
  arguments.emplace_back(knob.name);
  if (!knob.value.empty()) arguments.emplace_back(knob.value);
  return arguments;
}

Json figure_of(const Knob& knob, const Outcome& outcome) {
  if (knob.figure == "stdout") return outcome.out;
  const Json answer = Json::parse(outcome.out);
  const Json::json_pointer pointer{std::string(knob.figure)};
  return answer.contains(pointer) ? answer.at(pointer) : Json();
}

class Knobs : public testing::TestWithParam<Knob> {};

std::string test_name(const testing::TestParamInfo<Knob>& instance) {
  std::string name = std::string(instance.param.name) + "_" + std::to_string(instance.index);
  std::erase_if(name, [](char c) { return c == '-'; });
  std::ranges::replace(name, '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Knobs, testing::ValuesIn(all_knobs().begin(), all_knobs().end()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Sites, Knobs,
                         testing::ValuesIn(wide_area_knobs().begin(), wide_area_knobs().end()),
                         test_name);

// What has run once in this process is not run again: most knobs share their base with others.
const Outcome& outcome_of(const Arguments& arguments) {
  static std::map<Arguments, Outcome> known;
  const auto [place, is_new] = known.try_emplace(arguments);
  if (is_new) place->second = run(arguments, Sandbox().path());
  return place->second;
}

void expect_to_move(const Knob& knob, const Json& before, const Json& after) {
  EXPECT_EQ(before == after, knob.direction == Direction::same);
  if (knob.direction == Direction::same || knob.direction == Direction::changed) return;
  ASSERT_TRUE(before.is_number() && after.is_number()) << before << after;
  EXPECT_EQ(after.get<double>() > before.get<double>(), knob.direction == Direction::up)
      << before << " became " << after;
}

// The line of `key` in a TOML file with another value, in quotes where the old one has them.
std::string edited(const std::string& text, const std::string& key, std::string_view value) {
  std::string table;
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) {
    if (line.starts_with("[")) table = line.substr(1, line.find(']') - 1) + ".";
    const auto equals = line.find(" = ");
    if (line.starts_with("#") || equals == std::string::npos) continue;
    if (table + line.substr(0, equals) != key) continue;
    const char* quote = line.ends_with('"') ? "\"" : "";
    line = line.substr(0, equals + 3) + quote + std::string(value) + quote;
  }
  return joined_lines(lines);
}

// What the option `flag` of the arguments names, as a file of the source tree.
std::filesystem::path input_of(const Arguments& arguments, const char* flag) {
  const std::string name = *std::next(std::ranges::find(arguments, flag));
  const char* folder = flag == std::string_view("--model") ? "traces/models" : "topologies";
  const auto file = source_directory() / folder / (name + ".toml");
  if (std::filesystem::exists(file)) return file;
  return source_directory() / folder / "wide_area" / (name + ".toml");
}

// Runs the knob's base with copies of its two files in which the key is edited.
Outcome run_edited(const Knob& knob) {
  const Sandbox sandbox;
  Arguments arguments = base_of(knob);
  // A setting of the same key would win over the file.
  const auto set = std::ranges::find_if(arguments, [&](const std::string& argument) {
    return argument.starts_with(std::string(knob.name) + "=");
  });
  if (set != arguments.end()) arguments.erase(std::prev(set), std::next(set));
  bool has_key = false;
  for (const char* flag : {"--topology", "--model"}) {
    const std::filesystem::path file = input_of(arguments, flag);
    const bool here = (knob.name.starts_with("model.")) == (flag == std::string_view("--model"));
    const std::string text = text_of(file);
    const std::string changed = here ? edited(text, std::string(knob.name), knob.value) : text;
    has_key = has_key || changed != text;
    sandbox.write(file.filename(), changed);
    *std::next(std::ranges::find(arguments, flag)) = file.filename();
  }
  return has_key ? run(arguments, sandbox.path()) : run(turned(knob), sandbox.path());
}

void expect_to_say_the_same_in_a_file(const Knob& knob) {
  if (is_flag(knob.name)) return;
  // What a file has was fitted on the rows that it names, what is typed on none.
  if (std::string_view(knob.name).starts_with("fitted.")) return;
  const Outcome edited_file = run_edited(knob);
  EXPECT_EQ(edited_file.code, 0) << edited_file.err;
  EXPECT_EQ(edited_file.out, outcome_of(turned(knob)).out);
}

void expect_to_move_the_answer(const Knob& knob) {
  if (is_written_file(knob.figure)) {
    const Sandbox sandbox;
    ASSERT_EQ(run(base_of(knob), sandbox.path()).code, 0);
    const auto written = [&] { return text_of(sandbox.path() / knob.figure).size(); };
    const Json before = written();
    ASSERT_EQ(run(turned(knob), sandbox.path()).code, 0);
    expect_to_move(knob, before, written());
  } else {
    const Outcome& before = outcome_of(base_of(knob));
    ASSERT_EQ(before.code, 0) << before.err;
    const Outcome& after = outcome_of(turned(knob));
    ASSERT_EQ(after.code, 0) << after.err;
    expect_to_move(knob, figure_of(knob, before), figure_of(knob, after));
  }
}

TEST_P(Knobs, MoveTheAnswerAndSayInAFileWhatTheySayAsASetting) {
  const Knob& knob = GetParam();
  if (knob.direction == Direction::fails) {
    EXPECT_EQ(outcome_of(base_of(knob)).code, 0);
    EXPECT_EQ(outcome_of(turned(knob)).code, 2);
  } else {
    expect_to_move_the_answer(knob);
    expect_to_say_the_same_in_a_file(knob);
  }
}

TEST(KnobsTable, SummaryOfAModelIsReported) {
  const Sandbox sandbox;
  const std::string text = text_of(source_directory() / "traces/models/gpt_125m.toml");
  sandbox.write("gpt_125m.toml", edited(text, "summary", "another"));
  const Outcome outcome =
      run(words("run --topology sdp4bit_a100 --model gpt_125m.toml --format json"), sandbox.path());
  EXPECT_EQ(Json::parse(outcome.out).at("/sources/model"_json_pointer), "gpt_125m.toml: another");
}

std::set<std::string> names_of(std::span<const Knob> knobs) {
  std::set<std::string> names;
  for (const Knob& knob : knobs) names.emplace(knob.name);
  return names;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
       ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

// Keys of a TOML file as --set spells them.
std::set<std::string> keys_of(const std::filesystem::path& file) {
  std::set<std::string> keys;
  std::string table;
  for (const std::string& line : lines_of(text_of(file))) {
    if (line.starts_with("[")) table = line.substr(1, line.find(']') - 1) + ".";
    const auto equals = line.find(" = ");
    if (!line.starts_with("#") && equals != std::string::npos) {
      keys.insert(table + line.substr(0, equals));
    }
  }
  return keys;
}

TEST(KnobsTable, HasEveryFlagOfTheHelp) {
  const std::set<std::string> flags = matches(run({"run", "--help=all"}, source_directory()).out,
                                              "\n +(?:-[a-z] \\[ )?(--[a-z-]+)");
  EXPECT_GE(flags.size(), 25u);
  std::set<std::string> tested = names_of(all_knobs());
  tested.merge(names_of(wide_area_knobs()));
  std::erase_if(tested, [](const auto& name) { return !is_flag(name); });
  EXPECT_EQ(tested, flags);
}

// Keys of clusters that only rounds between sites follow, where --set cannot reach them; see
// HostLinksMoveRounds.
const std::set<std::string> kOfRounds{"gpu.host_bandwidth", "gpu.host_efficiency"};

TEST(KnobsTable, HasEveryKeyOfTheShippedFiles) {
  std::set<std::string> tested = names_of(all_knobs());
  tested.insert(kOfRounds.begin(), kOfRounds.end());
  for (const char* folder : {"topologies", "traces/models"}) {
    for (const auto& file : shipped_files(folder, ".toml")) {
      for (const std::string& key : keys_of(file)) EXPECT_TRUE(tested.contains(key)) << key;
    }
  }
}

// A key that is none gets the known ones of its table listed, those among them that no shipped file
// has.
std::set<std::string> known_keys(const std::string& base, const std::string& table) {
  const Outcome refused =
      run(words("run --model gpt_125m " + base + " --set " + table + ".qqqqqqqqqqqqqqqq=1"),
          source_directory());
  const auto list = refused.err.rfind("known");
  EXPECT_NE(list, std::string::npos) << refused.err;
  if (list == std::string::npos) return {};
  const std::string names = refused.err.substr(refused.err.find(": ", list));
  std::set<std::string> keys;
  for (const std::string& key : matches(names, "([a-z0-9_.]+)(?:[,\n])")) {
    keys.insert(key.find('.') == std::string::npos ? fmt::format("{}.{}", table, key) : key);
  }
  return keys;
}

TEST(KnobsTable, HasEveryKeyThatTheReadersKnow) {
  std::set<std::string> known{"summary"};
  for (const std::string table :
       {"cluster", "gpu", "nvlink", "network", "collectives", "host", "fitted", "model",
        "model.latent", "model.experts", "model.mamba", "model.vision", "scheme"}) {
    known.merge(known_keys("--topology dgx_a100_x16 --scheme sdp4bit", table));
  }
  std::set<std::string> tested = names_of(all_knobs());
  tested.insert(kOfRounds.begin(), kOfRounds.end());
  std::erase_if(tested, is_flag);
  EXPECT_EQ(tested, known);
}

TEST(KnobsTable, HostLinksMoveRounds) {
  const Sandbox sandbox;
  const std::string sites = text_of(source_directory() / "topologies/wide_area/two_sites_10g.toml");
  const std::string cluster = text_of(source_directory() / "topologies/dgx_h100_x16.toml");
  sandbox.write("sites.toml", std::regex_replace(sites, std::regex("cluster = \".*\""),
                                                 "cluster = \"mine.toml\""));
  const auto round_s = [&](const std::string& text) {
    sandbox.write("mine.toml", text);
    const Outcome outcome =
        run(words("run --topology sites.toml --model gpt_125m --scheme diloco --range off "
                  "--set scheme.outer_state=host --format json"),
            sandbox.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out).at("round_time_s").get<double>();
  };
  const double as_shipped = round_s(cluster);
  EXPECT_GT(round_s(edited(cluster, "gpu.host_bandwidth", "1 GBps")), as_shipped);
  const std::regex key("host_bandwidth = ");
  EXPECT_GT(round_s(std::regex_replace(cluster, key, "host_efficiency = 0.1\nhost_bandwidth = ")),
            as_shipped);
}

TEST(KnobsTable, HasEveryKeyThatFilesOfSitesKnow) {
  std::set<std::string> known{"summary"};
  for (const std::string table : {"wan", "tcp", "sites.east", "links.line"}) {
    known.merge(known_keys("--topology two_sites_10g --scheme diloco", table));
  }
  known.merge(known_keys("--topology two_sites_rdma_1000km --scheme diloco", "rdma"));
  known.merge(known_keys("--topology four_sites_mixed --scheme diloco", "backbone"));
  known.merge(known_keys("--topology twenty_peers_b200 --scheme diloco", "store"));
  known.merge(known_keys("--topology four_regions_syncer --scheme diloco", "syncer"));
  known.merge(known_keys("--topology two_sites_10g --scheme diloco", "membership"));
  std::set<std::string> tested = names_of(wide_area_knobs());
  tested.insert("wan.transport");  // needs a table of its own: the next test
  std::erase_if(tested, is_flag);
  EXPECT_EQ(tested, known);
}

TEST(KnobsTable, TransportDecidesWhatIsInFlight) {
  // One connection: 4 streams of 6 MiB over TCP, one buffer of 1 MiB over RDMA.
  std::string text = text_of(source_directory() / "topologies/wide_area/two_sites_10g.toml");
  const auto tcp = text.find("[tcp]");
  const Sandbox sandbox;
  sandbox.write("tcp.toml", text);
  text.replace(tcp, text.find("[sites.east]") - tcp, "[rdma]\nbuffer = \"1 MiB\"\nchannels = 1\n");
  sandbox.write("rdma.toml", text.replace(text.find("\"tcp\""), 5, "\"rdma\""));
  const auto round_s = [&](const std::string& file) {
    const Outcome outcome =
        run(words("run --model gpt_125m --scheme diloco --format json --set wan.sender=site "
                  "--set links.line.latency=80ms --topology " +
                  file),
            sandbox.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out).at("round_time_s").get<double>();
  };
  EXPECT_GT(round_s("rdma.toml"), round_s("tcp.toml"));
}

}  // namespace
}  // namespace apps_tests
