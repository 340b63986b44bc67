// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace {

using namespace sim;

constexpr const char* kText = R"(summary = "for tests"
[model]
layers = 3
hidden = 64
heads = 8
head_width = 16
kv_heads = 2
feed_forward = 100
feed_forward_kind = "swiglu"
norm = "rms_norm"
query_key_norm = true
positions = "learned"
position_table = 48
biases = "qkv"
dropout = true
tied_embeddings = false
vocabulary = 1000
sequence = 32
)";

std::string error_of(const Setting& setting) {
  const std::array<Setting, 1> settings{setting};
  std::string error =
      input_error_of([&] { static_cast<void>(parse_model(kText, "some/test.toml", settings)); });
  expect_located(error, "some/test.toml");
  return error;
}

TEST(Model, HasEveryValueOfItsFile) {
  const Model model = parse_model(kText, "some/test.toml");
  EXPECT_EQ(model.name, "test");
  EXPECT_EQ(model.summary, "for tests");
  EXPECT_EQ(model.layers, 3);
  EXPECT_EQ(model.hidden, 64);
  EXPECT_EQ(model.heads, 8);
  EXPECT_EQ(model.head_width, 16);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.feed_forward, 100);
  EXPECT_EQ(model.feed_forward_kind, Model::FeedForward::swiglu);
  EXPECT_EQ(model.norm, Model::Norm::rms_norm);
  EXPECT_TRUE(model.query_key_norm);
  EXPECT_EQ(model.positions, Model::Positions::learned);
  EXPECT_EQ(model.position_table, 48);
  EXPECT_EQ(model.biases, Model::Biases::qkv);
  EXPECT_TRUE(model.dropout);
  EXPECT_FALSE(model.tied_embeddings);
  EXPECT_EQ(model.vocabulary, 1000);
  EXPECT_EQ(model.sequence, 32);
}

struct Wrong {
  Setting setting;
  const char* says;
};

TEST(Model, RefusesWhatNoModelIs) {
  const std::array wrong{
      Wrong{{"model.layers", "0"}, "0 is out of range"},
      Wrong{{"model.layers", "99999999999999999999"}, "is out of range; write e.g. 8"},
      Wrong{{"model.predictions", "-1"}, "-1 is out of range"},
      Wrong{{"model.hidden", "-64"}, "-64 is out of range"},
      Wrong{{"model.hidden", "2147483648"}, "2147483648 is out of range"},
      Wrong{{"model.heads", "10001"}, "10001 is out of range"},
      Wrong{{"model.head_width", "0"}, "0 is out of range"},
      Wrong{{"model.kv_heads", "3"}, "3 does not divide heads = 8; write a divisor"},
      Wrong{{"model.kv_heads", "16"}, "16 does not divide heads = 8; write a divisor"},
      Wrong{{"model.feed_forward_kind", "silu"}, "'silu' is not one of: gelu, relu"},
      Wrong{{"model.norm", "batch"}, "'batch' is not one of: layer_norm, layer_norm_"},
      Wrong{{"model.query_key_norm", "1"}, "is a whole number; write true or false"},
      Wrong{{"model.positions", "sine"}, "'sine' is not one of: learned, rotary, alibi"},
      Wrong{{"model.position_table", "0"}, "0 is out of range"},
      Wrong{{"model.biases", "true"}, "is a boolean; write a string"},
      Wrong{{"model.biases", "some"}, "'some' is not one of: none, qkv, attention"},
      Wrong{{"model.vocabulary", "0"}, "0 is out of range"},
      Wrong{{"model.sequence", "nan"}, "is a number with a fraction"},
      Wrong{{"model.sequence", "49"},
            "49 is more than the position_table of 48; write at most that, or set the table too"},
      Wrong{{"model.sequense", "32"}, "unknown key; did you mean sequence?"}};
  for (const Wrong& entry : wrong) {
    const std::string error = error_of(entry.setting);
    EXPECT_TRUE(error.starts_with("`set` " + entry.setting.key + ": ")) << error;
    EXPECT_NE(error.find(entry.says), std::string::npos) << error;
    EXPECT_EQ(lines_of(error).size(), 1u) << error;
  }
}

TEST(Model, RefusesGroupsThatDoNotHoldTheExpertsOfAToken) {
  const std::array wrong{
      Wrong{{"model.experts.groups", "0"}, "0 is out of range"},
      Wrong{{"model.experts.groups", "7"}, "7 does not divide the 256 experts; write a divisor"},
      Wrong{{"model.experts.top_groups", "9"}, "9 is more than the 8 groups; write at most that"},
      Wrong{{"model.experts.top_k", "129"},
            "4 has 128 experts, and a token passes 129; write more"}};
  for (const Wrong& one : wrong) {
    const std::string error = input_error_of([&] {
      const std::array<Setting, 1> settings{one.setting};
      static_cast<void>(
          read_model(source_directory() / "traces/models/deepseek_v3.toml", settings));
    });
    EXPECT_NE(error.find(one.says), std::string::npos) << error;
    EXPECT_EQ(lines_of(error).size(), 1u) << error;
  }
}

TEST(Model, MayLeaveOutWhatPredictsFurtherTokens) {
  const auto file = source_directory() / "traces/models/deepseek_v3.toml";
  const std::array<Setting, 1> without{Setting{"model.predictions", "0"}};
  EXPECT_EQ(read_model(file).predictions, 1);
  EXPECT_EQ(read_model(file, without).predictions, 0);
}

TEST(Model, HasATableOfPositionsWhereTheyAreLearnedAndNowhereElse) {
  std::string text = kText;
  text.erase(text.find("position_table = 48\n"), std::string("position_table = 48\n").size());
  const auto error_with = [&](const std::string& of) {
    return input_error_of([&] { static_cast<void>(parse_model(of, "test.toml")); });
  };
  EXPECT_EQ(error_with(text), "test.toml:2:2: [model]: missing key position_table; add it");
  for (const std::string positions : {"rotary", "alibi"}) {
    std::string without = text;
    without.replace(without.find("learned"), 7, positions);
    EXPECT_EQ(parse_model(without, "test.toml").position_table, 0);
    EXPECT_EQ(error_with(without + "position_table = 48\n"),
              "test.toml:18:1: position_table: does not apply with positions " + positions +
                  "; remove it");
  }
}

}  // namespace
