// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/two_level/kernels.hpp"

namespace codecs::cuda {
namespace {

// What is summed, and what the sum becomes: the same format again, or the two levels of SDP4Bit.
// The sum stays in the transformed domain.
template <typename InFormat, typename OutFormat>
struct Requantisation {
  using In = InFormat;
  using Out = OutFormat;
};

template <Element kElement, Coding kCoding, bool kStochastic = false, int kTiles = 1>
using Again = Requantisation<StaticFormat<kElement, kCoding>,
                             StaticFormat<kElement, kCoding, kStochastic, false, kTiles>>;

using Requantisations = Formats<
    Requantisation<StaticFormat<E::int8, C::symmetric>,
                   StaticFormat<E::int4, C::symmetric, kRandom>>,
    Requantisation<StaticFormat<E::int8, C::symmetric>, StaticFormat<E::int4, C::symmetric>>,
    Again<E::int8, C::symmetric>, Again<E::int8, C::symmetric, kRandom>,
    Again<E::int4, C::symmetric>, Again<E::int4, C::symmetric, kRandom>,
    Again<E::int4, C::symmetric, kNearest, 4>, Again<E::int4, C::symmetric, kRandom, 4>,
    Again<E::int4, C::symmetric, kNearest, 2>, Again<E::int4, C::symmetric, kRandom, 2>,
    Again<E::int8, C::symmetric, kNearest, 4>, Again<E::int8, C::symmetric, kRandom, 4>,
    Again<E::int8, C::full, kNearest, 4>, Again<E::int8, C::offset, kNearest, 2>,
    Again<E::int8, C::offset, kRandom, 2>, Again<E::int4, C::offset>, Again<E::nf4, C::symmetric>,
    Again<E::dynamic8, C::symmetric, kNearest, 8>, Again<E::int8, C::norm, kRandom>,
    Again<E::int4, C::norm, kRandom>, Again<E::e4m3, C::reciprocal>, Again<E::e5m2, C::reciprocal>,
    Again<E::int2, C::symmetric, kRandom>, Again<E::int8, C::full>, Again<E::int4, C::full>,
    Again<E::int4, C::full, kNearest, 4>, Again<E::int8, C::offset>,
    Again<E::int4, C::offset, kRandom>, Again<E::e4m3, C::symmetric>, Again<E::e5m2, C::symmetric>,
    Again<E::e4m3, C::e8m0>, Again<E::e5m2, C::e8m0>, Again<E::e2m1, C::e8m0>,
    Again<E::e2m1, C::e8m0, kRandom>, Again<E::e2m1, C::nested>,
    Again<E::e2m1, C::nested, kRandom>>;

// What the first hop sends.
using SwizzledFormats =
    Formats<StaticFormat<E::int8, C::symmetric>, StaticFormat<E::int8, C::symmetric, kRandom>,
            StaticFormat<E::int8, C::symmetric, kNearest, kRotated>,
            StaticFormat<E::int8, C::symmetric, kRandom, kRotated>,
            StaticFormat<E::int4, C::symmetric>, StaticFormat<E::int4, C::symmetric, kRandom>,
            StaticFormat<E::int4, C::symmetric, kNearest, kRotated>,
            StaticFormat<E::int4, C::symmetric, kRandom, kRotated>,
            StaticFormat<E::int4, C::symmetric, kRandom, false, 4>, StaticFormat<E::int8, C::full>,
            StaticFormat<E::int4, C::full>, StaticFormat<E::int4, C::full, kNearest, false, 4>,
            StaticFormat<E::int8, C::offset>, StaticFormat<E::int4, C::offset, kRandom>,
            StaticFormat<E::e4m3, C::symmetric>, StaticFormat<E::e5m2, C::symmetric>,
            StaticFormat<E::e4m3, C::e8m0>, StaticFormat<E::e5m2, C::e8m0>,
            StaticFormat<E::e2m1, C::e8m0>, StaticFormat<E::e2m1, C::e8m0, kRandom>>;

Format unrotated(Format format) {
  format.rotation = Rotation::none;
  return format;
}

// Calls launch(In, Out) for the pair; throws std::invalid_argument if no kernel has it.
template <typename... Pairs, typename Launch>
void with_pair(Formats<Pairs...>, const Format& in, const Format& out, Launch launch) {
  const auto matches = [&]<typename Pair>(Pair) {
    if (!decodes<typename Pair::In>(in) || !is_format<typename Pair::Out>(out)) return false;
    launch(typename Pair::In{}, typename Pair::Out{});
    return true;
  };
  require((matches(Pairs{}) || ...), "no CUDA kernel sums the one format and encodes the other");
}

void require_whole_vectors(const Format& format, std::size_t elements) {
  require(elements * static_cast<std::size_t>(bits_of(format.element)) / 8 % kWireAlignment == 0,
          "the codes of each of several wires fill vectors of 16 bytes");
}

}  // namespace

void encode_swizzled_async(const TwoLevel& shape, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream) {
  require(values.elements <= shape.padded_elements(), "the wires hold the padded gradient");
  require(shape.padded_elements() / shape.intra.group < 0xFFFFFFFFu,
          "groups are counted in 32 bits");
  require_whole_vectors(shape.intra, shape.intra_wire_elements());
  EncodeShape encode = encode_shape(shape.intra, shape.intra_wire_elements(), to);
  encode.elements = shape.padded_elements();
  encode.wires = shape.slices * shape.gpus_per_node;
  encode.rule.factor = 1.0f / static_cast<float>(shape.ranks());
  const ByDestination place{
      .slice_groups = divisor(static_cast<std::uint32_t>(shape.slice_elements / shape.intra.group)),
      .slices = divisor(static_cast<std::uint32_t>(shape.slices)),
      .gpus_per_node = divisor(static_cast<std::uint32_t>(shape.gpus_per_node))};
  const TensorSource<float> source{values.values, values.elements};
  require(!needs_tensor_amax(shape.intra), "the first hop's scales are of groups");
  with_format(SwizzledFormats{}, shape.intra, [&]<typename Static>(Static) {
    launch_encode<Static>(source, encode, place, to, stream);
  });
}

void decode_reduce_encode_async(const Requantise& shape, const std::byte* wires, const Encoding& to,
                                cudaStream_t stream) {
  require(
      shape.wire.group == shape.wire_out.group && shape.wire.rotation == shape.wire_out.rotation,
      "both wires have the same group and the same transform");
  if (shape.elements == 0) return;
  const std::size_t part = shape.elements / shape.wires_out;
  require(shape.wires_out == 1 ||
              (part * shape.wires_out == shape.elements && part % shape.wire.group == 0),
          "each output wire holds whole groups");
  if (shape.wires_out > 1) require_whole_vectors(shape.wire_out, part);
  EncodeShape encode = encode_shape(shape.wire_out, part, to);
  encode.elements = shape.elements;
  encode.wires = shape.wires_out;
  const Cut place = shape.wires_out == 1 ? Cut{} : Cut{.groups = divisor(encode.wire.groups)};
  const Wires inputs{.bytes = wires, .inputs = static_cast<int>(shape.inputs)};
  with_pair(Requantisations{}, unrotated(shape.wire), unrotated(shape.wire_out),
            [&]<typename In, typename Out>(In, Out) {
              const SumSource<In::kElement, In::kCoding> source{
                  .reader = wire_reader(shape.wire, inputs, shape.elements),
                  .elements = shape.elements};
              if (needs_tensor_amax(shape.wire_out)) launch_amax(source, to, stream);
              launch_encode<Out>(source, encode, place, to, stream);
            });
}

}  // namespace codecs::cuda
