// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/group/families.hpp"
#include "codecs/group/kernels.hpp"

namespace codecs::cuda {
namespace {

template <typename Value>
void encode_groups(const Format& format, Tensor<const Value> values, const Encoding& to,
                   cudaStream_t stream) {
  switch (family_of(format)) {
    case Family::integers:
      return encode_integers_async(format, values, to, stream);
    case Family::shifted:
      return encode_shifted_async(format, values, to, stream);
    case Family::floats:
      return encode_floats_async(format, values, to, stream);
    case Family::plain:
      return encode_plain_async(format, values, to, stream);
  }
}

}  // namespace

Family family_of(const Format& format) {
  const bool integer = format.element == Element::int8 || format.element == Element::int4 ||
                       format.element == Element::int2;
  const bool table = format.element == Element::nf4 || format.element == Element::dynamic8;
  if (table || format.scale == Scale::norm) return Family::plain;
  if (!integer) return Family::floats;
  return format.scale == Scale::amax ? Family::integers : Family::shifted;
}

void encode_async(const Format& format, Tensor<const float> values, const Encoding& to,
                  cudaStream_t stream) {
  encode_groups(format, values, to, stream);
}

void encode_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                  cudaStream_t stream) {
  encode_groups(format, values, to, stream);
}

void decode_reduce_async(const Format& format, const Wires& wires, Tensor<float> sums,
                         cudaStream_t stream) {
  launch_decode(format, wires, TensorSink<float>{sums.values, sums.elements}, stream);
}

void decode_reduce_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                         cudaStream_t stream) {
  launch_decode(format, wires, TensorSink<Bf16>{sums.values, sums.elements}, stream);
}

void decode_add_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                      cudaStream_t stream) {
  launch_decode(format, {.bytes = wire}, AddSink<float>{sums.values, sums.elements}, stream);
}

std::size_t scratch_bytes(const Format& format, std::size_t) {
  return needs_tensor_amax(format) ? sizeof(std::uint32_t) : 0;
}

}  // namespace codecs::cuda
