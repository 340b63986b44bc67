// SPDX-License-Identifier: Apache-2.0
// The C interface of codecs/cuda: names to rows, pointers to tensors, exceptions to statuses.
#include "codecs/c/gardenhose_codecs_cuda.h"

#include <cstdint>
#include <limits>

#include "codecs/c/arguments.hpp"
#include "codecs/cuda/decode_add.hpp"
#include "codecs/cuda/feedback.hpp"
#include "codecs/group/group.hpp"
#include "codecs/magnitude.hpp"
#include "codecs/two_level/kernels.hpp"

namespace {

using codecs::key_of;
using codecs::require;
using codecs::cuda::all_cuda_codecs;
using codecs::cuda::CudaCodec;
using codecs::cuda::Encoding;
using codecs::cuda::Tensor;

constexpr std::size_t kAlignment = 16;

// A pointer to so many bytes of device memory.
template <typename T, typename Void>
T* at(Void* memory, std::size_t bytes) {
  require(memory != nullptr || bytes == 0, "a pointer is null");
  require(reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0, "a pointer is not aligned");
  return static_cast<T*>(memory);
}

template <typename Value>
Tensor<Value> tensor_of(Value* values, std::size_t elements) {
  codecs::require_in_memory(elements);
  return {at<Value>(values, elements * sizeof(Value)), elements};
}

struct Wire {
  const void* memory;
  std::size_t bytes;
};

// `count` wires laid end to end, each of so many elements.
const std::byte* wires_at(const Wire& wires, const codecs::Format& format, std::size_t count,
                          std::size_t elements) {
  codecs::require_in_memory(elements);
  require(count > 0 && count <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "at least one wire, and fewer than 2^31");
  const std::size_t bytes = codecs::encoded_bytes(format, elements);
  require(wires.bytes / count == bytes && wires.bytes % count == 0, "the length of a wire");
  return at<const std::byte>(wires.memory, wires.bytes);
}

std::byte* output_at(void* wires, std::size_t wire_bytes, const codecs::Format& format,
                     std::size_t count, std::size_t elements) {
  (void)wires_at({wires, wire_bytes}, format, count, elements);
  return static_cast<std::byte*>(wires);
}

std::size_t scratch_bytes_of(const CudaCodec& row, gardenhose_cuda_operation operation,
                             std::size_t elements) {
  codecs::require_in_memory(elements);
  if (elements == 0) return 0;
  switch (operation) {
    case GARDENHOSE_CUDA_ENCODE:
      return row.scratch_bytes == nullptr ? 0 : row.scratch_bytes(row.codec->format, elements);
    case GARDENHOSE_CUDA_ENCODE_FEEDBACK:
      return codecs::cuda::feedback_scratch_bytes(row, elements);
    case GARDENHOSE_CUDA_DECODE_ADD:
      return codecs::cuda::decode_add_scratch_bytes(row, elements);
    case GARDENHOSE_CUDA_DECODE_ADD_BF16:
      return codecs::cuda::decode_add_bf16_scratch_bytes(row, elements);
  }
  throw std::invalid_argument("no such operation");
}

template <typename T>
std::span<const std::byte> bytes_at(const T* memory, std::size_t count) {
  return std::as_bytes(std::span(memory, count));
}

// What the caller gave.
struct Scratch {
  void* memory;
  std::size_t bytes;
};

std::span<std::byte> scratch_at(const Scratch& scratch, std::size_t needed) {
  require(scratch.bytes >= needed, "too little scratch");
  return {at<std::byte>(scratch.memory, needed), needed};
}

template <typename Value>
void decode_add(const CudaCodec& row, const Wire& wire, const Tensor<Value>& sums,
                std::span<std::byte> scratch, cudaStream_t stream) {
  const std::byte* const input = wires_at(wire, row.codec->format, 1, sums.elements);
  codecs::require_apart(
      {bytes_at(input, wire.bytes), bytes_at(sums.values, sums.elements), scratch});
  codecs::cuda::decode_add_async(row, input, sums, scratch.data(), stream);
}

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

template <typename Work>
gardenhose_status with_codec(const char* name, const Work& work) {
  return codecs::with_row(all_cuda_codecs(), name, work);
}

bool is_of_groups(const CudaCodec& row) {
  return row.codec->decode == codecs::decode_groups && row.decode_reduce_async != nullptr;
}

}  // namespace

size_t gardenhose_cuda_codec_count() { return all_cuda_codecs().size(); }

const char* gardenhose_cuda_codec_name(size_t index) {
  return codecs::name_at(all_cuda_codecs(), index);
}

