// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/group/steps.hpp"
#include "codecs/two_level/two_level.hpp"

namespace codecs {
namespace {

using Wires = std::vector<std::byte>;

std::size_t divide_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

RandomKey of_rank(RandomKey key, std::size_t rank) {
  key.rank = static_cast<std::uint32_t>(rank);
  return key;
}

// The bits of the second hop must not repeat those of the first.
RandomKey second_hop(RandomKey key, std::size_t rank, std::size_t first_element) {
  key.tensor ^= 0x80000000u;
  key.first_element = first_element;
  return of_rank(key, rank);
}

// What each rank sends in the first hop.
std::vector<Wires> first_hop(const TwoLevel& shape, std::span<const std::vector<float>> gradients,
                             const RandomKey& key) {
  const std::size_t bytes =
      shape.slices * shape.gpus_per_node * encoded_bytes(shape.intra, shape.intra_wire_elements());
  std::vector<Wires> sent(shape.ranks(), Wires(bytes));
  for (std::size_t rank = 0; rank < shape.ranks(); ++rank) {
    encode_swizzled(shape, gradients[rank], of_rank(key, rank), sent[rank]);
  }
  return sent;
}

// Wires that GPU `gpu` of `node` receives in the first hop, in the order of its peers.
Wires received_in_node(const TwoLevel& shape, const std::vector<Wires>& sent, std::size_t node,
                       std::size_t place) {
  const std::size_t bytes = encoded_bytes(shape.intra, shape.intra_wire_elements());
  Wires received;
  for (std::size_t peer = 0; peer < shape.gpus_per_node; ++peer) {
    const std::span wires = std::span(sent[node * shape.gpus_per_node + peer]);
    std::ranges::copy(wires.subspan(place * bytes, bytes), std::back_inserter(received));
  }
  return received;
}

// Slice y of the partitions of GPU `gpu` of every node: both hops.
void reduce_slice(const TwoLevel& shape, const std::vector<Wires>& sent, std::size_t y,
                  std::size_t gpu, const RandomKey& key, std::span<float> mean) {
  const std::size_t bytes = encoded_bytes(shape.inter, shape.slice_elements);
  const Requantise requantise{.wire = shape.intra,
                              .wire_out = shape.inter,
                              .inputs = shape.gpus_per_node,
                              .elements = shape.intra_wire_elements(),
                              .wires_out = shape.nodes};
  std::vector<Wires> received(shape.nodes);  // in the second hop, by destination node
  for (std::size_t node = 0; node < shape.nodes; ++node) {
    Wires wires(shape.nodes * bytes);
    const RandomKey bits =
        second_hop(key, node * shape.gpus_per_node + gpu, y * shape.intra_wire_elements());
    decode_reduce_encode(requantise,
                         received_in_node(shape, sent, node, y * shape.gpus_per_node + gpu), bits,
                         wires);
    for (std::size_t to = 0; to < shape.nodes; ++to) {
      std::ranges::copy(std::span(wires).subspan(to * bytes, bytes),
                        std::back_inserter(received[to]));
    }
  }
  for (std::size_t node = 0; node < shape.nodes; ++node) {
    const std::size_t partition = node * shape.gpus_per_node + gpu;
    const std::size_t first = partition * shape.shard_elements() + y * shape.slice_elements;
    decode_reduce(shape.inter, received[node], shape.nodes,
                  mean.subspan(first, shape.slice_elements));
  }
}

std::uint32_t magnitude_of_sums(const Requantise& shape, std::size_t groups,
                                std::span<const std::byte> wires) {
  std::uint32_t largest = 0;
  for (std::size_t index = 0; index < groups; ++index) {
    largest = std::max(
        largest, largest_magnitude_bits(sum_groups(shape.wire, shape.elements, index, wires)));
  }
  return largest;
}

}  // namespace

TwoLevel two_level(TwoLevel shape, std::size_t elements) {
  require(shape.intra.group == shape.inter.group && shape.intra.rotation == shape.inter.rotation,
          "both hops have the same group and the same transform");
  const std::size_t groups = divide_up(elements, shape.intra.group);
  shape.slice_elements = divide_up(groups, shape.ranks() * shape.slices) * shape.intra.group;
  return shape;
}

WirePlace swizzled(const TwoLevel& shape, std::size_t source) {
  const std::size_t groups = shape.slice_elements / shape.intra.group;
  const std::size_t partition = source / (groups * shape.slices);
  const std::size_t slice = source / groups % shape.slices;
  const std::size_t gpu = partition % shape.gpus_per_node;
  const std::size_t node = partition / shape.gpus_per_node;
  return {.wire = slice * shape.gpus_per_node + gpu, .group = node * groups + source % groups};
}

void encode_swizzled(const TwoLevel& shape, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wires) {
  const std::size_t elements = shape.intra_wire_elements();
  const std::size_t bytes = encoded_bytes(shape.intra, elements);
  require(values.size() <= shape.padded_elements() &&
              wires.size() == shape.slices * shape.gpus_per_node * bytes,
          "the wires hold the padded gradient");
  std::vector<float> padded(values.begin(), values.end());
  padded.resize(shape.padded_elements());
  std::ranges::fill(wires, std::byte{0});
  const Quantiser quantiser{
      .format = shape.intra, .key = key, .factor = 1.0f / static_cast<float>(shape.ranks())};
  for (std::size_t source = 0; source * shape.intra.group < padded.size(); ++source) {
    const WirePlace place = swizzled(shape, source);
    const GroupCodes group =
        quantise(quantiser, group_values(shape.intra, padded, source), source * shape.intra.group);
    store_group(shape.intra, elements, place.group, group,
                wires.subspan(place.wire * bytes, bytes));
  }
}

void decode_reduce_encode(const Requantise& shape, std::span<const std::byte> wires,
                          const RandomKey& key, std::span<std::byte> wires_out) {
  require(
      shape.wire.group == shape.wire_out.group && shape.wire.rotation == shape.wire_out.rotation,
      "both wires have the same group and the same transform");
  require(wires.size() == shape.inputs * encoded_bytes(shape.wire, shape.elements),
          "as many wires as inputs");
  const std::size_t part = shape.elements / shape.wires_out;
  const std::size_t bytes = encoded_bytes(shape.wire_out, part);
  require(shape.wires_out == 1 ||
              (part * shape.wires_out == shape.elements && part % shape.wire.group == 0),
          "each output wire holds whole groups");
  require(wires_out.size() == shape.wires_out * bytes, "as many bytes as the output wires have");
  std::ranges::fill(wires_out, std::byte{0});
  const std::size_t groups = group_wire(shape.wire_out, part).groups;
  Quantiser quantiser{.format = shape.wire_out, .key = key};
  if (shape.wire_out.scale == Scale::e4m3_tensor) {
    quantiser.tensor_magnitude = magnitude_of_sums(shape, groups * shape.wires_out, wires);
  }
  for (std::size_t index = 0; index < groups * shape.wires_out; ++index) {
    const Eigen::ArrayXf sum = sum_groups(shape.wire, shape.elements, index, wires);
    const GroupCodes group = quantise(quantiser, sum, index == 0 ? 0 : index * shape.wire.group);
    store_group(shape.wire_out, part, index % groups, group,
                wires_out.subspan(index / groups * bytes, bytes));
  }
}

std::vector<float> reduce_two_level(const TwoLevel& shape,
                                    std::span<const std::vector<float>> gradients,
                                    const RandomKey& key) {
  require(gradients.size() == shape.ranks(), "one gradient a rank");
  const std::vector<Wires> sent = first_hop(shape, gradients, key);
  std::vector<float> mean(shape.padded_elements());
  for (std::size_t y = 0; y < shape.slices; ++y) {
    for (std::size_t gpu = 0; gpu < shape.gpus_per_node; ++gpu) {
      reduce_slice(shape, sent, y, gpu, key, mean);
    }
  }
  mean.resize(gradients.front().size());
  return mean;
}

}  // namespace codecs
