// SPDX-License-Identifier: Apache-2.0
// The decodes of a registry's row: of one wire, added to a model, of the sum of several.
#include <algorithm>

#include "apps/calibrate/gpu/operations.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::Operation;
using codecs::cuda::CudaCodec;

struct DecodeCase {
  const CudaCodec& codec;
  const Workspace& w;
  int inputs = 1;

  [[nodiscard]] const codecs::Format& format() const { return codec.codec->format; }
  [[nodiscard]] std::size_t elements() const {
    return w.elements / static_cast<std::size_t>(inputs);
  }
  [[nodiscard]] Measured measured(Operation operation, int value_bytes) const {
    return {.row = {.codec = codec.codec,
                    .shape = {.operation = operation,
                              .wire = codec.codec->format,
                              .inputs = inputs,
                              .value_bytes = value_bytes},
                    .elements = elements()},
            .prepare = [one = *this](cudaStream_t stream) {
              encode_inputs(one.codec, one.w, one.inputs, one.elements(), stream);
            }};
  }
  [[nodiscard]] std::vector<float> expected(int input, const Piece& piece) const {
    return round_trip(*codec.codec, w.pattern.input(piece),
                      key_of(static_cast<std::uint32_t>(input), piece.first));
  }
  [[nodiscard]] bool holds(const std::vector<float>& values, const Piece& piece) const {
    return agree(format(), values, from_device<float>(w.output.at(0), piece));
  }
};

float* floats(const DecodeCase& one, std::size_t launch) {
  return reinterpret_cast<float*>(one.w.output.at(launch));
}

Measured decode(const DecodeCase& one) {
  Measured m = one.measured(Operation::decode, 4);
  m.launch = [one](std::size_t i, cudaStream_t stream) {
    one.codec.decode_async(one.format(), one.w.wires.at(i), {floats(one, i), one.elements()},
                           stream);
  };
  m.agrees = [one](const Piece& piece) { return one.holds(one.expected(0, piece), piece); };
  return m;
}

Measured decode_add(const DecodeCase& one) {
  Measured m = one.measured(Operation::decode_add, 2);
  m.in_place = true;
  m.prepare = [one](cudaStream_t stream) {
    one.w.reset_model();
    encode_inputs(one.codec, one.w, 1, one.elements(), stream);
  };
  m.launch = [one](std::size_t i, cudaStream_t stream) {
    one.codec.decode_add_async(one.format(), one.w.wires.at(i), {one.w.model.at(i), one.elements()},
                               stream);
  };
  m.agrees = [one](const Piece& piece) {
    const auto sums = added(one.w.pattern.model(piece), one.expected(0, piece));
    return agree(one.format(), as_floats(sums),
                 as_floats(from_device<Bf16>(one.w.model.at(0), piece)));
  };
  return m;
}

Measured decode_reduce(const DecodeCase& one) {
  Measured m = one.measured(Operation::decode_reduce, 4);
  m.launch = [one](std::size_t i, cudaStream_t stream) {
    one.codec.decode_reduce_async(one.format(), {one.w.wires.at(i), one.inputs},
                                  {floats(one, i), one.elements()}, stream);
  };
  m.agrees = [one](const Piece& piece) {
    std::vector<float> sums(piece.count);
    for (int input = 0; input < one.inputs; ++input) {
      const std::vector<float> values = one.expected(input, piece);
      std::ranges::transform(sums, values, sums.begin(), std::plus<>());
    }
    return one.holds(sums, piece);
  };
  return m;
}

}  // namespace

void add_decodes(const CudaCodec& codec, const Workspace& workspace, std::vector<Measured>& all) {
  all.push_back(decode({codec, workspace}));
  if (codec.decode_add_async != nullptr) all.push_back(decode_add({codec, workspace}));
  if (codec.decode_reduce_async == nullptr) return;
  for (const int inputs : kInputs) all.push_back(decode_reduce({codec, workspace, inputs}));
}

}  // namespace calibrate
