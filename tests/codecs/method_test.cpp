// SPDX-License-Identifier: Apache-2.0
// Sizes and traffic of methods: what their references fill, and what the sums of the headers are.
#include "codecs/method.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

const MethodStep& step_of(std::string_view method, std::string_view step) {
  for (const MethodStep& one : all_method_steps()) {
    if (one.method == method && one.step == step) return one;
  }
  throw std::out_of_range(std::string(step));
}

// A shape that every method takes: a matrix of 256 x 128.
constexpr StepShape kShape{.elements = 32768, .ranks = 4, .columns = 128, .factor_rank = 2};

TEST(MethodSteps, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const MethodStep& one : all_method_steps()) {
    EXPECT_TRUE(names.insert(std::string(one.method) + " " + std::string(one.step)).second);
  }
}

TEST(MethodSteps, MoveTheirValuesAndWiresAtLeast) {
  for (const MethodStep& one : all_method_steps()) {
    const double wire = static_cast<double>(one.encoded_bytes(kShape));
    EXPECT_GT(wire, 0) << one.method << one.step;
    EXPECT_LT(wire, 4 * 32768) << one.method << one.step;
    EXPECT_GT(one.moved_bytes(kShape), wire) << one.method << one.step;
  }
}

TEST(MethodSteps, GrowWithTheRanksOnlyWhereTheyTakeThem) {
  StepShape more = kShape;
  more.ranks = 8;
  for (const MethodStep& one : all_method_steps()) {
    const bool same = one.moved_bytes(more) == one.moved_bytes(kShape) &&
                      one.encoded_bytes(more) == one.encoded_bytes(kShape);
    EXPECT_EQ(same, !one.takes_ranks) << one.method << one.step;
  }
}

// References throw where a wire has another length.
TEST(MethodSteps, EncodeWhatTheReferencesDo) {
  const std::vector<float> values(kShape.elements, 1.0f);
  std::vector<float> u(values.size()), v(values.size()), sums(values.size());
  const auto bytes = [](const char* method, const char* step) {
    return step_of(method, step).encoded_bytes(kShape);
  };
  std::vector<std::byte> wire(bytes("loco", "encode"));
  std::vector<std::byte> residual(encoded_bytes(residual_format(measured_loco()), kShape.elements));
  EXPECT_NO_THROW(encode_loco(measured_loco(), values, {}, residual, wire));
  wire.resize(4 * bytes("sparseloco", "aggregate"));
  EXPECT_NO_THROW(aggregate(sparseloco.format, {}, wire, 4, sums));
  wire.resize(4 * bytes("one_bit_adam", "encode"));
  EXPECT_NO_THROW(encode_to_servers(one_bit_of(kShape), values, u, wire));
  EXPECT_NO_THROW(decode_from_servers(one_bit_of(kShape), wire, sums));
  wire.resize(bytes("dgc", "encode"));
  EXPECT_NO_THROW(encode_dgc({}, values, {u, v}, wire));
}

TEST(MethodSteps, MoveWhatTheirHeadersSay) {
  // 32768 values in 16 groups of 2048. INT4 and a scale: 16384 + 64 bytes; INT8: 32768 + 64.
  EXPECT_EQ(step_of("loco", "encode").moved_bytes(kShape),
            4 * 32768 + 2 * (32768 + 64) + 16384 + 64);
  // Shards of 8192 signs and a scale in 16 bytes.
  constexpr double kSigns = 8192 / 8 + 16;
  EXPECT_EQ(step_of("one_bit_adam", "encode").moved_bytes(kShape), 20 * 32768 + 4 * kSigns);
  EXPECT_EQ(step_of("one_bit_adam", "reduce").moved_bytes(kShape), 9 * kSigns + 12 * 8192);
  EXPECT_EQ(step_of("one_bit_adam", "decode").moved_bytes(kShape), 4 * kSigns + 4 * 32768);
  // P of 256 x 2 and Q of 128 x 2.
  EXPECT_EQ(step_of("power_sgd", "p").moved_bytes(kShape), 12 * 32768 + 4 * 768);
  EXPECT_EQ(step_of("power_sgd", "q").moved_bytes(kShape), 4 * 32768 + 4 * (768 + 512));
  EXPECT_EQ(step_of("power_sgd", "finish").moved_bytes(kShape), 12 * 32768 + 4 * 768);
  EXPECT_EQ(step_of("power_sgd", "finish").encoded_bytes(kShape), 4u * 768);
}

TEST(MethodSteps, RefuseTensorsThatTheirMethodsDo) {
  const auto refuses = [](const char* method, const char* step, const StepShape& shape) {
    EXPECT_THROW((void)step_of(method, step).moved_bytes(shape), std::invalid_argument) << method;
  };
  refuses("one_bit_adam", "encode", {.elements = 1000, .ranks = 4});
  refuses("one_bit_adam", "reduce", {.elements = 1024, .ranks = 0});
  refuses("dgc", "encode", {.elements = std::size_t{1} << 31});
  refuses("power_sgd", "p", {.elements = 32768, .factor_rank = 2});
  refuses("power_sgd", "q", {.elements = 32768, .columns = 100, .factor_rank = 2});
  refuses("power_sgd", "p", {.elements = 32768, .columns = 128});
  refuses("power_sgd", "finish", {.elements = 1024, .columns = 32, .factor_rank = 8});
}

}  // namespace
}  // namespace codecs
