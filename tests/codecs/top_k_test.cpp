// SPDX-License-Identifier: Apache-2.0
// Laws of the sparse wire and of top-k; errors against an independent Monte-Carlo run.
#include "codecs/top_k/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "codecs/error/error.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/sparse/sparse.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::size_t kChunk = 4096;
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

Format top(std::size_t keep, std::size_t chunk, Element element = Element::fp32) {
  return {.element = element, .group = chunk, .keep = keep, .layout = &kSparseLayout};
}

Codec codec_of(const Format& format) {
  return {.name = "", .format = format, .encode = encode_top_k, .decode = decode_top_k};
}

std::vector<float> through(const Format& format, std::span<const float> values) {
  return encode_and_decode(codec_of(format), values, {});
}

TEST(SparseWire, HasTheBytesOfItsDrawing) {
  // 64 indices of 12 bits and 64 codes of 2 bits: 112 bytes a chunk, after 32 bytes of codebook.
  EXPECT_EQ(encoded_bytes(sparseloco.format, 10 * kChunk), 32 + 10 * 112);
  EXPECT_DOUBLE_EQ(encoded_bytes_per_element(sparseloco.format) * 8, 0.21875);
  // The chunk's two magnitudes add 64 bits, its one 32.
  EXPECT_EQ(encoded_bytes(topk64_sign_magnitude.format, 10 * kChunk), 10 * (112 + 8));
  EXPECT_EQ(encoded_bytes(topk64_sign.format, 10 * kChunk), 960 + 80 + 48);
  EXPECT_EQ(encoded_bytes(sparseloco.format, 0), 0);
  // 1 element: 2 slots of 12 bits and of 32, each part filled up to 16 bytes.
  EXPECT_EQ(encoded_bytes(topk64.format, 1), 32);
}

TEST(SparseWire, KeepsItsShareOfAShortChunk) {
  const Format format = top(64, 4096);
  EXPECT_EQ(slots(format, 4096), 64);
  EXPECT_EQ(slots(format, 2048), 32);
  EXPECT_EQ(slots(format, 2049), 34);  // rounded up, to an even number
  EXPECT_EQ(slots(format, 1), 2);
  EXPECT_EQ(kept(format, 1), 1);
}

// b0 = i1 & 255, b1 = i1 >> 8 | (i2 & 15) << 4, b2 = i2 >> 4: SparseLoCo's packing.
TEST(SparseWire, PacksTwo12BitIndicesInThreeBytes) {
  std::vector<float> values(4096, 0.0f);
  values[0x123] = 2;
  values[0xABC] = -3;
  const auto wire = encoded(codec_of(top(2, 4096)), values);
  const std::vector<std::byte> packed{wire.begin(), wire.begin() + 3};
  EXPECT_EQ(packed, (std::vector<std::byte>{std::byte{0x23}, std::byte{0xC1}, std::byte{0xAB}}));
}

// 1920 = 48 x 40 needs 11 bits, 2 elements need one.
TEST(SparseWire, HasIndicesAsLongAsTheChunkNeeds) {
  EXPECT_EQ(sparse_wire(top(30, 1920), 1920).index_bits, 11);
  EXPECT_EQ(sparse_wire(top(2, 2), 2).index_bits, 1);
  EXPECT_EQ(sparse_wire(top(64, 4096), 1).index_bits, 12);
  const std::vector<float> values = normal_values(333);
  EXPECT_EQ(through(top(2, 2), values), values);
  EXPECT_EQ(through(top(64, 64), values), values);
}

TEST(SparseWire, RefusesFormatsThatItCannotHold) {
  for (const Format& format :
       {top(3, 4096), top(258, 256), top(2, 1), top(2, 8193), top(2, 4096, Element::int4)}) {
    EXPECT_THROW((void)encoded_bytes(format, 10), std::invalid_argument);
  }
}

TEST(LaneSum, AddsLanesInOrderAndHalves) {
  // 5 values on 4 lanes: ((v0 + v4) + v2) + (v1 + v3); a large v4 absorbs v0 alone.
  const std::vector<double> values{1, 1, 0, 1, 0x1p53};
  EXPECT_EQ(lane_sum(values, 4), ((1 + 0x1p53) + 0) + (1.0 + 1.0));
  EXPECT_EQ(lane_sum({}, 32), 0);
}

