// SPDX-License-Identifier: Apache-2.0
// Hostile input files of each kind: refused in one line at their place, at once, with nothing
// written, by the program as a user runs it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// A kind of input: the shipped file that is damaged, and the flag that names it.
struct Kind {
  const char* flag;
  const char* shipped;
  const char* name;  // of the damaged copy
};
constexpr Kind kTopologyFile{"--topology", "topologies/dgx_a100_x16.toml", "bad.toml"};
constexpr Kind kModelFile{"--model", "traces/models/gpt_125m.toml", "bad.toml"};
constexpr Kind kCalibrationFile{"--calibration", "traces/calibration/a100_sdp4bit_published.json",
                                "bad.json"};
constexpr Kind kSitesFile{"--topology", "topologies/wide_area/two_sites_10g.toml", "bad.toml"};
constexpr Kind kSchemeFile{"--scheme", "sdp4bit", "bad.toml"};  // which the program prints
constexpr Kind kReliabilityFile{"--reliability", "traces/reliability/llama3_h100.toml", "bad.toml"};
constexpr Kind kKinds[] = {kTopologyFile, kModelFile,  kCalibrationFile,
                           kSitesFile,    kSchemeFile, kReliabilityFile};

std::string shipped_text(const Kind& kind) {
  if (kind.flag == kSchemeFile.flag) return run({"list", "scheme", kind.shipped}, ".").out;
  return text_of(source_directory() / kind.shipped);
}

// Runs with `file` as the kind's input, in the folder of `sandbox`, asking for a timeline too.
Outcome run_with(const Kind& kind, const std::string& file, const Sandbox& sandbox) {
  const bool sites = kind.shipped == kSitesFile.shipped;
  Arguments arguments =
      words(sites ? "run --perfetto timeline.json" : "run --nodes 2 --perfetto timeline.json");
  const std::pair<const char*, const char*> inputs[] = {
      {kTopologyFile.flag, "sdp4bit_a100"},
      {kModelFile.flag, "gpt_125m"},
      {kCalibrationFile.flag, "auto"},
      {kSchemeFile.flag, sites ? "diloco" : "sdp4bit"}};
  for (const auto& [flag, value] : inputs) {
    arguments.insert(arguments.end(), {flag, flag == kind.flag ? file : value});
  }
  if (kind.flag == kReliabilityFile.flag) {
    arguments.insert(arguments.end(), {kReliabilityFile.flag, file});
  }
  return run(arguments, sandbox.path());
}

void expect_text_refused(const Kind& kind, const std::string& text, std::size_t lines = 1) {
  const Sandbox sandbox;
  sandbox.write(kind.name, text);
  expect_refused(run_with(kind, kind.name, sandbox), kind.name, lines);
  EXPECT_EQ(sandbox.names(), std::vector<std::string>{kind.name}) << "something was written";
}

// `text` with the first `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

TEST(HostileFile, UndamagedCopiesAreRead) {
  for (const Kind& kind : kKinds) {
    const Sandbox sandbox;
    sandbox.write(kind.name, shipped_text(kind));
    EXPECT_EQ(run_with(kind, kind.name, sandbox).code, 0) << kind.shipped;
  }
}

TEST(HostileFile, ThatIsNone) {
  for (const Kind& kind : kKinds) {
    const Sandbox sandbox;
    const std::string pipe = std::string("pipe_") + kind.name;
    ASSERT_EQ(mkfifo((sandbox.path() / pipe).c_str(), 0600), 0);
    for (const std::string& file :
         {std::string(kind.name), std::string("./"), std::string("/dev/zero"),
          std::string("/dev/full"), std::string("no/such/folder/") + kind.name, pipe}) {
      expect_refused(run_with(kind, file, sandbox), file);
    }
    EXPECT_EQ(sandbox.names(), std::vector<std::string>{pipe}) << "something was written";
  }
}

