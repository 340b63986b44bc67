// SPDX-License-Identifier: Apache-2.0
// The two-level reduction's own kernels: sum and encode again, for the pairs of formats that
// schemes use; the encode that orders by destination; the transform alone.
#include "codecs/two_level/two_level.hpp"

#include <algorithm>

#include "apps/calibrate/gpu/operations.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/hadamard/kernels.hpp"
#include "codecs/two_level/kernels.hpp"

namespace calibrate {
namespace {

using codecs::Operation;
using codecs::cuda::CudaCodec;

struct PairOfCodecs {
  const CudaCodec& inside;
  const CudaCodec& between;
};

Measured decode_reduce_encode(const PairOfCodecs& pair, const Workspace& w, int inputs) {
  const codecs::Requantise shape{.wire = pair.inside.codec->format,
                                 .wire_out = pair.between.codec->format,
                                 .inputs = static_cast<std::size_t>(inputs),
                                 .elements = w.elements / static_cast<std::size_t>(inputs)};
  Measured m{.row = {.codec = pair.inside.codec,
                     .to = pair.between.codec,
                     .shape = {.operation = Operation::decode_reduce_encode,
                               .wire = shape.wire,
                               .wire_out = shape.wire_out,
                               .inputs = inputs},
                     .elements = shape.elements}};
  m.prepare = [pair, &w, shape](cudaStream_t stream) {
    encode_inputs(pair.inside, w, static_cast<int>(shape.inputs), shape.elements, stream);
  };
  m.launch = [&w, shape](std::size_t i, cudaStream_t stream) {
    codecs::cuda::decode_reduce_encode_async(
        shape, w.wires.at(i), {.wires = w.output.at(i), .key = key_of(0, 0)}, stream);
  };
  m.agrees = [pair, &w, shape](const Piece& piece) {
    codecs::Requantise part = shape;
    part.elements = piece.count;
    const std::size_t bytes = codecs::encoded_bytes(shape.wire, piece.count);
    std::vector<std::byte> wires(shape.inputs * bytes);
    for (std::uint32_t input = 0; input < shape.inputs; ++input) {
      pair.inside.codec->encode(shape.wire, w.pattern.input(piece), key_of(input, piece.first),
                                std::span(wires).subspan(input * bytes, bytes));
    }
    std::vector<std::byte> sum(codecs::encoded_bytes(shape.wire_out, piece.count));
    std::vector<float> expected(piece.count);
    codecs::decode_reduce_encode(part, wires, key_of(0, piece.first), sum);
    pair.between.codec->decode(shape.wire_out, sum, expected);
    return agree(shape.wire_out, expected,
                 decoded_piece(pair.between, w, w.output.at(0), shape.elements, piece));
  };
  return m;
}

// The first hop of 8 GPUs a node and 4 nodes. The first slice of its first wire is in the order of
// the source.
Measured encode_swizzled(const PairOfCodecs& pair, const Workspace& w) {
  const codecs::TwoLevel shape = codecs::two_level({.gpus_per_node = 8,
                                                    .nodes = 4,
                                                    .intra = pair.inside.codec->format,
                                                    .inter = pair.between.codec->format},
                                                   w.elements);
  Measured m{.row = {.codec = pair.inside.codec,
                     .shape = {.operation = Operation::encode, .wire = shape.intra},
                     .elements = w.elements,
                     .variant = "swizzled"}};
  m.prepare = [](cudaStream_t) {};
  m.launch = [&w, shape](std::size_t i, cudaStream_t stream) {
    codecs::cuda::encode_swizzled_async(shape, {w.input.at(i), w.elements},
                                        {.wires = w.output.at(i), .key = key_of(0, 0)}, stream);
  };
  m.agrees = [pair, &w, shape](const Piece& piece) {
    const Piece start{0, std::min(shape.slice_elements, piece.count)};
    std::vector<float> values = w.pattern.input(start);
    // Dividing by 32 ranks, a power of two, in the scales or in the values is the same.
    for (float& value : values) value /= static_cast<float>(shape.ranks());
    return agree(shape.intra, round_trip(*pair.inside.codec, values, key_of(0, 0)),
                 decoded_piece(pair.inside, w, w.output.at(0), shape.intra_wire_elements(), start));
  };
  return m;
}

// What an unfused encode does in addition.
Measured transform(const Workspace& w) {
  Measured m{
      .row = {.codec = cuda_codec("int8_g128_hadamard_sr").codec,
              .shape = {.operation = Operation::encode, .wire = {.element = codecs::Element::fp32}},
              .elements = w.elements,
              .variant = "hadamard_alone"},
      .in_place = true};
  m.prepare = [&w](cudaStream_t) { w.reset_residual(); };
  m.launch = [&w](std::size_t i, cudaStream_t stream) {
    codecs::cuda::hadamard_async({w.residual.at(i), w.elements}, stream);
  };
  m.agrees = [&w](const Piece& piece) {
    std::vector<float> expected = w.pattern.residual(piece);
    codecs::hadamard(expected);
    return agree({}, expected, from_device<float>(w.residual.at(0), piece));
  };
  return m;
}

}  // namespace

void add_two_level(const Workspace& w, std::vector<Measured>& all) {
  const PairOfCodecs pairs[] = {
      {cuda_codec("int8_g128_hadamard_sr"), cuda_codec("int4_g128_hadamard_sr")},
      {cuda_codec("int8_g128_sr"), cuda_codec("int4_g128_sr")},
      {cuda_codec("int4_g128_sr"), cuda_codec("int4_g128_sr")}};
  for (const PairOfCodecs& pair : pairs) {
    for (const int inputs : kInputs) all.push_back(decode_reduce_encode(pair, w, inputs));
  }
  all.push_back(encode_swizzled(pairs[0], w));
  all.push_back(encode_swizzled(pairs[1], w));
  all.push_back(transform(w));
}

}  // namespace calibrate
