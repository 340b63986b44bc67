// SPDX-License-Identifier: Apache-2.0
// Laws of enumerated indices: ranks count sets, and the wire is the sparse one in fewer bits.
#include "codecs/subsets/subsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "codecs/error/error.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/subsets/factorials.hpp"
#include "codecs/top_k/top_k.hpp"
#include "tests/codecs/awkward.hpp"

namespace codecs {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::vector<std::byte> ranked(const Numbers& numbers, std::size_t of) {
  std::vector<std::byte> bytes(subset_bits(of, numbers.size()) / 8 + 1);
  put_subset(numbers, of, 0, bytes);
  return bytes;
}

double log2_of_binomial(double n, double k) {
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
}

TEST(Factorials, AreThoseOfTheGammaFunction) {
  const auto table = factorials();
  for (std::size_t n = 0; n < table.size(); ++n) {
    const double log2 = std::lgamma(static_cast<double>(n) + 1) / std::log(2.0);
    EXPECT_NEAR(std::log2(double{table[n].mantissa}) + table[n].exponent, log2, 0x1p-23) << n;
  }
}

// An odd factor times its inverse leaves 1, modulo each power of two up to 2^512.
TEST(Factorials, HaveInverses) {
  const auto inverses = inverse_factorials();
  for (std::uint64_t k = 0; k < inverses.size(); ++k) {
    SubsetNumber product = inverses[k];
    for (std::uint64_t i = 1; i <= k; ++i) {
      std::uint64_t carry = 0;
      for (std::uint32_t& word : product.words) {
        carry += (i >> std::countr_zero(i)) * word;
        word = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    EXPECT_EQ(product.words[0], 1u) << k;
    EXPECT_EQ(std::ranges::count(product.words, 0u), kSubsetWords - 1) << k;
  }
}

TEST(Subsets, TakeTheBitsOfTheirNumber) {
  EXPECT_EQ(subset_bits(4096, 64), 472u);  // 7.375 an index; their entropy is 471.29 bits
  for (const auto& [of, count] : {std::pair{4096, 2}, {4096, 32}, {1920, 30}, {8192, 4096}}) {
    EXPECT_EQ(static_cast<double>(
                  subset_bits(static_cast<std::size_t>(of), static_cast<std::size_t>(count))),
              std::ceil(log2_of_binomial(of, count)));
  }
  EXPECT_EQ(subset_bits(4, 2), 3u);  // 6 sets
  EXPECT_EQ(subset_bits(2, 1), 1u);
  EXPECT_EQ(subset_bits(100, 0), 0u);
  EXPECT_EQ(subset_bits(100, 100), 0u);
  EXPECT_THROW((void)subset_bits(3, 4), std::invalid_argument);
}

// All sets of each size have ranks of their own, from 0 to one less than their number, so 0 to 255 for
// all sets of 8 numbers take each rank as often as there are sizes that have it.
TEST(Subsets, HaveEachRankOnce) {
  constexpr std::size_t kOf = 8;
  std::vector<std::set<std::uint32_t>> ranks(kOf + 1);
  for (std::uint32_t members = 0; members < 1u << kOf; ++members) {
    Numbers numbers;
    for (std::uint32_t number = 0; number < kOf; ++number) {
      if ((members >> number & 1u) != 0) numbers.push_back(number);
    }
    const auto bytes = ranked(numbers, kOf);
    EXPECT_EQ(get_subset(kOf, numbers.size(), 0, bytes), numbers);
    ranks[numbers.size()].insert(get_bits(bytes, 0, subset_bits(kOf, numbers.size())));
  }
  for (std::size_t count = 0; count <= kOf; ++count) {
    const double sets = std::round(std::exp2(log2_of_binomial(kOf, static_cast<double>(count))));
    EXPECT_EQ(static_cast<double>(ranks[count].size()), sets);
    EXPECT_EQ(static_cast<double>(*ranks[count].rbegin()), sets - 1);
  }
}

// {1, 4, 6}: C(1,1) + C(4,2) + C(6,3) sets come before it.
TEST(Subsets, CountTheSetsBeforeThem) {
  EXPECT_EQ(get_bits(ranked({1, 4, 6}, 100), 0, 18), 1u + 6u + 20u);
}

TEST(Subsets, ComeBackWhateverTheySpan) {
  for (const std::size_t of : {1u, 2u, 33u, 4096u, 8192u}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, of / 64, of / 2, of}) {
      Numbers all(of);
      std::iota(all.begin(), all.end(), 0u);
      std::vector<Numbers> sets(3, all);
      sets[0].resize(count);
      sets[1].erase(sets[1].begin(), sets[1].end() - static_cast<std::ptrdiff_t>(count));
      const auto order = draw(distribution_named("normal"), of + count, of);
      std::ranges::sort(sets[2], {}, [&](std::uint32_t i) { return order[i]; });
      sets[2].resize(count);
      std::ranges::sort(sets[2]);
      for (const Numbers& numbers : sets) {
        EXPECT_EQ(get_subset(of, count, 0, ranked(numbers, of)), numbers) << of << " " << count;
      }
    }
  }
}

TEST(Subsets, AreReadFromAnyBytes) {
  const std::vector<std::byte> ones(59, std::byte{0xFF});
  const Numbers numbers = get_subset(4096, 64, 0, ones);
  EXPECT_EQ(numbers.size(), 64u);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_LT(numbers.back(), 4096u);
}

// 472 bits of indices and 128 of codes a chunk, after the codebook.
TEST(EnumeratedWire, HasTheBytesOfItsDrawing) {
  EXPECT_DOUBLE_EQ(encoded_bytes_per_element(sparseloco_enumerated.format) * 8, 600.0 / 4096);
  EXPECT_EQ(encoded_bytes(sparseloco_enumerated.format, 16 * 4096), 32 + 16 * (59 + 16));
  EXPECT_EQ(encoded_bytes(codebook2.format, 16 * 4096), 32 + 16 * 1024);
  EXPECT_DOUBLE_EQ(encoded_bytes_per_element(codebook2.format) * 8, 2);
}

Codec sparse_form(const Codec& codec) {
  Codec sparse = codec;
  sparse.format.layout = &kSparseLayout;
  return sparse;
}

// Nothing but the bits of the indices differs.
TEST(EnumeratedWire, DecodesToWhatTheSparseWireDoes) {
  for (const Codec* codec : {&sparseloco_enumerated, &codebook2}) {
    for (const std::size_t elements : edge_lengths(codec->format)) {
      const std::vector<float> values = awkward_values(elements);
      EXPECT_EQ(encode_and_decode(*codec, values, {}),
                encode_and_decode(sparse_form(*codec), values, {}))
          << codec->name << " " << elements;
      EXPECT_LE(encoded_bytes(codec->format, elements),
                encoded_bytes(sparse_form(*codec).format, elements));
    }
  }
}

// Of all elements in float32, nothing is lost.
TEST(EnumeratedWire, OfAllElementsIsDense) {
  Codec all = topk64;
  all.format.keep = 4096;
  all.format.layout = &kEnumeratedLayout;
  const std::vector<float> values = normal_values(2 * 4096);
  EXPECT_EQ(encode_and_decode(all, values, {}), values);
  EXPECT_EQ(encoded_bytes(all.format, values.size()), 4 * values.size());
}

// Ranks are found without memory.
TEST(EnumeratedWire, ComputesItsRanks) {
  const auto instructions = [](const KernelShape& shape) {
    return memory_traffic(shape).instructions;
  };
  const Format& ranks = sparseloco_enumerated.format;
  const double encode = instructions({.wire = ranks});
  EXPECT_GT(encode, 0);
  EXPECT_EQ(instructions({.operation = Operation::encode_feedback, .wire = ranks}), encode);
  const double decode = instructions({.operation = Operation::decode, .wire = ranks});
  EXPECT_GT(decode, encode);
  EXPECT_EQ(instructions({.operation = Operation::decode_reduce, .wire = ranks, .inputs = 5}),
            5 * decode);
  EXPECT_EQ(instructions({.operation = Operation::decode_reduce_encode,
                          .wire = ranks,
                          .wire_out = ranks,
                          .inputs = 5}),
            5 * decode + encode);
  // Half as many in chunks half as long: 234 bits.
  Format half = ranks;
  half.group /= 2;
  half.keep /= 2;
  EXPECT_DOUBLE_EQ(instructions({.wire = half}) / encode, 234.0 / 472);
  EXPECT_EQ(instructions({.wire = codebook2.format}), 0);
}

// Of codebook2 the codebook's moments, its codes, and what they lose.
TEST(EnumeratedWire, CountsThePassesOfItsKernels) {
  const auto read = [](Operation operation, const Format& wire) {
    return memory_traffic({.operation = operation, .wire = wire, .inputs = 5}).read;
  };
  const Format &ranks = sparseloco_enumerated.format, &all = codebook2.format;
  EXPECT_DOUBLE_EQ(read(Operation::encode_feedback, ranks), 8);
  EXPECT_DOUBLE_EQ(read(Operation::decode_reduce, ranks), 5 * encoded_bytes_per_element(ranks));
  EXPECT_DOUBLE_EQ(read(Operation::encode_feedback, all), 3 * 8);
  EXPECT_DOUBLE_EQ(read(Operation::decode_reduce, all), 5 * 0.25);
}

}  // namespace
}  // namespace codecs
