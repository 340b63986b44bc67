// SPDX-License-Identifier: Apache-2.0
// Laws of the measures of error: closed forms, and what error feedback promises.
#include "codecs/error/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <string>

#include "codecs/error/distributions.hpp"
#include "codecs/error/feedback_error.hpp"
#include "codecs/error/table.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

TEST(ErrorMetrics, AreTheirDefinitions) {
  const std::vector<float> exact{3, 0, 4, 0}, decoded{3, 1, 4, -3};
  const ErrorMetrics metrics = compare(exact, decoded);
  EXPECT_DOUBLE_EQ(metrics.relative_l2, std::sqrt(10.0) / 5);
  EXPECT_DOUBLE_EQ(metrics.cosine, 25 / (5 * std::sqrt(35.0)));
  EXPECT_DOUBLE_EQ(metrics.max_abs, 3);
  EXPECT_DOUBLE_EQ(metrics.bias, -0.5 / 2.5);
  EXPECT_EQ(compare(exact, exact).relative_l2, 0);
}

// Sends the signs and their mean magnitude, as EF-signSGD does, in float32.
Codec plain_signs() {
  Codec codec = codec_named("fp32");
  codec.encode = [](const Format& format, std::span<const float> values, const RandomKey& key,
                    std::span<std::byte> wire) {
    double mean = 0;
    for (const float value : values) mean += std::abs(value) / static_cast<double>(values.size());
    std::vector<float> signs(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      signs[i] = std::copysign(static_cast<float>(mean), values[i]);
    }
    codec_named("fp32").encode(format, signs, key, wire);
  };
  return codec;
}

// Decodes to three times what was encoded: no contraction.
Codec plain_threefold() {
  Codec codec = codec_named("fp32");
  codec.decode = [](const Format& format, std::span<const std::byte> wire,
                    std::span<float> values) {
    codec_named("fp32").decode(format, wire, values);
    for (float& value : values) value *= 3;
  };
  return codec;
}

const std::vector<std::vector<float>>& gradients() {
  static const auto steps = draw_steps({.distribution = &distribution_named("normal"),
                                        .common = 0.5,
                                        .elements = 4096,
                                        .steps = 64,
                                        .seed = 5});
  return steps;
}

TEST(FeedbackErrors, GradientsShareTheirCommonPart) {
  double product = 0, square = 0;
  for (std::size_t i = 0; i < 4096; ++i) {
    product += static_cast<double>(gradients()[3][i]) * gradients()[60][i];
    square += static_cast<double>(gradients()[3][i]) * gradients()[3][i];
  }
  EXPECT_NEAR(square / 4096, 1, 0.1);  // variance, 4.5 standard errors
  EXPECT_NEAR(product / 4096, 0.5, 0.09);
}

// |x|_1^2 / (d |x|_2^2), of a normal vector 2 / pi.
TEST(FeedbackErrors, SignsContractByTwoOverPi) {
  const FeedbackErrors plain = feedback_errors(plain_signs(), {.carry = 0}, gradients(), 5);
  EXPECT_NEAR(plain.contraction, 2 / std::numbers::pi, 0.005);
  EXPECT_NEAR(plain.residual, std::sqrt(1 - plain.contraction), 0.01);
}

// What was sent is the sum of the gradients less the residual, so the running sum's error shrinks
// as the sum grows; without feedback it stays, as every step loses the same.
TEST(FeedbackErrors, FeedbackSendsInTheLongRunWhatOneStepLoses) {
  const std::span<const std::vector<float>> steps = gradients();
  for (const Codec& codec : {plain_signs(), int4_g2048}) {
    const FeedbackErrors fed = feedback_errors(codec, {}, steps, 5);
    const FeedbackErrors unfed = feedback_errors(codec, {.carry = 0}, steps, 5);
    // |sum of gradients| is between 64 and 64 sqrt(0.5) times |gradient|: the shared half adds up.
    EXPECT_NEAR(fed.running_sum, fed.residual / (64 * std::sqrt(0.5)), 0.25 * fed.running_sum)
        << codec.name;
    EXPECT_LT(fed.running_sum, 0.5 * unfed.running_sum) << codec.name;
  }
  const FeedbackErrors signs = feedback_errors(plain_signs(), {.carry = 0}, steps, 5);
  EXPECT_GT(signs.running_sum, 0.25);
}

// Stich and Karimireddy (arXiv 1909.05350), lemma 22: a contraction by d keeps the residual of
// gradients of one norm below sqrt(1 - d) / (1 - sqrt(1 - d)).
TEST(FeedbackErrors, ContractionBoundsTheResidual) {
  for (const Codec& codec : {plain_signs(), int4_g2048, int8_g128_sr}) {
    const FeedbackErrors errors = feedback_errors(codec, {}, gradients(), 5);
    const double loss = std::sqrt(1 - errors.contraction);
    EXPECT_TRUE(errors.bounded);
    EXPECT_GE(errors.residual, 0.99 * loss) << codec.name;
    EXPECT_LE(errors.residual, 1.05 * loss / (1 - loss)) << codec.name;
  }
}

TEST(FeedbackErrors, AResidualWithoutContractionIsFoundToGrow) {
  const FeedbackErrors errors = feedback_errors(plain_threefold(), {}, gradients(), 5);
  EXPECT_FALSE(errors.bounded);
  EXPECT_NEAR(errors.contraction, 1 - 4, 1e-6);
}