TEST(HostileFile, ThatIsEmptyCutBinaryOrNested) {
  std::string binary;
  for (int c = 0; c < 256; ++c) binary += static_cast<char>(c);
  constexpr std::size_t kDeep = 300'000;
  for (const Kind& kind : kKinds) {
    const std::string text = shipped_text(kind);
    for (const std::string& hostile :
         {std::string(), text.substr(0, text.size() / 3 * 2), text.substr(0, 40), binary,
          std::string(1000, '\0'), std::string(kDeep, '['),
          std::string(kDeep, '[') + std::string(kDeep, ']'), "x = " + std::string(kDeep, '{'),
          std::string(std::size_t{70} << 20, ' ')}) {
      // A cut file may have lost several keys: it is the place that counts.
      const Sandbox sandbox;
      sandbox.write(kind.name, hostile);
      const Outcome outcome = run_with(kind, kind.name, sandbox);
      expect_refused(outcome, kind.name, lines_of(outcome.err).size());
    }
  }
}

// A line of a TOML file and what takes its place.
struct Damage {
  const Kind& kind;
  const char* line;
  const char* damaged;
};
constexpr Damage kDamages[] = {
    {kTopologyFile, "\nnodes = 16", "\nnodes = \"16 GB\""},            // wrong type
    {kTopologyFile, "\nnodes = 16", "\nnodes = [16]"},                 // wrong type
    {kTopologyFile, "\nnodes = 16", "\nnodes = 0"},                    // zero
    {kTopologyFile, "\nnodes = 16", "\nnodes = -16"},                  // negative
    {kTopologyFile, "\nnodes = 16", "\nnodes = nan"},                  // not a number
    {kTopologyFile, "\nnodes = 16", "\nnodes = 9223372036854775807"},  // overflow of 32 bits
    {kTopologyFile, "\nnodes = 16", "\nnodes = 9223372036854775808"},  // of 64
    {kTopologyFile, "\nnodes = 16", "\nnodes = 16\nnodes = 16"},       // duplicate
    {kTopologyFile, "\nnodes = 16", "\nnodes = 16\nnodess = 16"},      // unknown
    {kTopologyFile, "\nnodes = 16", "\nnodes = 1e999"},                // overflow of a double
    {kTopologyFile, "\nnodes = 16", ""},                               // missing
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = 200"},         // no unit
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = \"200\""},     // no unit
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = \"200 us\""},  // another's
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = \"0 Gbps\""},  // zero
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = \"-1 Gbps\""},  // negative
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"",
     "\nnic_bandwidth = \"nan Gbps\""},  // no number
    {kTopologyFile, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = \"1e999 Gbps\""},
    {kTopologyFile, "\nfabric = \"rail_optimized\"", "\nfabric = \"rail\""},  // no such name
    {kTopologyFile, "\nfabric = \"rail_optimized\"", "\nfabric = \"a\\nb\""},
    {kTopologyFile, "[nvlink]", "[nvlnk]"},
    {kSitesFile, "\ntransport = \"tcp\"", "\ntransport = \"tcp\\n\""},
    {kSitesFile, "\nstreams = 4", "\nstreams = 99999999999999999999"},
    {kSitesFile, "\nwindow = \"6 MiB\"", "\nwindow = \"1e999 MiB\""},
    {kSitesFile, "\ncluster = \"dgx_h100_x16\"", "\ncluster = \"no/such/folder/bad.toml\""},
    {kSitesFile, "\ncluster = \"dgx_h100_x16\"", "\ncluster = \"bad.toml\""},  // itself
    {kSitesFile, "\ncluster = \"dgx_h100_x16\"", "\ncluster = \"/dev/zero\""},
    {kSitesFile, "\ncluster = \"dgx_h100_x16\"", "\ncluster = \"..\\u0000/\\n\""},
    {kSitesFile, "\nnodes = 4", "\nnodes = 17"},
    {kSitesFile, "\nnodes = 4", "\nnodes = 4\ncount = 1024"},
    {kSitesFile, "\nnodes = 4", "\nnodes = 4\npower_cap = \"1 W\""},
    {kSitesFile, "\nnodes = 4", "\nnodes = 4\nrepeats = \"1 ns\""},
    {kSitesFile, "\nuplink = \"100 Gbps\"", "\nuplink = \"0 Gbps\""},
    {kSitesFile, "\negress = \"0 USD/GB\"", "\negress = \"0 USD/h\""},
    {kSitesFile, "\nbetween = [\"east\", \"west\"]", "\nbetween = [\"east\", \"ea\\nst\"]"},
    {kSitesFile, "\nloss = 0", "\nloss = 1"},
    {kSitesFile, "\nlatency = \"1 ms\"", "\nlatency = \"nan ms\""},
    {kSchemeFile, "\nslices = 8", "\nslices = 0"},
    {kSchemeFile, "\nslices = 8", "\nslices = 8.5"},
    {kSchemeFile, "\nslices = 8", "\nslices = 99999999999999999999"},
    {kSchemeFile, "\nslices = 8", "\nslices = 8\nslices = 8"},
    {kSchemeFile, "\nslices = 8", "\nslices = 8\nslides = 8"},
    {kSchemeFile, "\nslices = 8", "\nslices = 8\nresidual = \"fp\\n32\""},
    {kSchemeFile, "\nzero = [1, 2]",
     "\nzero = [1, 2, 3]"},  // without whole weights, no differences
    {kSchemeFile, "\nzero = [1, 2]", "\nzero = [1, [2]]"},
    {kSchemeFile, "\nzero = [1, 2]", ""},
    {kSchemeFile, "\ntwin = \"sharded\"", "\ntwin = \"bad\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"int4_g18446744073709551616_sr\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"int4\\n\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"no/such/folder/bad.toml\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"/dev/zero\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"./\""},
    {kSchemeFile, "\ncodec = \"int4_g2048_sr\"", "\ncodec = \"..\\u0000/\\n\""},
    {kModelFile, "\nlayers = 12", "\nlayers = 12.5"},
    {kModelFile, "\nlayers = 12", "\nlayers = 0"},
    {kModelFile, "\nlayers = 12", "\nlayers = -1"},
    {kModelFile, "\nlayers = 12", "\nlayers = inf"},
    {kModelFile, "\nlayers = 12", "\nlayers = 12\nlayers = 12"},
    {kModelFile, "\nlayers = 12", "\nlayers = 12\nlairs = 12"},
    {kModelFile, "\nlayers = 12", ""},
    {kModelFile, "\nlayers = 12", "\nlayers = 99999999999999999999"},
    {kModelFile, "\nheads = 12", "\nheads = 7"},  // kv_heads does not divide it
    {kModelFile, "\nbiases = \"all\"", "\nbiases = true"},
    {kModelFile, "\nposition_table = 2048", ""},
    {kModelFile, "\nposition_table = 2048",
     "\nposition_table = 2047"},  // shorter than the sequence
    {kModelFile, "\npositions = \"learned\"", "\npositions = 1"},
};

