// SPDX-License-Identifier: Apache-2.0
// The codecs on this machine's processor: vector code by Google Highway, in as many threads as the
// caller says. The bytes equal the references', whatever the instruction set and the threads.
//
// Any length works. Values and wires may have any address. Functions throw std::invalid_argument
// if the sizes of wire and values disagree, as the references do.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/cpu/target.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/two_level/two_level.hpp"

namespace codecs::cpu {

struct Run {
  int threads = 1;
  const Target* target = nullptr;  // null: the processor's best
};

// A codec, and what it can do here: a null operation has no kernel.
struct CpuCodec {
  const Codec* codec = nullptr;  // its reference, with equal bytes
  void (*encode)(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire, const Run& run) = nullptr;
  // encode_with_feedback() of codecs/feedback/feedback.hpp, in one pass over memory unless the
  // scale is the tensor's.
  void (*encode_feedback)(const Format& format, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& key,
                          std::span<float> residual, std::span<std::byte> wire,
                          const Run& run) = nullptr;
  void (*decode)(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                 const Run& run) = nullptr;
  // values += decoded. In one thread it allocates nothing.
  void (*decode_add)(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                     const Run& run) = nullptr;
  // The sum of `inputs` wires laid end to end: from 0, in order, as the reference's adds them. Its last
  // bits may differ from those of decode_add for each wire, which rounds what a wire decodes to first.
  void (*decode_reduce)(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums, const Run& run) = nullptr;
};

// In the order of the registry.
[[nodiscard]] std::span<const CpuCodec> all_cpu_codecs();

// Whether these functions have kernels for a format of codecs/group/group.hpp: INT8, INT4 and FP8
// with a float32 scale, as they are or after Hadamard's transform.
[[nodiscard]] bool has_group_kernels(const Format& format);
// decode_reduce_encode() of codecs/two_level/two_level.hpp, for two such formats in groups of at most
// 2048.
void decode_reduce_encode(const Requantise& shape, std::span<const std::byte> wires,
                          const RandomKey& key, std::span<std::byte> wires_out, const Run& run);

// For a format of codecs/top_k/top_k.hpp: all but 16-bit values.
[[nodiscard]] bool has_top_k_kernels(const Format& format);

// aggregate() of codecs/aggregate/aggregate.hpp, for formats of has_top_k_kernels().
void aggregate(const Format& format, const Aggregation& aggregation,
               std::span<const std::byte> wires, std::size_t peers, std::span<float> averages,
               const Run& run);

}  // namespace codecs::cpu
