// Weights as differences (SDP4Bit, arXiv 2410.15526): after the optimizer's step a
// rank sends not its shard of the weights but what changed, which INT4 holds far better. Every rank
// adds the decoded difference to its model, the sender too, so replicas stay equal and what
// rounding lost comes back in the next difference: error feedback without a buffer.
//
// The wire is that of the group codec (codecs/group/group.hpp) of d = bf16(new) - old, where the
// subtraction is rounded to bfloat16 once. Decoding rounds twice: t = bf16(code * scale), then
// old = bf16(old + t).
#pragma once

#include <cstddef>
#include <span>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"

namespace codecs {

// Throws std::invalid_argument where the sizes disagree.
void encode_difference(const Format& format, std::span<const float> master,
                       std::span<const Bf16> model, const RandomKey& key,
                       std::span<std::byte> wire);
void decode_add(const Format& format, std::span<const std::byte> wire, std::span<Bf16> model);

}  // namespace codecs