TEST(HostileFile, WithOneDamagedLineHasThatOneRefused) {
  for (const Damage& damage : kDamages) {
    SCOPED_TRACE(damage.damaged);
    const std::string text = replaced(shipped_text(damage.kind), damage.line, damage.damaged);
    // Without its own table the keys of [nvlink] are missing, and [nvlnk] is unknown.
    const bool two = std::string_view(damage.damaged) == "[nvlnk]";
    expect_text_refused(damage.kind, text, two ? 2 : 1);
  }
}

TEST(HostileFile, WithTwoDamagedLinesHasALineForEach) {
  std::string text = replaced(shipped_text(kTopologyFile), "\nnodes = 16", "\nnodes = 0");
  text = replaced(text, "\nnic_bandwidth = \"200 Gbps\"", "\nnic_bandwidth = 200");
  expect_text_refused(kTopologyFile, text, 2);
}

TEST(HostileFile, OfSitesNamesClustersBesideIt) {
  const Sandbox sandbox;
  const std::string sites = shipped_text(kSitesFile);
  const std::string here = "\ncluster = \"here\"";
  sandbox.write("bad.toml", replaced(sites, "\ncluster = \"dgx_h100_x16\"", here));
  expect_refused(run_with(kSitesFile, "bad.toml", sandbox), "bad.toml");
  const std::string cluster = shipped_text(kTopologyFile);
  sandbox.write("here.toml", cluster);
  // The timeline of several sites is not written; all else is as with a shipped cluster.
  EXPECT_EQ(run_with(kSitesFile, "bad.toml", sandbox).code, 0);
  EXPECT_EQ(run_with(kSitesFile, "./bad.toml", sandbox).code, 0);
  sandbox.write("here.toml", replaced(cluster, "\nnodes = 16", "\nnodes = 0"));
  expect_refused(run_with(kSitesFile, "bad.toml", sandbox), "bad.toml");
  sandbox.write("here.toml", replaced(cluster, "[gpu]", "[gpus]"));
  expect_refused(run_with(kSitesFile, "bad.toml", sandbox), "bad.toml");
}