TEST(FeedbackErrors, OneStepWithoutFeedbackIsTheErrorOfATensor) {
  const std::vector<std::vector<float>> one{gradients().front()};
  const FeedbackErrors errors = feedback_errors(int4_g128, {}, one, 5);
  const std::vector<float> decoded = encode_and_decode(int4_g128, one.front(), {.seed = 5});
  const double relative = compare(one.front(), decoded).relative_l2;
  EXPECT_NEAR(errors.running_sum, relative, 1e-6);
  EXPECT_NEAR(errors.residual, relative, 1e-6);
  EXPECT_NEAR(errors.contraction, 1 - relative * relative, 1e-6);
}

TEST(FeedbackRules, AreThoseOfTheMethodsThatSendTheFormat) {
  const auto last = [](const Format& format) { return feedback_rules(format).back(); };
  EXPECT_EQ(last({.element = Element::int4}).name, "loco");
  EXPECT_FLOAT_EQ(last({.element = Element::int4}).feedback.take, 0.2f);
  EXPECT_EQ(last({.element = Element::codebook2, .keep = 64}).feedback.carry, 0.95f);
  EXPECT_EQ(last({.rotation = Rotation::dct, .keep = 32}).feedback.carry, 0.999f);
  EXPECT_EQ(last({.element = Element::sign}).name, "ef_sgd");
}

// Weights move by less than a bfloat16 step at a low learning rate, so most differences are 0, and
// the rest few multiples of it; top-k leaves a pseudo-gradient without its tails.
TEST(SyntheticTensors, HaveTheShapesThatTheyStandFor) {
  std::vector<double> zero_shares;
  for (const SyntheticTensor& row : synthetic_tensors()) {
    if (row.name == "adam_weight_difference_lr_6e-4") continue;
    const Tensor tensor = row.make(row, 1);
    EXPECT_EQ(tensor.name, row.name);
    EXPECT_EQ(tensor.shape[0] * tensor.shape[1], tensor.values.size());
    const auto zeros = std::ranges::count(tensor.values, 0.0f);
    zero_shares.push_back(static_cast<double>(zeros) / static_cast<double>(tensor.values.size()));
  }
  EXPECT_NEAR(zero_shares[0], 0.74, 0.02);  // of an independent implementation
  EXPECT_LT(zero_shares[1], 0.001);
}

TEST(Measure, KeepsTheOrderAndThrowsWhatACellThrows) {
  std::vector<ErrorCell> cells;
  for (int i = 0; i < 100; ++i) cells.push_back({"s", "r", "c", [i] { return Json(i); }});
  std::size_t last = 0;
  const auto figures = measure(cells, [&](std::size_t done) { EXPECT_EQ(done, ++last); });
  EXPECT_EQ(last, 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(figures[static_cast<std::size_t>(i)], i);
  cells[50].measure = []() -> Json { throw std::out_of_range("cell 50"); };
  EXPECT_THROW((void)measure(cells), std::out_of_range);
}

TEST(MeanOverSeeds, HasEachSeedsFigureAndTheirStandardDeviation) {
  const std::vector<Json> figures{{{"relative_l2", 1.0}, {"bias", 2.0}},
                                  {{"relative_l2", 2.0}, {"bias", 4.0}},
                                  {{"relative_l2", 6.0}, {"bias", 0.0}}};
  const Json mean = mean_over_seeds(figures);
  EXPECT_EQ(mean.at("relative_l2"), 3.0);
  EXPECT_EQ(mean.at("bias"), 2.0);
  EXPECT_DOUBLE_EQ(mean.at("spread"), std::sqrt((4 + 1 + 9) / 2.0));
  EXPECT_EQ(mean.at("by_seed"), Json({1.0, 2.0, 6.0}));
  const std::vector<Json> columns{{{"a", {{"relative_l2", 1.0}}}}, {{"a", {{"relative_l2", 2.0}}}}};
  EXPECT_EQ(mean_over_seeds(columns).at("a").at("relative_l2"), 1.5);
}

TEST(MeanOverSeeds, IsUnboundedWhereOneSeedIs) {
  const std::vector<Json> figures{{{"contraction", -1.0}, {"residual", 3.0}, {"running_sum", 2.0}},
                                  {{"contraction", -3.0}, {"bounded", false}}};
  for (const auto& order : {figures, std::vector<Json>(figures.rbegin(), figures.rend())}) {
    const Json mean = mean_over_seeds(order);
    EXPECT_EQ(mean, Json({{"contraction", -2.0}, {"bounded", false}}));
  }
}

TEST(TableText, HasALineForEachCellAndSixDigits) {
  const Json table{
      {"p", {{"seed", 1}}},
      {"s", {{"r", {{"a", {{"x", 1.0 / 3}, {"y", -1e-9 / 7}}}, {"b", {{"x", {0.5, 2.0 / 3}}}}}}}}};
  EXPECT_EQ(to_text(table),
            "{\n"
            " \"p\": {\"seed\":1},\n"
            " \"s\": {\n"
            "  \"r\": {\n"
            "   \"a\": {\"x\":0.333333,\"y\":-1.42857e-10},\n"
            "   \"b\": {\"x\":[0.5,0.666667]}\n"
            "  }\n"
            " }\n"
            "}\n");
}

}  // namespace
}  // namespace codecs
