// SPDX-License-Identifier: Apache-2.0
// Schemes and codec cards of a user's own: printed, changed, run, refused.
#include "tests/apps/scheme_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// The report of the scheme, which comes after its baseline's.
Json report_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json report = outcome.code == 0 ? Json::parse(outcome.out) : Json::object();
  return report.is_array() ? report.back() : report;
}

// One of each kind: the library's tests compare them all.
TEST(PrintedScheme, GivesTheSameAnswerToTheLastDigit) {
  for (const char* scheme : {"sharded", "sdp4bit", "zeropp", "loco", "one_bit_adam", "random_k",
                             "power_sgd", "nvfp4_gather"}) {
    const Sandbox sandbox;
    const std::string file = fmt::format("{}.toml", scheme);
    sandbox.write(file, printed_scheme(scheme));
    const auto answer = [&](const std::string& name) {
      return run_step("--baseline twin --scheme " + name, sandbox);
    };
    const Outcome shipped = answer(scheme);
    EXPECT_EQ(shipped.code, 0) << shipped.err;
    EXPECT_EQ(answer(file).out, shipped.out) << scheme;
    EXPECT_EQ(answer("./" + file).out, shipped.out) << scheme;
  }
}

TEST(PrintedScheme, BetweenSitesGivesTheSameAnswerToTheLastDigit) {
  const Sandbox sandbox;
  sandbox.write("demo.toml", printed_scheme("demo"));
  const auto answer = [&](const std::string& name) {
    return run_step("--baseline twin --scheme " + name, sandbox, "--topology two_sites_10g");
  };
  EXPECT_EQ(answer("demo").code, 0);
  EXPECT_EQ(answer("demo.toml").out, answer("demo").out);
}

TEST(SchemeBetweenSites, OfAFileStandsWhereOneDoes) {
  const Sandbox sandbox;
  OwnFiles().write(sandbox);
  sandbox.write("own.toml",
                replaced(printed_scheme("streaming_diloco"), "mxfp4", "cards/mine.toml"));
  const std::string sites = "--topology two_sites_10g --range off";
  const Json report = report_of(run_step("--scheme diloco --baseline own.toml", sandbox, sites));
  EXPECT_EQ(report.at("baseline"), "own");
  const Json carded = report_of(run_step("--scheme own.toml", sandbox, sites));
  EXPECT_EQ(carded.at("codec_error").at("normal"), 0.25);
  EXPECT_EQ(carded.at("sources").at("card mine"), "a code of exponents");
  expect_refused(run_step("--scheme own.toml", sandbox), "--scheme");
  expect_refused(run_step("--scheme mine.toml", sandbox, sites), "--scheme");
  expect_refused(run(words("solve inner_steps --topology two_sites_10g --model gpt_125m --scheme "
                           "own.toml --beats ./mine.toml"),
                     sandbox.path()),
                 "--beats");
}

TEST(PrintedScheme, IsAskedForByName) {
  expect_refused(run({"list", "scheme"}, "."), "list");
  expect_refused(run({"list", "scheme", "tlq", "ulq"}, "."), "list");
  expect_refused(run({"list", "scheme", "sdp"}, "."), "list scheme");
}

TEST(SchemeOfAFile, StandsWhereverASchemeDoes) {
  const Sandbox sandbox;
  sandbox.write("mine.toml", replaced(printed_scheme("tlq"), "slices = 8", "slices = 2"));
  EXPECT_EQ(report_of(run_step("--scheme tlq --baseline mine.toml", sandbox)).at("baseline"),
            "mine");
  const Json inner =
      report_of(run(words("run --topology two_sites_10g --model gpt_125m --scheme diloco "
                          "--format json --inner-scheme mine.toml"),
                    sandbox.path()));
  EXPECT_EQ(inner.at("inner_scheme"), "mine");
  const Outcome solved =
      run(words("solve bandwidth --topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme qwd "
                "--beats ./mine.toml --format json"),
          sandbox.path());
  EXPECT_EQ(solved.code, 0) << solved.err;
}

TEST(SchemeOfAFile, ThatIsPlainIsItsOwnTwin) {
  const Sandbox sandbox;
  sandbox.write("mine.toml", "summary = \"a\"\nzero = [1]\n[overlap]\ngradients = false\n");
  EXPECT_EQ(report_of(run_step("--scheme mine.toml --baseline twin", sandbox)).at("speedup"), 1);
}

TEST(SchemeOfAFile, RunsAtTheStageThatItIsDefinedFor) {
  const OwnFiles files{.scheme = replaced(std::string(kScheme), "zero = [1]", "zero = [2]")};
  EXPECT_EQ(report_of(run_files(files)).at("zero_stage"), 2);
  EXPECT_EQ(run_files(files, "--zero 1").code, 2);
}

TEST(SchemeOfAFile, WithACardRuns) {
  const Json report = report_of(run_files({}, "--baseline twin"));
  EXPECT_EQ(report.at("scheme"), "mine");
  EXPECT_EQ(report.at("baseline"), "sharded");
  EXPECT_EQ(report.at("codec_error").at("normal"), 0.25);
  EXPECT_EQ(report.at("sources").at("codec encode mine"), "mine's card");
}

TEST(SchemeOfAFile, MayNotHaveTheNameOfAnotherThatShips) {
  const Sandbox sandbox;
  sandbox.write("ulq.toml", printed_scheme("tlq"));
  expect_refused(run_step("--scheme ulq.toml", sandbox), "ulq.toml");
}