TEST(HostileFile, OfManySitesIsRefusedAtOnce) {
  std::string text = shipped_text(kSitesFile);
  for (int i = 0; i < 50'000; ++i) text += "[sites.s" + std::to_string(i) + "]\n";
  expect_text_refused(kSitesFile, text);
}

TEST(HostileFile, CalibrationWithOneDamagedValueIsRefused) {
  using Damaging = std::function<void(Json & table)>;
  const Damaging damages[] = {
      [](Json& t) { t = Json::array(); },
      [](Json& t) { t = 5; },
      [](Json& t) { t.erase("gpu"); },
      [](Json& t) { t.erase("codecs"); },
      [](Json& t) { t["gpu"] = 5; },
      [](Json& t) { t["gpu"] = "a\nb"; },
      [](Json& t) { t["kind"] = "guessed"; },
      [](Json& t) { t["gpux"] = "a"; },
      [](Json& t) { t["provenance"] = "a"; },
      [](Json& t) { t["memory_bandwidth_Bps"] = 0; },
      [](Json& t) { t["memory_bandwidth_Bps"] = -1; },
      [](Json& t) { t["memory_bandwidth_Bps"] = nullptr; },
      [](Json& t) { t["codecs"] = "a"; },
      [](Json& t) { t["codecs"][0] = 5; },
      [](Json& t) { t["codecs"].push_back(t["codecs"][0]); },
      [](Json& t) { t["codecs"][0]["codec"] = "int9"; },
      [](Json& t) { t["codecs"][0]["codec"] = "a\nb"; },
      [](Json& t) { t["codecs"][0]["operation"] = "compress"; },
      [](Json& t) { t["codecs"][0]["inputs"] = 1.5; },
      [](Json& t) { t["codecs"][0]["inputs"] = 1e300; },
      [](Json& t) { t["codecs"][0]["elements"][0] = 0; },
      [](Json& t) { t["codecs"][0]["elements"][0] = 1e300; },
      [](Json& t) { t["codecs"][0]["encoded_bytes"][0] = 5; },
      [](Json& t) { t["codecs"][0]["median_s"][0] = -1; },
      [](Json& t) { t["codecs"][0].erase("median_s"); },
      [](Json& t) { t["codecs"][0]["median_s"] = 1e-3; },
      [](Json& t) { t["codecs"][0]["median_s"].push_back(1e-3); },
      [](Json& t) { t["codecs"][0]["elements"] = Json::array(); },
      [](Json& t) { t["codecs"][0]["medians"] = 1; },
      [](Json& t) {
        t["gemm"] = {{{"precision", "bf16"}, {"m", 0}}};
      },
  };
  const Json table = Json::parse(shipped_text(kCalibrationFile));
  for (const Damaging& damage : damages) {
    Json damaged = table;
    damage(damaged);
    SCOPED_TRACE(damaged.dump().substr(0, 300));
    expect_text_refused(kCalibrationFile, damaged.dump());
  }
}

TEST(HostileFile, CalibrationThatIsNotJsonIsRefused) {
  const std::string text = shipped_text(kCalibrationFile);
  for (const std::string& hostile :
       {replaced(text, "1.555e12", "1e999"), replaced(text, "1.555e12", "NaN"),
        replaced(text, "\"gpu\":", "\"gpu\": \"a\", \"gpu\":"), text + "x"}) {
    expect_text_refused(kCalibrationFile, hostile);
  }
}

}  // namespace
}  // namespace apps_tests
