// SPDX-License-Identifier: Apache-2.0
// A codec that nothing else knows, with a layout of its own. What wires, kernels and steps need of
// it is its row.
#include <gtest/gtest.h>

#include "sim/times/wire.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Eight values in 3 bytes, then their scale in one; an encode reads its values three times.
constexpr std::size_t kBlock = 8;
constexpr std::size_t kBlockBytes = 4;

std::size_t block_bytes(const codecs::Format&, std::size_t elements) {
  return (elements + kBlock - 1) / kBlock * kBlockBytes;
}
codecs::Traffic three_reads(const codecs::KernelShape& shape) {
  codecs::Traffic traffic = codecs::streamed_traffic(shape);
  if (shape.operation == codecs::Operation::encode) traffic.read *= 3;
  return traffic;
}
constexpr codecs::Layout kBlocks{
    .bytes = block_bytes,
    .bytes_per_element = [](const codecs::Format&) { return 1.0 * kBlockBytes / kBlock; },
    .traffic = three_reads};

const Wire kToy{{.group = kBlock, .layout = &kBlocks}};

TEST(ToyCodec, HasTheSizesOfItsLayout) {
  EXPECT_EQ(kToy.bytes(0), 0);
  EXPECT_EQ(kToy.bytes(17), 3 * kBlockBytes);
  EXPECT_EQ(kToy.bytes_per_element(), 0.5);
  EXPECT_NE(kToy, Wire{codecs::Format{.group = kBlock}});
}

TEST(ToyCodec, IsNeitherPlainNorSummableAndHasItsOwnGroupsAlone) {
  EXPECT_FALSE(kToy.is_plain());
  EXPECT_FALSE(kToy.is_summable());
  EXPECT_FALSE(codecs::has_groups(kToy.format));
}

TEST(ToyCodec, MovesTheBytesOfItsLayout) {
  const codecs::Traffic encode = codecs::memory_traffic({.wire = kToy.format});
  EXPECT_EQ(encode.read, 12);
  EXPECT_EQ(encode.written, 0.5);
  const codecs::Traffic reduce = codecs::memory_traffic(
      {.operation = codecs::Operation::decode_reduce, .wire = kToy.format, .inputs = 4});
  EXPECT_EQ(reduce.read, 2);
}

// Each GPU of a pair sends half of the gradients, 4 bits a value.
TEST(ToyCodec, TravelsInAStep) {
  Scheme scheme = scheme_named("sdp4bit");
  scheme.gradients.inside = scheme.gradients.between = kToy;
  const Cluster cluster = small_cluster(1, 2);
  const SentBytes sent =
      sent_bytes(plan(cluster, sample_model(), defined(scheme), scheme), Phase::gradient_comm);
  EXPECT_DOUBLE_EQ(mean(sent.intra_node), kSampleParameters / 2 * 0.5);
}

}  // namespace
}  // namespace sim
