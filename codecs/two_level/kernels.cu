#include "codecs/cuda/launch.cuh"
#include "codecs/two_level/kernels.hpp"

namespace codecs::cuda {

void encode_swizzled_async(const TwoLevel& shape, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream) {
  require(values.elements <= shape.padded_elements(), "the wires hold the padded gradient");
  require(shape.padded_elements() / shape.intra.group < 0xFFFFFFFFu,
          "groups are counted in 32 bits");
  const EncodeShape encode{.elements = shape.padded_elements(),
                           .wire = wire_shape(shape.intra, shape.intra_wire_elements()),
                           .factor = 1.0f / static_cast<float>(shape.ranks()),
                           .draw = draw_of(to.key)};
  const ByDestination place{
      .slice_groups = static_cast<std::uint32_t>(shape.slice_elements / shape.intra.group),
      .slices = static_cast<std::uint32_t>(shape.slices),
      .gpus_per_node = static_cast<std::uint32_t>(shape.gpus_per_node)};
  with_format(shape.intra, [&]<typename Static>(Static) {
    launch_encode<Static>(TensorSource<float>{values.values, values.elements}, encode, place, to,
                          stream);
  });
}

void decode_reduce_encode_async(const Requantise& shape, const std::byte* wires, const Encoding& to,
                                cudaStream_t stream) {
  require(
      shape.wire.group == shape.wire_out.group && shape.wire.rotation == shape.wire_out.rotation,
      "both wires have the same group and the same transform");
  const std::size_t part = shape.elements / shape.wires_out;
  require(shape.wires_out == 1 ||
              (part * shape.wires_out == shape.elements && part % shape.wire.group == 0),
          "each output wire holds whole groups");
  const EncodeShape encode{.elements = shape.elements,
                           .wire = wire_shape(shape.wire_out, part),
                           .draw = draw_of(to.key)};
  const InOrder place = shape.wires_out == 1 ? InOrder{} : InOrder{.groups = encode.wire.groups};
  const Wires inputs{.bytes = wires, .inputs = static_cast<int>(shape.inputs)};
  with_format(shape.wire, [&]<typename In>(In) {
    with_format(shape.wire_out, [&]<typename Out>(Out) {
      if constexpr (In::kGroup == Out::kGroup && In::kHadamard == Out::kHadamard) {
        using Sum = StaticFormat<Out::kBits, Out::kGroup, Out::kStochastic, false>;
        launch_encode<Sum>(sum_source<In>(shape.wire, inputs, shape.elements), encode, place, to,
                           stream);
      }
    });
  });
}

}  // namespace codecs::cuda
