// SPDX-License-Identifier: Apache-2.0
// Every codec on a processor: by its kernels, or where it has none by its reference, in one thread.
#pragma once

#include <span>

#include "codecs/cpu/cpu.hpp"

namespace codecs::cpu {

// In the registry's order: a row of all_cpu_codecs(), or the codec alone.
[[nodiscard]] std::span<const CpuCodec> all_codecs_or_references();

// What the row's functions do. Without a kernel, decode_add decodes into memory of its own.
void encode(const CpuCodec& row, std::span<const float> values, const RandomKey& key,
            std::span<std::byte> wire, const Run& run);
void encode_feedback(const CpuCodec& row, const Feedback& feedback, std::span<const float> values,
                     const RandomKey& key, std::span<float> residual, std::span<std::byte> wire,
                     const Run& run);
void decode(const CpuCodec& row, std::span<const std::byte> wire, std::span<float> values,
            const Run& run);
void decode_add(const CpuCodec& row, std::span<const std::byte> wire, std::span<float> values,
                const Run& run);

}  // namespace codecs::cpu
