// SPDX-License-Identifier: Apache-2.0
// Scheme files that are wrong: each problem on a line of its own, at its place, with its remedy.
#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "tests/input_errors.hpp"

namespace sim {
namespace {

std::string error_of(const std::string& text) {
  const auto card_of = [](const std::filesystem::path& file) -> CodecCard {
    const std::string name = file.string();
    throw InputError(name + ":4:1: summary: is empty\n" + name + ":7:1: gpu: is empty");
  };
  std::string error =
      input_error_of([&] { static_cast<void>(parse_scheme(text, "some/mine.toml", card_of)); });
  expect_located(error, "some/mine.toml");
  return error;
}

// What stands after the summary, and the line that is wrong with it.
struct Wrong {
  std::string text;
  std::string error;
};

std::string gradients(const std::string& lines, const std::string& zero = "1") {
  return "zero = [" + zero + "]\n[gradients]\n" + lines;
}

void expect_errors(const std::vector<Wrong>& wrongs) {
  for (const Wrong& wrong : wrongs) {
    EXPECT_EQ(error_of("summary = \"a\"\n" + wrong.text), "some/mine.toml:" + wrong.error);
  }
}

TEST(SchemeRefusals, OfStagesAndTwins) {
  expect_errors({
      {"", "1:1: missing key zero; add it before the first table"},
      {"zero = 1\n", "2:1: zero: is not a list of whole numbers; write e.g. [0, 0, 1, 1]"},
      {"zero = [4]\n", "2:1: zero: 4 is out of range; write a whole number from 0 to 3"},
      {"zero = [1, 1]\n", "2:1: zero: has 1 twice; write it once"},
      {"zero = [0, 1]\n",
       "2:1: zero: mixes 0, which shards nothing, with stages that shard; write a file for each"},
      {"zero = [1]\ntwin = \"sdp4bit\"\n",
       "3:1: twin: 'sdp4bit' is not a shipped uncompressed scheme for zero =  [1]; write "
       "sharded or sharded_all_to_all"},
      {"zero = [1]\ntwin = \"data_parallel\"\n",
       "3:1: twin: 'data_parallel' is not a shipped uncompressed scheme for zero =  [1]; write "
       "sharded or sharded_all_to_all"},
      {"zero = [1]\nname = \"a\"\n",
       "3:1: name: unknown key; known here: source, summary, twin, "
       "zero"},
  });
}

TEST(SchemeRefusals, OfWeights) {
  const auto weights = [](const std::string& lines, const std::string& zero) {
    return "zero = [" + zero + "]\n[weights]\n" + lines;
  };
  expect_errors({
      {weights("codec = \"int9\"", "1"),
       "4:1: codec: 'int9' is not a codec; `gardenhose list codecs` lists them; a card's file "
       "name ends in .toml"},
      {weights("codec = \"int8_g128_rs\"", "1"),
       "4:1: codec: 'int8_g128_rs' is not a codec; did you mean int8_g128_sr? `gardenhose list "
       "codecs` lists them; a card's file name ends in .toml"},
      {weights("codec = \"int8_g128\"", "0"),
       "4:1: codec: applies to gathered weights, and ZeRO-0 gathers none; remove it, or write "
       "zero = [1, 2, 3]"},
      {weights("group = 128", "1"), "4:1: group: needs a codec; name one"},
      {weights("group = 128", "0"),
       "4:1: group: applies to gathered weights, and ZeRO-0 gathers none; remove it, or write zero "
       "= [1, 2, 3]"},
      {weights("codec = \"bf16\"\ngroup = 128", "1"),
       "5:1: group: bf16 has a fixed group size; remove it"},
      {weights("codec = \"int8_g128\"\ngroup = 100", "1"),
       "5:1: group: int8_g128 does not take groups of 100; write a multiple of 32 (a power of two "
       "for signs and TernGrad), or remove it"},
      {weights("difference = true", "1"), "4:1: difference: has no codec to encode it; name one"},
      {weights("difference = true", "3"),
       "4:1: difference: needs ranks that keep all weights, and ZeRO-3's do not; write zero =  [1, "
       "2]"},
      {weights("codec = \"int4_g2048_sr\"\ndifference = true", "2, 3"),
       "5:1: difference: needs ranks that keep all weights, and ZeRO-3's do not; write zero =  "
       "[1, 2]"},
      {weights("codec = \"topk64\"", "1"),
       "4:1: codec: topk64 sends 64 of 4096 weights and loses the rest; write another codec, or "
       "difference = true"},
      {weights("secondary_shards = true", "2, 3"),
       "4:1: secondary_shards: serves ZeRO-3's backward pass; write zero = [3]"},
      {weights("differnce = true", "1"), "4:1: differnce: unknown key; did you mean difference?"},
  });
}

TEST(SchemeRefusals, OfCollectives) {
  const std::string two =
      "[gradients.inside]\ncodec = \"int8_g128\"\n[gradients.between]\ncodec = \"int4_g128\"\n";
  expect_errors({
      {gradients("collective = \"tree\"\nslices = 4\ncodec = \"none\"\n" + two),
       "4:1: collective: 'tree' is not one of: ring, all_to_all, two_level, all_gather, "
       "all_reduce, low_rank\n"
       "some/mine.toml:6:1: codec: 'none' is not a codec; `gardenhose list codecs` lists them; a "
       "card's file name ends in .toml"},
      {gradients("collective = \"two_level\"\n" + two, "0"),
       "4:1: collective: two_level sums shards, and ZeRO-0 has none; write all_to_all, or zero = "
       "[1]"},
      {gradients("collective = \"all_gather\"\ncodec = \"topk64\""),
       "4:1: collective: all_gather leaves every rank with all gradients, but ZeRO shards them; "
       "write all_to_all, or zero = [0]"},
      {gradients("collective = \"low_rank\"\nfactor_rank = 4"),
       "4:1: collective: low_rank leaves every rank with all gradients, but ZeRO shards them; "
       "write all_to_all, or zero = [0]"},
      {gradients("collective = \"all_reduce\"\ncodec = \"int8_g128\"", "0"),
       "5:1: codec: int8_g128 cannot be added up in flight, as all_reduce does; write all_gather "
       "or "
       "all_to_all, or random_k64_unscaled for the codec"},
      {gradients("codec = \"int8_g128\""),
       "4:1: codec: does not apply to a ring, which sends the gradients uncompressed; write "
       "another collective"},
      {gradients("collective = \"all_to_all\""), "3:2: [gradients]: missing key codec; add it"},
      {gradients("collective = \"two_level\"\n" + two + "group = 100"),
       "9:1: group: int4_g128 does not take groups of 100; write a multiple of 32 (a power of two "
       "for signs and TernGrad), or remove it"},
      {gradients("collective = \"two_level\"\ncodec = \"int8_g128\"\n" + two),
       "5:1: codec: applies to collectives of one level; name codecs in [gradients.inside] and "
       "[gradients.between]"},
      {gradients("collective = \"two_level\"\n[gradients.inside]\ncodec = \"int8_g128\"\n"),
       "1:1: missing table [gradients.between]; add it with codec"},
      {gradients("[gradients.inside]\ncodec = \"int8_g128\"\n"),
       "5:1: codec: applies only to two_level; remove it"},
  });
}

TEST(SchemeRefusals, OfFeedbackMethodsAndNumbers) {
  const std::string coded = "collective = \"all_to_all\"\ncodec = \"int8_g128\"\n";
  expect_errors({
      {gradients(coded + "residual = \"fp64\""),
       "6:1: residual: 'fp64' is not one of: none, int8, bf16, fp32"},
      {gradients("residual = \"fp32\""),
       "4:1: residual: keeps what a codec loses, and these gradients travel uncompressed; remove "
       "it, or name a codec"},
      {gradients("collective = \"low_rank\"\nfactor_rank = 4\nresidual = \"bf16\"", "0"),
       "6:1: residual: is always FP32 with low_rank; remove it"},
      {gradients("collective = \"low_rank\"", "0"),
       "3:2: [gradients]: missing key factor_rank; add it"},
      {gradients("collective = \"low_rank\"\nfactor_rank = 0", "0"),
       "5:1: factor_rank: 0 is out of range; write a whole number from 1 to 1024"},
      {gradients(coded + "factor_rank = 4"),
       "6:1: factor_rank: applies only to low_rank; remove it"},
      {gradients(coded + "slices = 4"),
       "6:1: slices: apply only to two_level, whose levels they overlap; remove it"},
      {gradients(coded + "fused_hadamard = false"),
       "6:1: fused_hadamard: applies only to codecs with \"hadamard\" in their name; remove it"},
      {gradients(coded + "method = \"dgc\""),
       "6:1: method: 'dgc' is not one of: loco, one_bit_adam"},
      {gradients(coded + "method = \"loco\""),
       "6:1: method: loco requires two_level with int4_full_g2048; write these, or remove the "
       "method"},
      {gradients("collective = \"all_to_all\"\ncodec = \"one_bit\"\nmethod = \"one_bit_adam\""),
       "6:1: method: one_bit_adam shards nothing; write zero = [0]"},
      {gradients("collective = \"all_to_all\"\ncodec = \"one_bit\"\nmethod = \"one_bit_adam\"\n"
                 "residual = \"fp32\"",
                 "0"),
       "7:1: residual: is set by the method; remove it"},
      {gradients("collective = \"all_to_all\"\ncodec = \"one_bit\"\nmethod = \"one_bit_adam\"\n"
                 "[overlap]\ngradients = true",
                 "0"),
       "8:1: gradients: one_bit_adam sends the momentum once all gradients are ready; write false"},
      {"zero = [0]\n[overlap]\nweights = true\n",
       "4:1: weights: applies to gathered weights, and ZeRO-0 gathers none; remove it"},
  });
}

TEST(SchemeRefusals, OfActivationsAndCards) {
  const auto tensor = [](const std::string& lines) {
    return "zero = [1]\n[activations.tensor]\n" + lines;
  };
  expect_errors({
      {tensor("group = 128"), "4:1: group: needs a codec; name one"},
      {tensor("codec = \"a\\n.toml\""), "4:1: codec: 'a?.toml' is not a file name"},
      {"zero = [1]\n[activations]\ntensor = \"mxfp8\"\n",
       "4:1: tensor: is a string; write a table [activations.tensor]"},
      {"zero = [1]\n[activations.data]\ncodec = \"mxfp8\"\n",
       "3:14: data: unknown table; did you mean [activations.dispatch]?"},
      {tensor("codec = \"card.toml\"\n[activations.pipeline]\ncodec = \"card.toml\""),
       "4:1: codec: some/card.toml:4:1: summary: is empty\n"
       "some/mine.toml:4:1: codec: some/card.toml:7:1: gpu: is empty\n"
       "some/mine.toml:6:1: codec: names the same card, which has problems"},
  });
}

TEST(SchemeRefusals, AreReportedAllAtOnce) {
  const auto lines = lines_of(error_of(R"(summry = "a"
zero = [5]
[weights]
codec = "int9"
[gradients]
collective = "all_to_all"
codec = "int8_g128"
residual = "some"
slices = 0
)"));
  EXPECT_EQ(lines.size(), 6u);
}

}  // namespace
}  // namespace sim