// Every line is at the place where the scheme names the card.
TEST(HostileCard, IsRefusedAtOnceWhereItIsNamed) {
  constexpr std::size_t kDeep = 300'000;
  std::string binary;
  for (int c = 0; c < 256; ++c) binary += static_cast<char>(c);
  for (const std::string& hostile :
       {std::string(), std::string(kCard.substr(0, 100)), binary, std::string(1000, '\0'),
        std::string(kDeep, '['), "x = " + std::string(kDeep, '{'),
        std::string(std::size_t{70} << 20, ' ')}) {
    OwnFiles as_card, as_times;
    as_card.card = hostile;
    as_times.times = hostile;
    for (const OwnFiles& files : {as_card, as_times}) {
      const Outcome outcome = run_files(files);
      expect_refused(outcome, "mine.toml", lines_of(outcome.err).size());
    }
  }
}

TEST(HostileCard, IsNotTheSchemeItself) {
  OwnFiles files;
  files.scheme = replaced(files.scheme, "cards/mine.toml", "mine.toml");
  const Outcome outcome = run_files(files);
  expect_refused(outcome, "mine.toml", lines_of(outcome.err).size());
}

TEST(CodecCard, WithoutTheSumOfAllRanksIsWarnedOf) {
  OwnFiles files;
  const std::string lacking = "mine has no time for decode_reduce of 8 inputs: 8 decodes and 7 ";
  EXPECT_EQ(run_files(files).err.find(lacking), std::string::npos);
  files.times = replaced(replaced(files.times, "decode_reduce,8,1e5", "decode_reduce,4,1e5"),
                         "decode_reduce,8,1e7", "decode_reduce,4,1e7");
  EXPECT_NE(run_files(files).err.find(lacking), std::string::npos) << run_files(files).err;
}

// Between sites its sums are of all of them, inside them of the ranks of each.
TEST(CodecCard, BetweenSitesIsWarnedOfToo) {
  const Sandbox sandbox;
  OwnFiles().write(sandbox);
  sandbox.write("own.toml",
                replaced(printed_scheme("streaming_diloco"), "mxfp4", "cards/mine.toml"));
  const std::string sites = "--topology two_sites_10g --range off";
  const std::string between = "warning: own: mine has no time for decode_reduce_encode of 2 inputs";
  const std::string inside = "warning: mine: mine has no time for decode_reduce of 32 inputs";
  const auto warned = [&](const std::string& flags, const std::string& of) {
    return run_step(flags, sandbox, sites).err.find(of) != std::string::npos;
  };
  EXPECT_TRUE(warned("--scheme own.toml", between));
  EXPECT_FALSE(warned("--scheme own.toml", inside));
  EXPECT_TRUE(warned("--scheme diloco --inner-scheme mine.toml", inside));
  EXPECT_FALSE(warned("--scheme diloco", "no time for"));
}

TEST(CodecCard, NeedsNoTimes) {
  const std::string levels =
      "collective = \"two_level\"\nslices = 64\ninside.codec = \"bf16\"\nbetween.codec";
  const OwnFiles files{
      .scheme = replaced(std::string(kScheme), "collective = \"all_to_all\"\ncodec", levels),
      .card = "summary = \"a guess\"\ntimes = \"roofline\"\nwire.bits_per_element = 11\n",
      .times = ""};
  const Outcome outcome = run_files(files);
  const Json report = report_of(outcome);
  EXPECT_EQ(report.at("sources").at("card mine"), "a guess");
  EXPECT_TRUE(
      report.at("sources").at("codec sum mine").get<std::string>().starts_with("roofline: "));
  const auto lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), 1u) << outcome.err;
  EXPECT_TRUE(lines[0].starts_with("warning: mine: launches are ")) << lines[0];
}

TEST(CodecCard, OfOneSizeIsWarnedOfWhereKernelsAreOfOthers) {
  OwnFiles files;
  EXPECT_EQ(run_files(files).err.find("but was timed"), std::string::npos);
  files.times = "step,inputs,elements,seconds\nencode,1,1e12,10\ndecode,1,1e12,10\n";
  const Outcome outcome = run_files(files);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("warning: mine: encode of mine takes "), std::string::npos);
  EXPECT_NE(outcome.err.find("but was timed for 1e+12 only; measure this size too"),
            std::string::npos)
      << outcome.err;
}

TEST(CodecCard, OfAGpuThatNoClusterHasIsWarnedOf) {
  OwnFiles files;
  EXPECT_EQ(run_files(files).err.find("was timed on"), std::string::npos);
  files.card = replaced(files.card, "SXM4-40GB", "SMX4-40GB");
  const Outcome outcome = run_files(files);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("warning: mine: mine was timed on 'NVIDIA A100-SMX4-40GB', a GPU of "
                             "no shipped cluster; did you mean NVIDIA A100-SXM4-40GB?\n"),
            std::string::npos)
      << outcome.err;
}

TEST(CodecCard, GivenAsTheSchemeIsNamedAsACard) {
  OwnFiles files;
  files.scheme = std::string(kCard);
  const Outcome outcome = run_files(files);
  expect_refused(outcome, "mine.toml");
  EXPECT_NE(outcome.err.find("is a codec card, not a scheme"), std::string::npos) << outcome.err;
}

TEST(HostileCard, HasNoTimesInAnythingButAFileBesideIt) {
  for (const char* file : {"/dev/zero", "../mine.toml", ".", "..", "other.csv", ""}) {
    OwnFiles files;
    files.card = replaced(files.card, "mine.csv", file);
    expect_refused(run_files(files), "mine.toml");
  }
}

}  // namespace
}  // namespace apps_tests
