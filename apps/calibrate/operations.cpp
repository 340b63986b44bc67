#include "apps/calibrate/operations.hpp"

#include <stdexcept>

#include "apps/calibrate/sdp4bit.hpp"
#include "codecs/cuda/registry.hpp"
#include "codecs/group/group.hpp"

namespace calibrate {
namespace {

using codecs::Format;
using codecs::Operation;
using codecs::cuda::CudaCodec;

Measured encode(const CudaCodec& row, const Workspace& w, std::size_t elements) {
  const Format& format = row.codec->format;
  Measured m{.codec = row.codec, .operation = "encode", .elements = elements};
  m.shape = {.operation = Operation::encode, .wire = format};
  m.prepare = [](cudaStream_t) {};
  m.launch = [&, elements](cudaStream_t stream) {
    row.encode_async(format, {w.input(), elements}, {.wires = w.output(), .key = kKey}, stream);
  };
  m.agrees = [&](const Piece& piece) {
    std::vector<std::byte> expected(codecs::encoded_bytes(format, piece.count));
    row.codec->encode(format, w.input_piece(piece.first, piece.count), key_at(piece.first),
                      expected);
    return wire_piece(format, w.output(), piece) == expected;
  };
  return m;
}

Measured decode(const CudaCodec& row, const Workspace& w, std::size_t elements) {
  const Format& format = row.codec->format;
  Measured m{.codec = row.codec, .operation = "decode", .elements = elements};
  m.shape = {.operation = Operation::decode, .wire = format};
  m.prepare = [&, elements](cudaStream_t stream) { encode_inputs(row, w, 1, elements, stream); };
  m.launch = [&, elements](cudaStream_t stream) {
    row.decode_async(format, w.wires(), {reinterpret_cast<float*>(w.output()), elements}, stream);
  };
  m.agrees = [&](const Piece& piece) {
    std::vector<float> expected(piece.count);
    row.codec->decode(format, wire_piece(format, w.wires(), piece), expected);
    return from_device<float>(w.output(), piece.first, piece.count) == expected;
  };
  return m;
}

}  // namespace

codecs::RandomKey key_at(std::size_t first) {
  codecs::RandomKey key = kKey;
  key.first_element = first;
  return key;
}

const CudaCodec& cuda_codec(const codecs::Codec& codec) {
  for (const CudaCodec& row : codecs::cuda::all_cuda_codecs()) {
    if (row.codec == &codec) return row;
  }
  throw std::out_of_range("no CUDA kernels: " + std::string(codec.name));
}

void encode_inputs(const CudaCodec& row, const Workspace& w, int inputs, std::size_t elements,
                   cudaStream_t stream) {
  const Format& format = row.codec->format;
  const std::size_t bytes = codecs::encoded_bytes(format, elements);
  for (int input = 0; input < inputs; ++input) {
    codecs::RandomKey key = kKey;
    key.rank = static_cast<std::uint32_t>(input);
    std::byte* const wire = w.wires() + static_cast<std::size_t>(input) * bytes;
    row.encode_async(format, {w.input(), elements}, {.wires = wire, .key = key}, stream);
  }
}

std::vector<Measured> all_operations(const Workspace& workspace, std::size_t elements) {
  std::vector<Measured> all;
  for (const CudaCodec& row : codecs::cuda::all_cuda_codecs()) {
    all.push_back(encode(row, workspace, elements));
    all.push_back(decode(row, workspace, elements));
  }
  add_weight_operations(workspace, elements, all);
  add_gradient_operations(workspace, elements, all);
  return all;
}

}  // namespace calibrate
