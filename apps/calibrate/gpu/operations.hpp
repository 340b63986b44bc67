// SPDX-License-Identifier: Apache-2.0
// The kernels to measure: every operation in the CUDA registry, the pairs of the two-level
// reduction, and some variants.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apps/calibrate/gpu/workspace.hpp"
#include "apps/calibrate/table.hpp"
#include "codecs/cuda/registry.hpp"

namespace calibrate {

struct Measured {
  KernelRow row = {};
  bool in_place = false;  // only the first launch after prepare() is checked
  std::function<void(cudaStream_t)> prepare = {};  // fills what it reads
  // Receives the launch's running number; the first launch's output is checked.
  std::function<void(std::size_t, cudaStream_t)> launch = {};
  // Whether the piece of launch 0's output agrees with the reference.
  std::function<bool(const Piece&)> agrees = {};
};

// `elements` counts all inputs together. The workspace must outlive the result.
[[nodiscard]] std::vector<Measured> all_operations(const Workspace& workspace);
// Bytes of the largest wires that the operations read or write.
[[nodiscard]] std::size_t wire_bytes(std::size_t elements);

// The parts of all_operations().
void add_encodes(const codecs::cuda::CudaCodec& codec, const Workspace& workspace,
                 std::vector<Measured>& all);
void add_decodes(const codecs::cuda::CudaCodec& codec, const Workspace& workspace,
                 std::vector<Measured>& all);
void add_two_level(const Workspace& workspace, std::vector<Measured>& all);

inline constexpr int kInputs[] = {2, 4, 8, 16};  // wires of a reduction: GPUs of a node, nodes

// Throws std::out_of_range.
[[nodiscard]] const codecs::cuda::CudaCodec& cuda_codec(std::string_view name);

// A codec's scratch for encoding this many values; shared by the launches, which run one at a time.
using Scratch = std::shared_ptr<codecs::cuda::DeviceBuffer<std::byte>>;
[[nodiscard]] Scratch scratch_for(const codecs::cuda::CudaCodec& codec, std::size_t elements);

// The workspace's wires: `inputs` encodings of its first `elements` values, each with its own
// rank's random bits.
void encode_inputs(const codecs::cuda::CudaCodec& codec, const Workspace& workspace, int inputs,
                   std::size_t elements, cudaStream_t stream);

// The piece of the values that `wire`, of `elements` values, decodes to on the device.
[[nodiscard]] std::vector<float> decoded_piece(const codecs::cuda::CudaCodec& codec,
                                               const Workspace& workspace, const std::byte* wire,
                                               std::size_t elements, const Piece& piece);

}  // namespace calibrate
