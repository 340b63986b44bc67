// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/operations.hpp"

#include <algorithm>
#include <stdexcept>

namespace calibrate {

using codecs::cuda::CudaCodec;

const CudaCodec& cuda_codec(std::string_view name) {
  for (const CudaCodec& row : codecs::cuda::all_cuda_codecs()) {
    if (row.codec->name == name) return row;
  }
  throw std::out_of_range("no CUDA kernels: " + std::string(name));
}

Scratch scratch_for(const CudaCodec& codec, std::size_t elements) {
  const std::size_t bytes =
      codec.scratch_bytes == nullptr ? 0 : codec.scratch_bytes(codec.codec->format, elements);
  return std::make_shared<codecs::cuda::DeviceBuffer<std::byte>>(bytes);
}

void encode_inputs(const CudaCodec& codec, const Workspace& w, int inputs, std::size_t elements,
                   cudaStream_t stream) {
  const codecs::Format& format = codec.codec->format;
  const std::size_t bytes = codecs::encoded_bytes(format, elements);
  const Scratch scratch = scratch_for(codec, elements);
  for (int input = 0; input < inputs; ++input) {
    std::byte* const wire = w.wires.at(0) + static_cast<std::size_t>(input) * bytes;
    codec.encode_async(format, {w.input.at(0), elements},
                       {.wires = wire,
                        .key = key_of(static_cast<std::uint32_t>(input), 0),
                        .scratch = scratch->get()},
                       stream);
  }
  w.wires.repeat_first(static_cast<std::size_t>(inputs) * bytes, stream);
  // The scratch is freed at the end of this scope.
  codecs::cuda::check(cudaStreamSynchronize(stream));
}

std::vector<float> decoded_piece(const CudaCodec& codec, const Workspace& w, const std::byte* wire,
                                 std::size_t elements, const Piece& piece) {
  codec.decode_async(codec.codec->format, wire, {w.decoded.get(), elements}, nullptr);
  return from_device<float>(w.decoded.get(), piece);
}

std::vector<Measured> all_operations(const Workspace& workspace) {
  std::vector<Measured> all;
  for (const CudaCodec& codec : codecs::cuda::all_cuda_codecs()) {
    add_encodes(codec, workspace, all);
    add_decodes(codec, workspace, all);
  }
  add_two_level(workspace, all);
  return all;
}

std::size_t wire_bytes(std::size_t elements) {
  std::size_t most = 0;
  for (const CudaCodec& row : codecs::cuda::all_cuda_codecs()) {
    most = std::max(most, codecs::encoded_bytes(row.codec->format, elements));
    for (const int inputs : kInputs) {
      const auto parts = static_cast<std::size_t>(inputs);
      most = std::max(most, parts * codecs::encoded_bytes(row.codec->format, elements / parts));
    }
  }
  // The swizzled encode pads its slices.
  return most + (std::size_t{1} << 20);
}

}  // namespace calibrate
