// SPDX-License-Identifier: Apache-2.0
// The encodes of a registry's row: of float32, of bfloat16, of differences, with error feedback.
#include "apps/calibrate/gpu/operations.hpp"
#include "codecs/feedback/feedback.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::Operation;
using codecs::cuda::CudaCodec;
using codecs::cuda::Encoding;

struct EncodeCase {
  const CudaCodec& codec;
  const Workspace& w;
  Scratch scratch;

  [[nodiscard]] const codecs::Format& format() const { return codec.codec->format; }
  [[nodiscard]] Encoding to(std::size_t launch) const {
    return {.wires = w.output.at(launch), .key = key_of(0, 0), .scratch = scratch->get()};
  }
  [[nodiscard]] Measured measured(Operation operation, int value_bytes) const {
    return {.row = {.codec = codec.codec,
                    .shape = {.operation = operation,
                              .wire = codec.codec->format,
                              .value_bytes = value_bytes},
                    .elements = w.elements},
            .prepare = [](cudaStream_t) {}};
  }
  // Whether launch 0 encoded `values`, which are those of the piece. Small tensors are whole: their
  // bytes are compared too.
  [[nodiscard]] bool encoded(const std::vector<float>& values, const Piece& piece) const {
    const std::vector<float> found = decoded_piece(codec, w, w.output.at(0), w.elements, piece);
    if (!agree(format(), round_trip(*codec.codec, values, key_of(0, piece.first)), found)) {
      return false;
    }
    if (piece.count < w.elements || format().rotation == codecs::Rotation::dct) return true;
    std::vector<std::byte> wire(codecs::encoded_bytes(format(), w.elements));
    codec.codec->encode(format(), values, key_of(0, 0), wire);
    return from_device<std::byte>(w.output.at(0), {0, wire.size()}) == wire;
  }
};

Measured encode(const EncodeCase& one) {
  Measured m = one.measured(Operation::encode, 4);
  m.launch = [one](std::size_t i, cudaStream_t stream) {
    one.codec.encode_async(one.format(), {one.w.input.at(i), one.w.elements}, one.to(i), stream);
  };
  m.agrees = [one](const Piece& piece) { return one.encoded(one.w.pattern.input(piece), piece); };
  return m;
}

Measured encode_bf16(const EncodeCase& one) {
  Measured m = one.measured(Operation::encode, 2);
  m.prepare = [one](cudaStream_t) { one.w.reset_model(); };
  m.launch = [one](std::size_t i, cudaStream_t stream) {
    one.codec.encode_bf16_async(one.format(), {one.w.model.at(i), one.w.elements}, one.to(i),
                                stream);
  };
  m.agrees = [one](const Piece& piece) {
    return one.encoded(as_floats(one.w.pattern.model(piece)), piece);
  };
  return m;
}

// The master weights lie where the wires of decodes lie otherwise.
Measured encode_difference(const EncodeCase& one) {
  Measured m = one.measured(Operation::encode_difference, 2);
  const auto master = [one](std::size_t i) {
    return reinterpret_cast<const Bf16*>(one.w.wires.at(i));
  };
  m.prepare = [one](cudaStream_t stream) {
    one.w.reset_model();
    cuda_codec("bf16").encode_async(codecs::bf16.format, {one.w.input.at(0), one.w.elements},
                                    {.wires = one.w.wires.at(0)}, stream);
    one.w.wires.repeat_first(one.w.elements * sizeof(Bf16), stream);
  };
  m.launch = [one, master](std::size_t i, cudaStream_t stream) {
    one.codec.encode_difference_async(one.format(), {master(i), one.w.elements}, one.w.model.at(i),
                                      one.to(i), stream);
  };
  m.agrees = [one](const Piece& piece) {
    std::vector<Bf16> rounded;
    for (const float value : one.w.pattern.input(piece)) rounded.push_back(codecs::to_bf16(value));
    return one.encoded(differences(rounded, one.w.pattern.model(piece)), piece);
  };
  return m;
}

// Of float32, or of bfloat16 where `narrow`.
Measured encode_feedback(const EncodeCase& one, bool narrow) {
  Measured m = one.measured(Operation::encode_feedback, narrow ? 2 : 4);
  m.in_place = true;
  m.prepare = [one](cudaStream_t) {
    one.w.reset_model();
    one.w.reset_residual();
  };
  m.launch = [one, narrow](std::size_t i, cudaStream_t stream) {
    float* const residual = one.w.residual.at(i);
    if (narrow) {
      one.codec.encode_feedback_bf16_async(one.format(), codecs::Feedback{},
                                           {one.w.model.at(i), one.w.elements}, residual, one.to(i),
                                           stream);
    } else {
      one.codec.encode_feedback_async(one.format(), codecs::Feedback{},
                                      {one.w.input.at(i), one.w.elements}, residual, one.to(i),
                                      stream);
    }
  };
  m.agrees = [one, narrow](const Piece& piece) {
    const std::vector<float> values =
        narrow ? as_floats(one.w.pattern.model(piece)) : one.w.pattern.input(piece);
    std::vector<float> residual = one.w.pattern.residual(piece), decoded(piece.count);
    std::vector<std::byte> wire(codecs::encoded_bytes(one.format(), piece.count));
    codecs::encode_with_feedback(*one.codec.codec, codecs::Feedback{}, values,
                                 key_of(0, piece.first), residual, wire);
    one.codec.codec->decode(one.format(), wire, decoded);
    return agree(one.format(), decoded,
                 decoded_piece(one.codec, one.w, one.w.output.at(0), one.w.elements, piece)) &&
           agree(one.format(), residual, from_device<float>(one.w.residual.at(0), piece));
  };
  return m;
}

}  // namespace

void add_encodes(const CudaCodec& codec, const Workspace& workspace, std::vector<Measured>& all) {
  const EncodeCase one{codec, workspace, scratch_for(codec, workspace.elements)};
  all.push_back(encode(one));
  if (codec.encode_bf16_async != nullptr) all.push_back(encode_bf16(one));
  if (codec.encode_difference_async != nullptr) all.push_back(encode_difference(one));
  if (codec.encode_feedback_async != nullptr) all.push_back(encode_feedback(one, false));
  if (codec.encode_feedback_bf16_async != nullptr) all.push_back(encode_feedback(one, true));
}

}  // namespace calibrate
