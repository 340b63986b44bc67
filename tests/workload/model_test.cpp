#include "sim/workload/model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/input_errors.hpp"

namespace {

using namespace sim;

constexpr const char* kText = R"(summary = "for tests"
[model]
layers = 3
hidden = 64
heads = 8
kv_heads = 2
feed_forward = 100
feed_forward_kind = "swiglu"
norm = "rms_norm"
positions = "rotary"
biases = true
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
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.feed_forward, 100);
  EXPECT_EQ(model.feed_forward_kind, Model::FeedForward::swiglu);
  EXPECT_EQ(model.norm, Model::Norm::rms_norm);
  EXPECT_EQ(model.positions, Model::Positions::rotary);
  EXPECT_TRUE(model.biases);
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
      Wrong{{"model.layers", "99999999999999999999"}, "is text; write a whole number"},
      Wrong{{"model.hidden", "-64"}, "-64 is out of range"},
      Wrong{{"model.hidden", "2147483648"}, "2147483648 is out of range"},
      Wrong{{"model.heads", "7"}, "7 does not divide hidden = 64; write a divisor"},
      Wrong{{"model.kv_heads", "3"}, "3 does not divide heads = 8; write a divisor"},
      Wrong{{"model.kv_heads", "16"}, "16 does not divide heads = 8; write a divisor"},
      Wrong{{"model.feed_forward_kind", "relu"}, "'relu' is none of the known: gelu, swiglu"},
      Wrong{{"model.norm", "batch"}, "'batch' is none of the known: layer_norm, rms_norm"},
      Wrong{{"model.positions", "alibi"}, "'alibi' is none of the known: learned, rotary"},
      Wrong{{"model.biases", "1"}, "is a whole number; write true or false"},
      Wrong{{"model.vocabulary", "0"}, "0 is out of range"},
      Wrong{{"model.sequence", "nan"}, "is a number with a fraction"},
      Wrong{{"model.sequense", "32"}, "unknown key; did you mean sequence?"}};
  for (const Wrong& entry : wrong) {
    const std::string error = error_of(entry.setting);
    EXPECT_TRUE(error.starts_with("--set " + entry.setting.key + ": ")) << error;
    EXPECT_NE(error.find(entry.says), std::string::npos) << error;
    EXPECT_EQ(lines_of(error).size(), 1u) << error;
  }
}

}  // namespace
