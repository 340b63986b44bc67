// SPDX-License-Identifier: Apache-2.0
// What a card makes of a wire: its bytes, its times.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "sim/times/wire.hpp"
#include "tests/times/sample_card.hpp"

namespace sim {
namespace {

CodecCard of_bits(std::vector<double> bits) {
  CodecCard card = read_card();
  card.bits_per_element = std::move(bits);
  return card;
}

Wire wire_of(CodecCard card) {
  return {.card = std::make_shared<const CodecCard>(std::move(card))};
}

// The sample's GPU, whose copies reach half of 2 TB/s; a launch takes 1 us.
Gpu measured_gpu() {
  Gpu gpu;
  gpu.name = "measured GPU";
  gpu.memory_bandwidth = 2000_GBps;
  gpu.memory_efficiency = 0.5;
  gpu.launch_latency = 1_us;
  return gpu;
}

double seconds_of(const CodecUse& use, const Gpu& gpu = measured_gpu()) {
  return codec_time(roofline(), gpu, use).seconds;
}

// The largest of n from [a, b] is a + (b - a) n / (n + 1) on average.
TEST(LargestBits, OfAUniformDistributionAreThoseOfItsOrderStatistics) {
  const CodecCard card = of_bits({8, 14});
  for (const double parts : {1.0, 2.0, 5.0, 8.0, 1024.0}) {
    EXPECT_NEAR(largest_bits(card, parts), 8 + 6 * parts / (parts + 1), 1e-9) << parts;
  }
  // The same distribution, by more quantiles.
  EXPECT_NEAR(largest_bits(of_bits({8, 9.5, 11, 12.5, 14}), 5), 8 + 6 * 5.0 / 6, 1e-9);
}

// Halves from [6, 7] and [7, 10]: (6.5 + 8.5) / 2.
TEST(LargestBits, OfOneMessageAreTheMean) {
  EXPECT_NEAR(mean_bits(read_card()), 7.5, 1e-12);
  EXPECT_EQ(largest_bits(read_card(), 1), mean_bits(read_card()));
}

TEST(LargestBits, GrowWithTheMessagesTowardsTheLargest) {
  const CodecCard card = read_card();
  double last = 0;
  for (double parts = 1; parts < 1e5; parts *= 2) {
    EXPECT_GT(largest_bits(card, parts), last);
    last = largest_bits(card, parts);
    EXPECT_LT(last, 10);
  }
  EXPECT_NEAR(last, 10, 1e-3);
}

TEST(LargestBits, OfOneSizeAreThatSize) {
  EXPECT_EQ(largest_bits(of_bits({11}), 1), 11);
  EXPECT_EQ(largest_bits(of_bits({11}), 64), 11);
  EXPECT_NEAR(largest_bits(of_bits({11, 11, 11}), 64), 11, 1e-12);
}

// 1000 elements of 7.5 bits are 937.5 bytes, and 64.
TEST(CardWire, IsItsBitsAndItsOverheadRoundedUp) {
  const Wire wire = wire_of(read_card());
  EXPECT_EQ(wire.bytes(1000), 938 + 64);
  EXPECT_EQ(wire.bytes(0), 0);
  EXPECT_EQ(wire.bytes_per_element(), 7.5 / 8);
  EXPECT_GT(wire.bytes(1000, 8), wire.bytes(1000));
  EXPECT_EQ(wire.name(), "sample");
  EXPECT_FALSE(wire.is_plain());
}

TEST(CardWire, IsSummableWhereTheCardSaysSo) {
  CodecCard card = of_bits({4});
  EXPECT_FALSE(wire_of(card).is_summable());
  card.summable = true;
  EXPECT_TRUE(wire_of(card).is_summable());
}

// Between 1e6 elements in 10 us and 1e8 in 1 ms the time is in proportion: 1e7 take 100 us. Above it is
// the rate, below the rate too, but at least a launch of 1 us and its ramp.
TEST(CardTimes, AreInterpolatedInTheLogarithmOfTheSize) {
  const auto encode = [](double elements) {
    return seconds_of({.operation = codecs::Operation::encode,
                       .wire = wire_of(read_card()),
                       .elements = elements});
  };
  EXPECT_NEAR(encode(1e7), 1e-4, 1e-12);
  EXPECT_NEAR(encode(1e6), 1e-5, 1e-14);
  EXPECT_NEAR(encode(5e5), 5e-6, 1e-14);
  EXPECT_EQ(encode(10), seconds_of_bytes(measured_gpu(), 1000_GBps, 0));
  EXPECT_NEAR(encode(1e9), 1e-2, 1e-10);
  EXPECT_EQ(encode(0), 0);
}

// Of one size, both ends are open; of two, the law beyond an end may show.
TEST(CardTimes, AreFarOffBeyondSizesThatShowNoLaw) {
  const auto excess = [](const std::vector<KernelTime>& times, double elements) {
    return sizes_of(times).excess(elements);
  };
  const KernelTime one{.elements = 1e8, .seconds = 1e-3};
  EXPECT_EQ(excess({one}, 1e6), 100);
  EXPECT_EQ(excess({one}, 4e8), 4);
  EXPECT_EQ(excess({one}, 1e8), 1);
  const KernelTime flat{.elements = 1e7, .seconds = 1e-3};
  EXPECT_EQ(excess({flat, one}, 1e6), 1);
  EXPECT_EQ(excess({flat, one}, 4e8), 4);
  const KernelTime proportional{.elements = 1e7, .seconds = 1e-4};
  EXPECT_EQ(excess({proportional, one}, 1e6), 10);
  EXPECT_EQ(excess({proportional, one}, 4e8), 1);
}

TEST(CardTimes, GoWithMemoryBandwidthOnAnotherGpu) {
  Gpu other = measured_gpu();
  other.name = "another GPU";
  other.memory_bandwidth = 4000_GBps;
  const CodecUse use{
      .operation = codecs::Operation::encode, .wire = wire_of(read_card()), .elements = 1e6};
  EXPECT_NEAR(seconds_of(use, other), seconds_of(use) / 2, 1e-15);
  EXPECT_EQ(codec_time(roofline(), measured_gpu(), use).source, "sample's card");
  EXPECT_EQ(codec_time(roofline(), other, use).source,
            "extrapolated by memory bandwidth from measured GPU (sample's card)");
}

// A pass over b bytes takes a launch of 1 us, its ramp, and b / (1 TB/s).
TEST(CardTimes, AreComposedOfWhatTheCardHas) {
  const Wire wire = wire_of(read_card());
  const double n = 1e6, encode = 1e-5, decode = 2e-5;
  const auto pass = [](double bytes) { return seconds_of_bytes(measured_gpu(), 1000_GBps, bytes); };
  const auto expect = [&](CodecUse use, double seconds) {
    use.wire = wire;
    use.elements = n;
    EXPECT_NEAR(seconds_of(use), seconds, 1e-12) << static_cast<int>(use.operation);
  };
  expect({.operation = codecs::Operation::decode}, decode);
  // BF16 values, old and new, and their difference.
  expect({.operation = codecs::Operation::encode_difference, .value_bytes = 2},
         pass(6 * n) + seconds_of({.operation = codecs::Operation::encode,
                                   .wire = wire,
                                   .value_bytes = 2,
                                   .elements = n}));
  // FP32 values and a residual of 2 bytes to their sum; both and what was decoded to the residual.
  expect({.operation = codecs::Operation::encode_feedback, .residual_bytes = 2},
         pass((4 + 2 + 4) * n) + encode + decode + pass((4 + 2 + 4 + 2) * n));
  // Decoded to FP32, which the pass adds to BF16 values.
  expect({.operation = codecs::Operation::decode_add, .value_bytes = 2}, decode + pass(8 * n));
  // The card has a sum of 4, of which nothing is composed, and none of 3.
  expect({.operation = codecs::Operation::decode_reduce, .inputs = 4}, 5e-5);
  expect({.operation = codecs::Operation::decode_reduce, .inputs = 3},
         3 * decode + 2 * pass(12 * n));
  EXPECT_EQ(
      codec_time(
          roofline(), measured_gpu(),
          {.operation = codecs::Operation::decode_reduce, .wire = wire, .inputs = 3, .elements = n})
          .source,
      "sample's card, which lacks decode_reduce of 3 inputs: 3 decodes and 2 memory passes");
}

CodecUse use_of(codecs::Operation operation, const Wire& wire) {
  return {.operation = operation, .wire = wire, .inputs = 2, .elements = 1e6};
}

// What stands in is named where it does, and nothing stands in for a kernel with a row.
TEST(CardTimes, SayWhatStandsInForAKernelWithoutARow) {
  using codecs::Operation;
  const auto substituted = [](const CodecUse& use) {
    return codec_time(roofline(), measured_gpu(), use).substituted;
  };
  CodecCard card = read_card();
  for (const auto& [operation, what] :
       {std::pair{Operation::encode, ""},
        {Operation::decode, ""},
        {Operation::encode_difference, "encode_difference: an encode and a memory pass"},
        {Operation::encode_feedback, "encode_feedback: an encode, a decode and 2 memory passes"},
        {Operation::decode_add, "decode_add: a decode and a memory pass"},
        {Operation::decode_reduce, "decode_reduce of 2 inputs: 2 decodes and 1 memory pass"}}) {
    EXPECT_EQ(substituted(use_of(operation, wire_of(card))), what);
    const CardKernel kernel{.operation = operation, .inputs = 2, .value_bytes = 4};
    card.steps[key_of(kernel)] = {{.elements = 1e6, .seconds = 7e-5}};
    EXPECT_EQ(substituted(use_of(operation, wire_of(card))), "");
    EXPECT_EQ(seconds_of(use_of(operation, wire_of(card))), 7e-5);
    card.steps = read_card().steps;
  }
}

// Values of 4 bytes stand for those of 2, and the other way round: a kernel takes as many instructions, and
// other bytes.
TEST(CardTimes, AreOfValuesOfTheSameSizeWhereTheCardHasThem) {
  CodecCard card = read_card();
  CodecUse use = use_of(codecs::Operation::encode, wire_of(card));
  use.value_bytes = 2;
  EXPECT_LT(seconds_of(use), 1e-5);
  EXPECT_GT(seconds_of(use), 1e-5 * 2 / 4);
  EXPECT_EQ(codec_time(roofline(), measured_gpu(), use).substituted,
            "encode of 2-byte values: times of 4-byte values");
  card.steps["encode of 2-byte values"] = {{.elements = 1e6, .seconds = 7e-6}};
  use.wire = wire_of(card);
  EXPECT_EQ(seconds_of(use), 7e-6);
  EXPECT_EQ(codec_time(roofline(), measured_gpu(), use).substituted, "");
  use.value_bytes = 4;
  EXPECT_EQ(seconds_of(use), 1e-5);
  card.steps.erase("decode");
  card.steps["decode of 2-byte values"] = {{.elements = 1e6, .seconds = 7e-6}};
  use = use_of(codecs::Operation::decode, wire_of(card));
  EXPECT_GT(seconds_of(use), 7e-6);
  EXPECT_LT(seconds_of(use), 7e-6 * 4 / 2);
  EXPECT_EQ(codec_time(roofline(), measured_gpu(), use).substituted,
            "decode of 4-byte values: times of 2-byte values");
}

// A launch of 1 us and its ramp, and no more for a share of the elements.
TEST(CardTimes, SayWhatOfThemIsFixed) {
  const auto fixed = [](codecs::Operation operation, double elements) {
    CodecUse use = use_of(operation, wire_of(read_card()));
    use.elements = elements;
    return codec_time(roofline(), measured_gpu(), use).fixed_s;
  };
  const double launch = seconds_of_bytes(measured_gpu(), 1000_GBps, 0);
  EXPECT_EQ(fixed(codecs::Operation::encode, 1e6), launch);
  EXPECT_EQ(fixed(codecs::Operation::encode, 10), launch);
  // Beside the encode, a pass over values.
  EXPECT_EQ(fixed(codecs::Operation::encode_difference, 1e6), 2 * launch);
}

// Without times, each kernel takes the bytes that the codec of this size would move, fused.
TEST(CardWithoutTimes, TakesThoseOfACodecThatNoTableHas) {
  using codecs::Operation;
  const Wire codec{codecs::codec_named("int4_g32").format};
  const Wire other{codecs::codec_named("int4_g128").format};
  CodecCard card = of_bits({8 * codec.bytes_per_element()});
  card.steps.clear();
  Calibration table = roofline();
  table.name = "table";
  table.memory_share = 0.75;
  for (const Calibration& calibration : {roofline(), table}) {
    const auto expect_alike = [&](CodecUse use, const Wire& from, const Wire& to) {
      const auto time_of = [&](const Wire& itself) {
        use.wire = from == codec ? itself : from;
        use.wire_out = to == codec ? itself : to;
        return codec_time(calibration, measured_gpu(), use);
      };
      const KernelEstimate coded = time_of(codec), carded = time_of(wire_of(card));
      EXPECT_NEAR(carded.seconds, coded.seconds, 1e-15) << name_of(use.operation);
      EXPECT_EQ(carded.fixed_s, coded.fixed_s);
      EXPECT_EQ(carded.source, coded.source);
      EXPECT_EQ(carded.substituted, "");
    };
    for (const Operation operation :
         {Operation::encode, Operation::encode_difference, Operation::encode_feedback,
          Operation::decode, Operation::decode_add, Operation::decode_reduce}) {
      expect_alike(use_of(operation, codec), codec, {});
    }
    const CodecUse sum = use_of(Operation::decode_reduce_encode, codec);
    expect_alike(sum, codec, codec);
    expect_alike(sum, codec, other);
    expect_alike(sum, other, codec);
  }
}

TEST(CardTimes, OfASumThatIsEncodedAgainAreBothKernels) {
  const Wire card = wire_of(read_card());
  const Wire codec{codecs::codec_named("int8_g128").format};
  const CodecUse use{.operation = codecs::Operation::decode_reduce_encode,
                     .wire = card,
                     .wire_out = codec,
                     .inputs = 4,
                     .elements = 1e6};
  const double encode =
      seconds_of({.operation = codecs::Operation::encode, .wire = codec, .elements = 1e6});
  EXPECT_NEAR(seconds_of(use), 5e-5 + encode, 1e-12);
  EXPECT_EQ(codec_time(roofline(), measured_gpu(), use).substituted,
            "decode_reduce_encode of 4 inputs to int8_g128: a decode_reduce and an encode");
}

// By the row of the card that has one, whichever end it is.
TEST(CardTimes, OfASumThatIsEncodedAgainAreTheRowOfItsEnds) {
  const Wire codec{codecs::codec_named("int8_g128").format};
  CodecCard card = read_card();
  const auto seconds = [&](const char* key, bool from, bool to) {
    card.steps = read_card().steps;
    card.steps[key] = {{.elements = 1e6, .seconds = 8e-5}};
    const Wire own = wire_of(card);
    return seconds_of({.operation = codecs::Operation::decode_reduce_encode,
                       .wire = from ? own : codec,
                       .wire_out = to ? own : codec,
                       .inputs = 4,
                       .elements = 1e6});
  };
  EXPECT_EQ(seconds("decode_reduce_encode/4", true, true), 8e-5);
  EXPECT_EQ(seconds("decode_reduce_encode/4 to int8_g128", true, false), 8e-5);
  EXPECT_EQ(seconds("decode_reduce_encode/4 from int8_g128", false, true), 8e-5);
  EXPECT_NE(seconds("decode_reduce_encode/8", true, true), 8e-5);
  EXPECT_NE(seconds("decode_reduce_encode/4", true, false), 8e-5);
  EXPECT_NE(seconds("decode_reduce_encode/4 to int8_g128", true, true), 8e-5);
  EXPECT_NE(seconds("decode_reduce_encode/4 from int8_g64", false, true), 8e-5);
}

}  // namespace
}  // namespace sim
