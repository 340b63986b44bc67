// SPDX-License-Identifier: Apache-2.0
// What scheme files say of experts on ranks of their own, and of rows on their way to them.
#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "tests/input_errors.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Scheme read_back(const std::string& text) {
  return parse_scheme(text, "some/mine.toml", [](const std::filesystem::path& file) -> CodecCard {
    throw InputError(file.string() + ": no such file");
  });
}

std::string refusal(const std::string& text) {
  std::string error = input_error_of([&] { static_cast<void>(read_back(text)); });
  expect_located(error, "some/mine.toml");
  return error;
}

constexpr const char* kHead = "summary = \"a\"\nzero = [1]\n";

TEST(ExpertSchemes, ReadBackAsThemselves) {
  const Scheme scheme = read_back(R"(summary = "a"
zero = [1, 2]
[weights]
codec = "int8_g128"
[activations]
fused = true
[activations.dispatch]
codec = "mxfp8"
[activations.combine]
codec = "int8_g128"
group = 512
[experts.weights]
codec = "int4_g2048_sr"
difference = true
[experts.gradients]
collective = "two_level"
slices = 4
[experts.gradients.inside]
codec = "int8_g128_sr"
[experts.gradients.between]
codec = "int4_g128_sr"
group = 256
)");
  EXPECT_TRUE(scheme.activations.fused);
  EXPECT_EQ(scheme.activations.dispatch.name(), "mxfp8");
  EXPECT_EQ(scheme.activations.combine.name(), "int8_g512");
  EXPECT_EQ(scheme.weights_of(Weights::dense).wire.name(), "int8_g128");
  EXPECT_EQ(scheme.weights_of(Weights::experts).wire.name(), "int4_g2048_sr");
  EXPECT_TRUE(scheme.gradients_of(Weights::dense).is_plain());
  EXPECT_EQ(scheme.gradients_of(Weights::experts).between.name(), "int4_g256_sr");
  EXPECT_EQ(scheme.gradients_of(Weights::experts).slices, 4);
  EXPECT_EQ(scheme.twin, "sharded");
  EXPECT_EQ(read_back(to_toml(scheme)), scheme);
}

// Plain ones of a scheme whose others are not: a table without a key.
TEST(ExpertSchemes, ReadBackWithAnEmptyTable) {
  const Scheme scheme = read_back(
      "summary = \"a\"\nzero = [1]\n[weights]\ncodec = \"int8_g128\"\n"
      "[gradients]\ncollective = \"all_to_all\"\ncodec = \"int8_g128\"\n"
      "[experts.weights]\n[experts.gradients]\n");
  EXPECT_TRUE(scheme.weights_of(Weights::experts).is_plain());
  EXPECT_TRUE(scheme.gradients_of(Weights::experts).is_plain());
  EXPECT_FALSE(scheme.weights_of(Weights::dense).is_plain());
  EXPECT_EQ(read_back(to_toml(scheme)), scheme);
}

TEST(ExpertSchemes, WithoutTheirTablesAreAsTheRest) {
  const Scheme scheme = read_back(
      "summary = \"a\"\nzero = [1]\n[gradients]\ncollective = \"all_to_all\"\n"
      "codec = \"int8_g128\"\n");
  EXPECT_FALSE(scheme.experts.weights.has_value() || scheme.experts.gradients.has_value());
  EXPECT_EQ(scheme.gradients_of(Weights::experts), scheme.gradients);
}

struct WrongLine {
  std::string text;   // from line 3 on
  std::string error;  // after the file
};

void expect_refusals(const std::vector<WrongLine>& all, const char* head = kHead) {
  for (const WrongLine& one : all) {
    EXPECT_EQ(refusal(head + one.text), "some/mine.toml:" + one.error);
  }
}