gardenhose_status gardenhose_cuda_encoded_bytes(const char* codec, size_t elements, size_t* bytes) {
  return with_codec(codec, [&](const CudaCodec& row) {
    require(bytes != nullptr, "a pointer is null");
    codecs::require_in_memory(elements);
    *bytes = codecs::encoded_bytes(row.codec->format, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_largest_magnitude(const char* codec, size_t elements,
                                                    float* largest) {
  return with_codec(codec, [&](const CudaCodec& row) {
    require(largest != nullptr, "a pointer is null");
    codecs::require_in_memory(elements);
    *largest = codecs::largest_magnitude(row.codec->format, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_scratch_bytes(const char* codec,
                                                gardenhose_cuda_operation operation,
                                                size_t elements, size_t* bytes) {
  return with_codec(codec, [&](const CudaCodec& row) {
    require(bytes != nullptr, "a pointer is null");
    *bytes = scratch_bytes_of(row, operation, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_encode(const char* codec, const float* values, size_t elements,
                                         const gardenhose_random_key* key, void* wire,
                                         size_t wire_bytes, void* scratch, size_t scratch_bytes,
                                         void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    const codecs::Format& format = row.codec->format;
    const Tensor<const float> input = tensor_of(values, elements);
    const std::size_t needed = scratch_bytes_of(row, GARDENHOSE_CUDA_ENCODE, elements);
    const auto space = scratch_at({scratch, scratch_bytes}, needed);
    const Encoding to{.wires = output_at(wire, wire_bytes, format, 1, elements),
                      .key = key_of(key),
                      .scratch = space.data()};
    codecs::require_apart({bytes_at(values, elements), bytes_at(to.wires, wire_bytes), space});
    if (elements > 0) row.encode_async(format, input, to, stream_of(stream));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_encode_feedback(const char* codec,
                                                  const gardenhose_feedback* feedback,
                                                  const float* values, size_t elements,
                                                  const gardenhose_random_key* key, float* residual,
                                                  void* wire, size_t wire_bytes, void* scratch,
                                                  size_t scratch_bytes, void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    const codecs::Feedback rule = codecs::rule_of(feedback);
    const Tensor<const float> input = tensor_of(values, elements);
    const Tensor<float> kept = tensor_of(residual, elements);
    const std::size_t needed = scratch_bytes_of(row, GARDENHOSE_CUDA_ENCODE_FEEDBACK, elements);
    const auto space = scratch_at({scratch, scratch_bytes}, needed);
    const Encoding to{.wires = output_at(wire, wire_bytes, row.codec->format, 1, elements),
                      .key = key_of(key),
                      .scratch = space.data()};
    codecs::require_apart({bytes_at(values, elements), bytes_at(residual, elements),
                           bytes_at(to.wires, wire_bytes), space});
    if (elements > 0) {
      codecs::cuda::encode_feedback_async(row, rule, input, kept.values, to, stream_of(stream));
    }
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_decode(const char* codec, const void* wire, size_t wire_bytes,
                                         float* values, size_t elements, void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    const codecs::Format& format = row.codec->format;
    const Tensor<float> output = tensor_of(values, elements);
    const std::byte* const input = wires_at({wire, wire_bytes}, format, 1, elements);
    codecs::require_apart({bytes_at(input, wire_bytes), bytes_at(values, elements)});
    if (elements > 0) row.decode_async(format, input, output, stream_of(stream));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_decode_add(const char* codec, const void* wire, size_t wire_bytes,
                                             float* values, size_t elements, void* scratch,
                                             size_t scratch_bytes, void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    const std::size_t needed = scratch_bytes_of(row, GARDENHOSE_CUDA_DECODE_ADD, elements);
    decode_add(row, {wire, wire_bytes}, tensor_of(values, elements),
               scratch_at({scratch, scratch_bytes}, needed), stream_of(stream));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_decode_add_bf16(const char* codec, const void* wire,
                                                  size_t wire_bytes, uint16_t* model,
                                                  size_t elements, void* scratch,
                                                  size_t scratch_bytes, void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    const std::size_t needed = scratch_bytes_of(row, GARDENHOSE_CUDA_DECODE_ADD_BF16, elements);
    decode_add(row, {wire, wire_bytes}, tensor_of(reinterpret_cast<codecs::Bf16*>(model), elements),
               scratch_at({scratch, scratch_bytes}, needed), stream_of(stream));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_decode_reduce(const char* codec, const void* wires,
                                                size_t wires_bytes, size_t inputs, float* sums,
                                                size_t elements, void* stream) {
  return with_codec(codec, [&](const CudaCodec& row) {
    if (row.decode_reduce_async == nullptr) return GARDENHOSE_UNSUPPORTED;
    const codecs::Format& format = row.codec->format;
    const Tensor<float> output = tensor_of(sums, elements);
    const codecs::cuda::Wires summed{
        .bytes = wires_at({wires, wires_bytes}, format, inputs, elements),
        .inputs = static_cast<int>(inputs)};
    codecs::require_apart({bytes_at(summed.bytes, wires_bytes), bytes_at(sums, elements)});
    if (elements > 0) row.decode_reduce_async(format, summed, output, stream_of(stream));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_cuda_decode_reduce_encode(
    const char* codec, const char* codec_out, const void* wires, size_t wires_bytes, size_t inputs,
    size_t elements, const gardenhose_random_key* key, void* wires_out, size_t wires_out_bytes,
    size_t outputs, void* scratch, size_t scratch_bytes, void* stream) {
  const CudaCodec* const out = codecs::row_named(all_cuda_codecs(), codec_out);
  if (out == nullptr) return GARDENHOSE_UNKNOWN_CODEC;
  return with_codec(codec, [&](const CudaCodec& row) {
    if (!is_of_groups(row) || !is_of_groups(*out)) return GARDENHOSE_UNSUPPORTED;
    require(outputs > 0 && elements % outputs == 0, "outputs of equal length");
    const codecs::Requantise shape{.wire = row.codec->format,
                                   .wire_out = out->codec->format,
                                   .inputs = inputs,
                                   .elements = elements,
                                   .wires_out = outputs};
    const std::byte* const input = wires_at({wires, wires_bytes}, shape.wire, inputs, elements);
    const std::size_t needed = scratch_bytes_of(*out, GARDENHOSE_CUDA_ENCODE, elements);
    require(outputs == 1 || needed == 0, "one output has the scale of a whole tensor");
    const auto space = scratch_at({scratch, scratch_bytes}, needed);
    const Encoding to{
        .wires = output_at(wires_out, wires_out_bytes, shape.wire_out, outputs, elements / outputs),
        .key = key_of(key),
        .scratch = space.data()};
    codecs::require_apart(
        {bytes_at(input, wires_bytes), bytes_at(to.wires, wires_out_bytes), space});
    codecs::cuda::decode_reduce_encode_async(shape, input, to, stream_of(stream));
    return GARDENHOSE_OK;
  });
}
