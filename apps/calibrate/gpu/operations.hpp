// Which kernels are measured: everything that the rows of the CUDA registry can do, the pairs of
// the two-level reduction, and some variants.
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
  // With the running number of the launch; the first one's output is checked.
  std::function<void(std::size_t, cudaStream_t)> launch = {};
  // Whether the piece of launch 0's output agrees with the reference.
  std::function<bool(const Piece&)> agrees = {};
};

// `elements` are those of all inputs together. The workspace must outlive the result.
[[nodiscard]] std::vector<Measured> all_operations(const Workspace& workspace);
// Bytes of the largest wires that they read or write.
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

// A codec's scratch for its encode of this many values; shared by the launches, which take turns.
using Scratch = std::shared_ptr<codecs::cuda::DeviceBuffer<std::byte>>;
[[nodiscard]] Scratch scratch_for(const codecs::cuda::CudaCodec& codec, std::size_t elements);

// The workspace's wires: `inputs` encodings of its first `elements` values, each with the random
// bits of its own rank.
void encode_inputs(const codecs::cuda::CudaCodec& codec, const Workspace& workspace, int inputs,
                   std::size_t elements, cudaStream_t stream);

// The piece of what `wire`, of `elements` values, decodes to on the device.
[[nodiscard]] std::vector<float> decoded_piece(const codecs::cuda::CudaCodec& codec,
                                               const Workspace& workspace, const std::byte* wire,
                                               std::size_t elements, const Piece& piece);

}  // namespace calibrate
