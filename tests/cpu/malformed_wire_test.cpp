// SPDX-License-Identifier: Apache-2.0
// Wires that no encoder wrote: kernels decode and sum them as their references do, and write nothing but
// the values, whatever the indices, scales and codes on the wire.
#include <gtest/gtest.h>

#include <random>

#include "codecs/aggregate/aggregate.hpp"
#include "tests/codecs/awkward.hpp"
#include "tests/cpu/runs.hpp"

namespace codecs::cpu {
namespace {

constexpr std::size_t kInputs = 2;

// Wires with as many bytes as two of so many elements: all bits set, and random ones.
std::vector<std::vector<std::byte>> malformed_wires(const Format& format, std::size_t elements) {
  const std::size_t bytes = kInputs * encoded_bytes(format, elements);
  std::vector<std::vector<std::byte>> all = {std::vector<std::byte>(bytes, std::byte{0xFF})};
  std::mt19937 generator(elements);
  for (int i = 0; i < 4; ++i) {
    std::vector<std::byte>& wires = all.emplace_back(bytes);
    for (std::byte& byte : wires) byte = static_cast<std::byte>(generator() & 0xFFu);
  }
  return all;
}

void expect_reference_values(const CpuCodec& row, std::span<const std::byte> wires,
                             std::size_t elements) {
  const Codec& codec = *row.codec;
  const auto wire = wires.first(wires.size() / kInputs);
  const std::vector<float> values = decoded(codec, wire, elements);
  std::vector<float> summed(elements);
  if (row.decode_reduce != nullptr) reference_sum(codec)(codec.format, wires, kInputs, summed);
  for_every_run([&](const Run& run) {
    Guarded<float> out(elements), sums(values);
    row.decode(codec.format, wire, out.span(), run);
    EXPECT_EQ(first_difference(out.values(), values), elements);
    row.decode_add(codec.format, wire, sums.span(), run);
    // An index may occur twice, so that sums round in another order.
    EXPECT_EQ(sums.values().size(), elements);
    if (row.decode_reduce == nullptr) return;
    row.decode_reduce(codec.format, wires, kInputs, sums.span(), run);
    EXPECT_EQ(first_difference(sums.values(), summed), elements);
  });
}

TEST(MalformedWires, DecodeLikeTheReferenceAndWriteNothingElse) {
  for (const CpuCodec& row : all_cpu_codecs()) {
    for (const std::size_t elements : {1u, 1000u, 4096u, 5000u}) {
      SCOPED_TRACE(std::string(row.codec->name) + " of " + std::to_string(elements));
      for (const auto& wires : malformed_wires(row.codec->format, elements)) {
        expect_reference_values(row, wires, elements);
      }
    }
  }
}

// Indices have a bit more than 250 elements need: those from 250 to 255 are the next chunk's places.
TEST(MalformedWires, StayInTheirChunk) {
  Codec codec = topk64_sign;
  codec.format.group = 250;
  codec.format.keep = 64;
  CpuCodec row = row_of(topk64_sign);
  row.codec = &codec;
  for (const auto& wires : malformed_wires(codec.format, 1100)) {
    expect_reference_values(row, wires, 1100);
  }
}

TEST(MalformedWires, AreAveragedLikeTheReferenceDoes) {
  for (const Codec* codec : {&sparseloco, &topk64_sign}) {
    for (const auto& wires : malformed_wires(codec->format, 5000)) {
      std::vector<float> expected(5000);
      codecs::aggregate(codec->format, {}, wires, kInputs, expected);
      for_every_run([&](const cpu::Run& run) {
        Guarded<float> averages(5000);
        cpu::aggregate(codec->format, {}, wires, kInputs, averages.span(), run);
        EXPECT_EQ(first_difference(averages.values(), expected), 5000u) << codec->name;
      });
    }
  }
}

}  // namespace
}  // namespace codecs::cpu
