// SPDX-License-Identifier: Apache-2.0
// Weights as differences (SDP4Bit, arXiv 2410.15526): after the optimizer's step a rank sends the
// change of its shard instead of the weights, since INT4 represents changes far better. Every rank,
// the sender included, adds the decoded difference to its model, so replicas stay equal, and
// rounding errors return in the next difference: error feedback without a buffer.
//
// The wire is that of the group codec (codecs/group/group.hpp) for d = bf16(new) - old, with the
// difference rounded to bfloat16 once. Decoding rounds twice: t = bf16(code * scale), then old =
// bf16(old + t).
#pragma once

#include <cstddef>
#include <span>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"

namespace codecs {

// Throws std::invalid_argument if the sizes disagree.
void encode_difference(const Format& format, std::span<const float> master,
                       std::span<const Bf16> model, const RandomKey& key,
                       std::span<std::byte> wire);
void decode_add(const Format& format, std::span<const std::byte> wire, std::span<Bf16> model);

}  // namespace codecs
