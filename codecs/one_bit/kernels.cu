// SPDX-License-Identifier: Apache-2.0
#include "codecs/group/group.hpp"
#include "codecs/one_bit/kernels.hpp"
#include "codecs/sign/kernels.hpp"

namespace codecs::cuda {
namespace {

// The server's sum stands before the scratch of its encode.
std::size_t sum_bytes(const OneBit& shape) { return shape.shard_elements() * sizeof(float); }

}  // namespace

std::size_t one_bit_scratch_bytes(const OneBit& shape) {
  return sum_bytes(shape) + sign_scratch_bytes(shape.format(), shape.elements);
}

void encode_to_servers_async(const OneBit& shape, const float* values, float* residual,
                             const Encoding& to, cudaStream_t stream) {
  require_shards(shape);
  encode_sign_shards_async(shape.format(), shape.shard_elements(),
                           {values, shape.elements, residual}, to, stream);
}

void reduce_on_server_async(const OneBit& shape, const std::byte* wires, float* residual,
                            const Encoding& to, cudaStream_t stream) {
  require_shards(shape);
  if (shape.elements == 0) return;
  require(to.scratch != nullptr, "the server's sum needs scratch");
  auto* const sum = reinterpret_cast<float*>(to.scratch);
  decode_reduce_signs_async(shape.format(), {wires, static_cast<int>(shape.ranks)},
                            Tensor<float>{sum, shape.shard_elements()}, stream);
  Encoding encoding = to;
  encoding.scratch += sum_bytes(shape);
  const Feedback mean{.gain = 1.0f / static_cast<float>(shape.ranks)};
  encode_signs_feedback_async(shape.format(), mean,
                              Tensor<const float>{sum, shape.shard_elements()}, residual, encoding,
                              stream);
}

void decode_from_servers_async(const OneBit& shape, const std::byte* wires, float* mean,
                               cudaStream_t stream) {
  require_shards(shape);
  for (std::size_t shard = 0; shard < shape.ranks; ++shard) {
    decode_reduce_signs_async(
        shape.format(), {.bytes = wires + shard * shape.wire_bytes()},
        Tensor<float>{mean + shard * shape.shard_elements(), shape.shard_elements()}, stream);
  }
}

}  // namespace codecs::cuda