TEST(TopK, SelectsTheLargestAndTheLowerOfEquals) {
  const std::vector<float> chunk{1, -3, 3, 0, -3, 2, kNotANumber, -0.5f};
  const auto entries = select_largest(chunk, 4);
  std::vector<std::uint32_t> indices;
  for (const Entry& entry : entries) indices.push_back(entry.index);
  EXPECT_EQ(indices, (std::vector<std::uint32_t>{1, 2, 4, 6}));
  EXPECT_EQ(select_largest(chunk, 2).front().index, 1);  // NaN, and the first of three equals
}

TEST(TopK, KeepsWhatItSelectsExactlyAndNothingElse) {
  for (const std::size_t chunk : {256u, 1024u, 8192u}) {
    const Format format = top(chunk / 16, chunk);
    const std::vector<float> values = normal_values(3 * chunk + 77);
    const std::vector<float> out = through(format, values);
    for (std::size_t first = 0; first < values.size(); first += chunk) {
      const std::size_t count = std::min(chunk, values.size() - first);
      float smallest_sent = std::numeric_limits<float>::infinity(), largest_lost = 0;
      std::size_t sent = 0;
      for (std::size_t i = first; i < first + count; ++i) {
        if (out[i] != 0) {
          EXPECT_EQ(out[i], values[i]);
          smallest_sent = std::min(smallest_sent, std::abs(values[i]));
          ++sent;
        } else {
          largest_lost = std::max(largest_lost, std::abs(values[i]));
        }
      }
      EXPECT_EQ(sent, kept(format, count));
      EXPECT_GE(smallest_sent, largest_lost);
    }
  }
}

// Values +a and -a in equal numbers: the mean is 0, sigma a, the codes 1 and 3, and exact means.
TEST(TopK, CodebookIsExactOnTwoValues) {
  std::vector<float> values(8192, 0.0f);
  for (std::size_t i = 0; i < 128; ++i) values[64 * i] = i % 2 == 0 ? 0.75f : -0.75f;
  EXPECT_EQ(through(sparseloco.format, values), values);
  const Codebook book = load_codebook(encoded(sparseloco, values));
  EXPECT_EQ(book.shift, 0);
  EXPECT_FLOAT_EQ(book.scale, 1.5f * 0.75f * std::sqrt(128.0f / 127.0f));
  EXPECT_EQ(book.values, (std::array{0.0f, -0.75f, 0.0f, 0.75f}));
}

// One value sent: no deviation, scale 1, bin 2 holds c = 0.
TEST(TopK, CodebookOfEqualValuesIsTheirMean) {
  const std::vector<float> values(300, 5.0f);
  const Codebook book = load_codebook(encoded(sparseloco, values));
  EXPECT_EQ(book.shift, 5);
  EXPECT_EQ(book.scale, 1);
  const std::vector<float> out = through(sparseloco.format, values);
  EXPECT_EQ(std::ranges::count(out, 5.0f), 6);  // 2 ceil(64 * 300 / 8192)
  EXPECT_EQ(std::ranges::count(out, 0.0f), 294);
  EXPECT_EQ(through(sparseloco.format, std::vector<float>{3.0f}), std::vector<float>{3.0f});
}

TEST(TopK, CodebookOfANonFiniteTensorIsNaN) {
  std::vector<float> values = normal_values(9000);
  values[8999] = -std::numeric_limits<float>::infinity();
  const Codebook book = load_codebook(encoded(sparseloco, values));
  EXPECT_TRUE(std::isnan(book.shift));
  EXPECT_EQ(book.values, (std::array{0.0f, 0.0f, 0.0f, 0.0f}));
}

TEST(TopK, TwoMagnitudesAreExactOnTwoMagnitudes) {
  std::vector<float> values(4096, 0.0f);
  for (std::size_t i = 0; i < 64; ++i) {
    values[60 * i] = (i % 2 == 0 ? 1.0f : -1.0f) * (i % 3 == 0 ? 8.0f : 0.5f);
  }
  EXPECT_EQ(through(topk64_sign_magnitude.format, values), values);
}