TEST(ExpertSchemeRefusals, OfRows) {
  const std::string no_codec =
      "codec: 'int9' is not a codec; `gardenhose list codecs` lists them; a card's file name ends "
      "in .toml";
  expect_refusals({
      {"[activations.dispatch]\ncodec = \"int9\"\n", "4:1: " + no_codec},
      {"[activations.combine]\ncodec = \"int9\"\n", "4:1: " + no_codec},
      {"[activations.dispatch]\ngroup = 128\n", "4:1: group: needs a codec; name one"},
      {"[activations.combine]\ncodec = \"int8_g128\"\ngroup = 100\n",
       "5:1: group: int8_g128 does not take groups of 100; write a multiple of 32 (a power of two "
       "for signs and TernGrad), or remove it"},
      {"[activations]\nfused = true\n",
       "4:1: fused: fuses a codec, and rows travel unencoded; remove it, or name a codec"},
      {"[activations]\nfused = 1\n", "4:1: fused: is a whole number; write true or false"},
      {"[activations.tensor]\ncodec = \"mxfp8\"\n[activations]\nfused = true\n",
       "6:1: fused: fuses a codec, and rows travel unencoded; remove it, or name a codec"},
      {"[activations.dispach]\ncodec = \"mxfp8\"\n",
       "3:14: dispach: unknown table; did you mean [activations.dispatch]?"},
  });
}

TEST(ExpertSchemeRefusals, OfTheirWeightsAndGradients) {
  expect_refusals({
      {"[experts.gradients]\ncollective = \"tree\"\n",
       "4:1: collective: 'tree' is not one of: ring, all_to_all, two_level, all_gather, "
       "all_reduce, low_rank"},
      {"[experts.gradients]\ncollective = \"all_to_all\"\n",
       "3:10: [experts.gradients]: missing key codec; add it"},
      {"[experts.gradients]\ncodec = \"int8_g128\"\n",
       "4:1: codec: does not apply to a ring, which sends the gradients uncompressed; write "
       "another collective"},
      {"[experts.gradients]\ncollective = \"all_gather\"\ncodec = \"topk64\"\n",
       "4:1: collective: all_gather leaves every rank with all gradients, but ZeRO shards them; "
       "write all_to_all, or zero = [0]"},
      {"[experts.gradients]\nslices = 4\n",
       "4:1: slices: apply only to two_level, whose levels they overlap; remove it"},
      {"[experts.weights]\ncodec = \"topk64\"\n",
       "4:1: codec: topk64 sends 64 of 4096 weights and loses the rest; write another codec, or "
       "difference = true"},
      {"[experts.weights]\ndifference = true\n",
       "4:1: difference: has no codec to encode it; name one"},
      {"[experts.weights]\nsecondary_shards = true\n",
       "4:1: secondary_shards: serves ZeRO-3's backward pass; write zero = [3]"},
      {"[experts.weights]\nslices = 4\n",
       "4:1: slices: unknown key; did you mean gradients.slices?"},
      {"[experts.optimizer]\nslices = 4\n", "3:10: optimizer: unknown table; remove it"},
      {"[experts]\ngradients = \"ring\"\n",
       "4:1: gradients: is a string; write a table [experts.gradients]"},
  });
}

TEST(ExpertSchemeRefusals, OfStagesThatGatherNothing) {
  expect_refusals(
      {
          {"[experts.weights]\ncodec = \"int8_g128\"\n",
           "4:1: codec: applies to gathered weights, and ZeRO-0 gathers none; remove it, or write "
           "zero = [1, 2, 3]"},
          {"[experts.gradients]\ncollective = \"two_level\"\n[experts.gradients.inside]\n"
           "codec = \"int8_g128\"\n[experts.gradients.between]\ncodec = \"int8_g128\"\n",
           "4:1: collective: two_level sums shards, and ZeRO-0 has none; write all_to_all, or zero "
           "= [1]"},
      },
      "summary = \"a\"\nzero = [0]\n");
}

TEST(ExpertSchemeRefusals, OfSchemesBetweenSites) {
  EXPECT_EQ(refusal("summary = \"a\"\n[between_sites]\nexchange = \"ring\"\n[experts.weights]\n"
                    "codec = \"int8_g128\"\n"),
            "some/mine.toml:4:2: [experts]: applies within a site, but [between_sites] "
            "makes this a scheme between sites; remove one of them, and give the scheme within a "
            "site a file of its own");
}

}  // namespace
}  // namespace sim
