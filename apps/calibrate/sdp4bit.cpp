#include "apps/calibrate/sdp4bit.hpp"

#include <array>

#include "codecs/difference/difference.hpp"
#include "codecs/difference/kernels.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/hadamard/kernels.hpp"
#include "codecs/two_level/kernels.hpp"
#include "codecs/two_level/two_level.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::Codec;
using codecs::Format;
using codecs::Operation;
using codecs::cuda::Tensor;
using Bytes = std::vector<std::byte>;

Bytes input_pieces(const Format& format, const Workspace& w, int inputs, const Piece& piece) {
  const std::size_t bytes = codecs::encoded_bytes(format, piece.elements);
  Bytes all;
  for (int input = 0; input < inputs; ++input) {
    const Bytes part =
        wire_piece(format, w.wires() + static_cast<std::size_t>(input) * bytes, piece);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Measured encode_difference(const Codec& codec, const Workspace& w, std::size_t elements) {
  const Format& format = codec.format;
  Measured m{.codec = &codec, .operation = "encode_difference", .elements = elements};
  m.shape = {.operation = Operation::encode_difference, .wire = format};
  m.prepare = [](cudaStream_t) {};
  m.launch = [&, elements](cudaStream_t stream) {
    codecs::cuda::encode_difference_async(format, Tensor<const float>{w.input(), elements},
                                          w.model(), {.wires = w.output(), .key = kKey}, stream);
  };
  m.agrees = [&](const Piece& piece) {
    Bytes expected(codecs::encoded_bytes(format, piece.count));
    codecs::encode_difference(format, w.input_piece(piece.first, piece.count),
                              w.model_piece(piece.first, piece.count), key_at(piece.first),
                              expected);
    return wire_piece(format, w.output(), piece) == expected;
  };
  return m;
}

Measured decode_add(const Codec& codec, const Workspace& w, std::size_t elements) {
  const Format& format = codec.format;
  auto* const model = reinterpret_cast<Bf16*>(w.output());
  Measured m{.codec = &codec, .operation = "decode_add", .elements = elements, .in_place = true};
  m.shape = {.operation = Operation::decode_add, .wire = format, .value_bytes = 2};
  m.prepare = [&, model, elements](cudaStream_t stream) {
    codecs::cuda::check(cudaMemcpyAsync(model, w.model(), elements * sizeof(Bf16),
                                        cudaMemcpyDeviceToDevice, stream));
    codecs::cuda::encode_difference_async(format, Tensor<const float>{w.input(), elements},
                                          w.model(), {.wires = w.wires(), .key = kKey}, stream);
  };
  m.launch = [&, model, elements](cudaStream_t stream) {
    codecs::cuda::decode_add_async(format, w.wires(), {model, elements}, stream);
  };
  m.agrees = [&, model](const Piece& piece) {
    std::vector<Bf16> expected = w.model_piece(piece.first, piece.count);
    codecs::decode_add(format, wire_piece(format, w.wires(), piece), expected);
    return from_device<Bf16>(model, piece.first, piece.count) == expected;
  };
  return m;
}

Measured decode_reduce(const Codec& codec, int inputs, const Workspace& w, std::size_t elements) {
  const Format& format = codec.format;
  Measured m{.codec = &codec, .operation = "decode_reduce", .elements = elements};
  m.shape = {.operation = Operation::decode_reduce, .wire = format, .inputs = inputs};
  m.prepare = [&, inputs, elements](cudaStream_t stream) {
    encode_inputs(cuda_codec(codec), w, inputs, elements, stream);
  };
  m.launch = [&, inputs, elements](cudaStream_t stream) {
    codecs::cuda::decode_reduce_async(format, {w.wires(), inputs},
                                      Tensor<float>{reinterpret_cast<float*>(w.output()), elements},
                                      stream);
  };
  m.agrees = [&, inputs](const Piece& piece) {
    std::vector<float> expected(piece.count);
    codecs::decode_reduce(format, input_pieces(format, w, inputs, piece),
                          static_cast<std::size_t>(inputs), expected);
    return from_device<float>(w.output(), piece.first, piece.count) == expected;
  };
  return m;
}

Measured decode_reduce_encode(const Codec& from, const Codec& to, int inputs, const Workspace& w,
                              std::size_t elements) {
  const codecs::Requantise shape{.wire = from.format,
                                 .wire_out = to.format,
                                 .inputs = static_cast<std::size_t>(inputs),
                                 .elements = elements};
  Measured m{.codec = &from, .to = &to, .operation = "decode_reduce_encode", .elements = elements};
  m.shape = {.operation = Operation::decode_reduce_encode,
             .wire = from.format,
             .wire_out = to.format,
             .inputs = inputs};
  m.prepare = [&, inputs, elements](cudaStream_t stream) {
    encode_inputs(cuda_codec(from), w, inputs, elements, stream);
  };
  m.launch = [&, shape](cudaStream_t stream) {
    codecs::cuda::decode_reduce_encode_async(shape, w.wires(), {.wires = w.output(), .key = kKey},
                                             stream);
  };
  m.agrees = [&, shape, inputs](const Piece& piece) {
    codecs::Requantise part = shape;
    part.elements = piece.count;
    Bytes expected(codecs::encoded_bytes(shape.wire_out, piece.count));
    codecs::decode_reduce_encode(part, input_pieces(shape.wire, w, inputs, piece),
                                 key_at(piece.first), expected);
    return wire_piece(shape.wire_out, w.output(), piece) == expected;
  };
  return m;
}

// The first hop of 8 GPUs a node and 4 nodes. Its wires are checked where the order is that of the
// source: the first slice of the first wire.
Measured encode_swizzled(const Codec& intra, const Codec& inter, const Workspace& w,
                         std::size_t elements) {
  const codecs::TwoLevel shape = codecs::two_level(
      {.gpus_per_node = 8, .nodes = 4, .intra = intra.format, .inter = inter.format}, elements);
  Measured m{.codec = &intra, .operation = "encode", .variant = "swizzled", .elements = elements};
  m.shape = {.operation = Operation::encode, .wire = intra.format};
  m.prepare = [](cudaStream_t) {};
  m.launch = [&, shape, elements](cudaStream_t stream) {
    codecs::cuda::encode_swizzled_async(shape, {w.input(), elements},
                                        {.wires = w.output(), .key = kKey}, stream);
  };
  m.agrees = [&, shape](const Piece& piece) {
    const std::size_t count = std::min(shape.slice_elements, piece.count);
    const Piece start{shape.intra_wire_elements(), 0, count};
    Bytes expected(codecs::encoded_bytes(intra.format, count));
    std::vector<float> values = w.input_piece(0, count);
    // Dividing by 32 ranks, a power of two, in the scales or in the values is the same.
    for (float& value : values) value /= static_cast<float>(shape.ranks());
    codecs::encode_groups(intra.format, values, kKey, expected);
    return wire_piece(intra.format, w.output(), start) == expected;
  };
  return m;
}

// The transform alone: what an unfused encode does in addition.
Measured transform(const Codec& codec, const Workspace& w, std::size_t elements) {
  auto* const values = reinterpret_cast<float*>(w.output());
  Measured m{.codec = &codec,
             .operation = "encode",
             .variant = "hadamard_alone",
             .elements = elements,
             .in_place = true};
  m.shape = {.operation = Operation::encode, .wire = {.element = codecs::Element::fp32}};
  m.prepare = [&, values, elements](cudaStream_t stream) {
    codecs::cuda::check(cudaMemcpyAsync(values, w.input(), elements * sizeof(float),
                                        cudaMemcpyDeviceToDevice, stream));
  };
  m.launch = [values, elements](cudaStream_t stream) {
    codecs::cuda::hadamard_async({values, elements}, stream);
  };
  m.agrees = [&, values](const Piece& piece) {
    std::vector<float> expected = w.input_piece(piece.first, piece.count);
    codecs::hadamard(expected);
    return from_device<float>(values, piece.first, piece.count) == expected;
  };
  return m;
}

}  // namespace

void add_weight_operations(const Workspace& w, std::size_t elements, std::vector<Measured>& all) {
  for (const Codec* codec : {&codecs::int4_g2048_sr, &codecs::int4_g128_sr}) {
    all.push_back(encode_difference(*codec, w, elements));
    all.push_back(decode_add(*codec, w, elements));
  }
}

void add_gradient_operations(const Workspace& w, std::size_t elements, std::vector<Measured>& all) {
  using codecs::int4_g128_hadamard_sr, codecs::int4_g128_sr;
  using codecs::int8_g128_hadamard_sr, codecs::int8_g128_sr;
  for (const int inputs : {2, 4, 8, 16}) {
    const std::size_t part = elements / static_cast<std::size_t>(inputs);
    for (const Codec* codec : {&int4_g128_hadamard_sr, &int4_g128_sr, &int8_g128_hadamard_sr}) {
      all.push_back(decode_reduce(*codec, inputs, w, part));
    }
    if (inputs == 2 || inputs == 16) continue;  // nodes have 4 or 8 GPUs
    all.push_back(
        decode_reduce_encode(int8_g128_hadamard_sr, int4_g128_hadamard_sr, inputs, w, part));
    all.push_back(decode_reduce_encode(int8_g128_sr, int4_g128_sr, inputs, w, part));
    all.push_back(decode_reduce_encode(int4_g128_sr, int4_g128_sr, inputs, w, part));
  }
  all.push_back(encode_swizzled(int8_g128_hadamard_sr, int4_g128_hadamard_sr, w, elements));
  all.push_back(encode_swizzled(int8_g128_sr, int4_g128_sr, w, elements));
  all.push_back(transform(int8_g128_hadamard_sr, w, elements));
}

}  // namespace calibrate