TEST(TopK, ChunksOfZerosStayZero) {
  std::vector<float> values = normal_values(3 * kChunk);
  std::fill_n(values.begin() + 4096, 4096, 0.0f);
  for (const Codec* codec : {&topk64, &topk64_sign, &topk64_sign_magnitude}) {
    const std::vector<float> out = decoded(*codec, encoded(*codec, values), values.size());
    EXPECT_TRUE(std::all_of(out.begin() + 4096, out.begin() + 8192, [](float x) { return x == 0; }))
        << codec->name;
  }
}

TEST(TopK, SumsWiresInOrder) {
  for (const Codec* codec : {&sparseloco, &topk64, &topk64_sign_magnitude}) {
    constexpr std::size_t kElements = 9001;
    std::vector<std::byte> wires;
    std::vector<float> expected(kElements, 0.0f), sums(kElements, kNotANumber);
    for (std::uint64_t rank = 0; rank < 5; ++rank) {
      const auto wire = encoded(*codec, normal_values(kElements, rank));
      const std::vector<float> values = decoded(*codec, wire, kElements);
      for (std::size_t i = 0; i < kElements; ++i) expected[i] += values[i];
      wires.insert(wires.end(), wire.begin(), wire.end());
    }
    decode_reduce_top_k(codec->format, wires, 5, sums);
    EXPECT_EQ(sums, expected) << codec->name;
  }
}

// What was put in is what was sent plus what is left, with no decay: nothing is ever lost.
TEST(TopK, FeedbackLosesNothing) {
  std::vector<float> residual(8192, 0.0f), sum(8192, 0.0f), put(8192, 0.0f);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const std::vector<float> values = normal_values(8192, step);
    std::vector<std::byte> wire(encoded_bytes(sparseloco.format, 8192));
    encode_with_feedback(sparseloco, {}, values, {}, residual, wire);
    const std::vector<float> sent = decoded(sparseloco, wire, 8192);
    for (std::size_t i = 0; i < 8192; ++i) {
      sum[i] += sent[i];
      put[i] += values[i];
    }
  }
  for (std::size_t i = 0; i < 8192; ++i) EXPECT_NEAR(sum[i] + residual[i], put[i], 1e-4);
}

// Relative errors of an independent Monte-Carlo run over 2^21 elements in float32.
struct Expected {
  Element element;
  std::size_t keep;
  double normal, laplace, student_t5, student_t3, outlier, lognormal;
};
constexpr std::array kExpected{
    Expected{Element::fp32, 32, .96468, .92860, .91921, .82775, .81393, .54045},
    Expected{Element::fp32, 64, .93848, .88538, .87935, .77597, .79142, .45540},
    Expected{Element::fp32, 128, .89445, .81976, .82104, .70867, .75392, .36511},
    Expected{Element::bf16, 410, .74879, .63545, .65873, .54659, .63068, .21108},
    Expected{Element::codebook2, 64, .93927, .88986, .89427, .86065, .87524, .71917},
    Expected{Element::sign, 64, .93925, .88973, .88926, .83257, .92169, .73508},
    Expected{Element::sign_magnitude2, 64, .93876, .88711, .88419, .80958, .84141, .63636},
};

TEST(TopK, ErrsAsFarAsMonteCarloSays) {
  constexpr std::size_t kElements = std::size_t{1} << 18;
  const auto expect = [](const char* name, double Expected::*error, double tolerance) {
    const std::vector<float> values = draw(distribution_named(name), 5, kElements);
    for (const Expected& row : kExpected) {
      const double l2 =
          compare(values, through(top(row.keep, 4096, row.element), values)).relative_l2;
      EXPECT_NEAR(l2 / (row.*error), 1, tolerance)
          << name << " " << static_cast<int>(row.element) << " " << row.keep;
    }
  };
  expect("normal", &Expected::normal, 0.03);
  expect("laplace", &Expected::laplace, 0.03);
  expect("student_t5", &Expected::student_t5, 0.06);
  expect("student_t3", &Expected::student_t3, 0.06);
  expect("outlier", &Expected::outlier, 0.06);
  expect("lognormal", &Expected::lognormal, 0.06);
}

}  // namespace
}  // namespace codecs
