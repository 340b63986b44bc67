// SPDX-License-Identifier: Apache-2.0
#include "codecs/top_k/codebook.cuh"
#include "codecs/top_k/dense.cuh"
#include "codecs/top_k/enumerated.cuh"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/launch.cuh"
#include "codecs/top_k/reduce.cuh"

namespace codecs::cuda {
namespace {

void require_kernels(const Format& format) {
  require(format.rotation == Rotation::none, "top-k of values as they are");
  require(!sends_all(format) || format.element == Element::codebook2,
          "kernels that send all values are of codebook2");
}

// Scratch of one chunk, in descending order of alignment: `keep` is even.
std::size_t codebook_bytes(const Format& format) {
  if (format.element != Element::codebook2) return 0;
  const std::size_t selected = sends_all(format) ? 0 : 2 * format.keep * sizeof(float);
  return sizeof(BinSums) + sizeof(double2) + sizeof(uint4) + selected;
}
std::size_t ranked_bytes(const Format& format) {
  if (!is_enumerated(format) || sends_all(format)) return 0;
  require(format.keep <= kMostMembers && format.group <= kMostNumbers &&
              subset_bits(format.group, format.keep) <= 32 * kSubsetWords,
          "kernels enumerate at most 64 indices of 8192 in 512 bits");
  return format.keep * sizeof(std::uint16_t);
}

CodebookScratch codebook_scratch(const SparseShape& shape, std::byte* scratch) {
  CodebookScratch parts;
  parts.bins = reinterpret_cast<BinSums*>(scratch);
  parts.moments = reinterpret_cast<double2*>(parts.bins + shape.chunks);
  parts.members = reinterpret_cast<uint4*>(parts.moments + shape.chunks);
  parts.values = reinterpret_cast<float*>(parts.members + shape.chunks);
  parts.residuals = parts.values + shape.chunks * shape.keep;
  return parts;
}

TopKOutput output_of(const Format& format, const SparseShape& shape, const Encoding& to) {
  TopKOutput out{.wire = to.wires, .nonfinite = to.nonfinite};
  if (format.element == Element::codebook2) out.scratch = codebook_scratch(shape, to.scratch);
  if (ranked_bytes(format) > 0) {
    std::byte* const end = to.scratch + shape.chunks * codebook_bytes(format);
    out.ranked = reinterpret_cast<std::uint16_t*>(end);
  }
  return out;
}

// From here on one block reads the sums of all chunks too slowly.
constexpr std::size_t kFoldedChunks = std::size_t{8} * kTensorThreads;

// A warp takes a chunk.
Grid warps_of(const SparseShape& shape, cudaStream_t stream) {
  return {.blocks = blocks_of(shape.chunks, kWarpsPerBlock), .stream = stream};
}

template <typename Values>
void launch_codebook(const SparseShape& shape, const Values& values, const TopKOutput& out,
                     cudaStream_t stream) {
  const Grid one{.blocks = 1, .threads = kTensorThreads, .stream = stream};
  const Grid lanes{.blocks = kTensorThreads / kWarpLanes, .threads = kWarpLanes, .stream = stream};
  const bool fold = shape.chunks > kFoldedChunks;
  const std::size_t folded = fold ? std::size_t{kTensorThreads} : shape.chunks;
  if (fold) launch(fold_moments_kernel, lanes, shape.chunks, out.scratch);
  launch(shift_and_scale_kernel, one, shape, folded, out.scratch, out.wire);
  launch(codebook_codes_kernel<Values>, warps_of(shape, stream), shape, values, out.scratch,
         out.wire);
  if (fold) launch(fold_bins_kernel, lanes, shape.chunks, out.scratch);
  launch(codebook_kernel, one, folded, out.scratch, out.wire);
}

template <bool kFeedback, typename Value>
void launch_all(const SparseShape& shape, const AllValues<kFeedback, Value>& values,
                const TopKOutput& out, cudaStream_t stream) {
  const Grid warps = warps_of(shape, stream);
  launch(dense_moments_kernel<AllValues<kFeedback, Value>>, warps, shape, values, out);
  launch_codebook(shape, values, out, stream);
  if constexpr (kFeedback) {
    launch(dense_residual_kernel<Value>, warps, shape, values, out.wire);
  }
}

// Of the indices in scratch.
void launch_ranks(const SparseShape& shape, const TopKOutput& out, cudaStream_t stream) {
  check(cudaMemsetAsync(out.wire + shape.indices, 0, shape.codes - shape.indices, stream));
  launch(rank_kernel, warps_of(shape, stream), shape, out.ranked, out.wire);
}

TileMap tile_map_of(const Format& format, const TileShape& tiles) {
  require(tile_elements(tiles) == format.group, "a tile is a chunk");
  return tile_map(tiles);
}

template <typename Value>
void launch_selected(const Format& format, const SparseShape& shape, const TopKInput<Value>& in,
                     const TopKOutput& out, cudaStream_t stream) {
  const bool feeds = in.residual.values != nullptr;
  with_chunk(format, [&]<typename Static>(Static) {
    const Grid grid{.blocks = blocks_of(shape.chunks, 1), .threads = kWarpLanes, .stream = stream};
    if (feeds) {
      launch(top_k_kernel<Static::kChunk, true, Value>, grid, in, shape, out);
    } else {
      launch(top_k_kernel<Static::kChunk, false, Value>, grid, in, shape, out);
    }
  });
  if (out.ranked != nullptr) launch_ranks(shape, out, stream);
  if (format.element != Element::codebook2) return;
  launch_codebook(shape, SelectedValues{out.scratch.values, shape.keep}, out, stream);
  if (feeds) {
    launch(codebook_residual_kernel<Value>, warps_of(shape, stream), shape, in, out);
  }
}

template <typename Value>
void launch_top_k(const Format& format, const TopKInput<Value>& in, const Encoding& to,
                  cudaStream_t stream) {
  require_kernels(format);
  if (in.tiles.elements == 0) return;
  const SparseShape shape = sparse_shape(format, in.tiles.elements);
  const TopKOutput out = output_of(format, shape, to);
  if (!sends_all(format)) return launch_selected(format, shape, in, out, stream);
  if (in.residual.values == nullptr) {
    launch_all(shape, AllValues<false, Value>{in}, out, stream);
  } else {
    launch_all(shape, AllValues<true, Value>{in}, out, stream);
  }
}

template <typename Value>
void encode_top_k(const Format& format, const Tiled<const Value>& matrix, const Encoding& to,
                  cudaStream_t stream, const Residual& residual = {}) {
  launch_top_k<Value>(format, {tile_map_of(format, matrix.tiles), matrix.values, residual}, to,
                      stream);
}

void sum_enumerated(const SparseShape& shape, const Wires& wires, const TileMap& tiles, float* sums,
                    cudaStream_t stream) {
  check(cudaMemsetAsync(sums, 0, tiles.elements * sizeof(float), stream));
  const unsigned warps = std::min(static_cast<unsigned>(wires.inputs), kSumWires);
  launch(enumerated_sum_kernel,
         {.blocks = blocks_of(shape.chunks, kWarpLanes),
          .threads = static_cast<int>(warps) * kWarpLanes,
          .stream = stream},
         shape, wires, tiles, sums);
}

template <typename Value>
Tiled<Value> in_chunks(const Format& format, Tensor<Value> values) {
  return {flat_tiles(values.elements, format.group), values.values};
}

}  // namespace

std::size_t top_k_scratch_bytes(const Format& format, std::size_t elements) {
  return sparse_wire(format, elements).chunks * (codebook_bytes(format) + ranked_bytes(format));
}

void encode_top_k_async(const Format& format, const Tiled<const float>& matrix, const Encoding& to,
                        cudaStream_t stream) {
  encode_top_k(format, matrix, to, stream);
}
void encode_top_k_async(const Format& format, const Tiled<const Bf16>& matrix, const Encoding& to,
                        cudaStream_t stream) {
  encode_top_k(format, matrix, to, stream);
}
void encode_top_k_async(const Format& format, Tensor<const float> values, const Encoding& to,
                        cudaStream_t stream) {
  encode_top_k(format, in_chunks(format, values), to, stream);
}
void encode_top_k_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                        cudaStream_t stream) {
  encode_top_k(format, in_chunks(format, values), to, stream);
}

void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 const Tiled<const float>& matrix, float* residual,
                                 const Encoding& to, cudaStream_t stream) {
  encode_top_k(format, matrix, to, stream, {residual, feedback});
}
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 const Tiled<const Bf16>& matrix, float* residual,
                                 const Encoding& to, cudaStream_t stream) {
  encode_top_k(format, matrix, to, stream, {residual, feedback});
}
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const float> values, float* residual, const Encoding& to,
                                 cudaStream_t stream) {
  encode_top_k(format, in_chunks(format, values), to, stream, {residual, feedback});
}
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const Bf16> values, float* residual, const Encoding& to,
                                 cudaStream_t stream) {
  encode_top_k(format, in_chunks(format, values), to, stream, {residual, feedback});
}

void decode_top_k_async(const Format& format, const std::byte* wire, Tensor<float> values,
                        cudaStream_t stream) {
  decode_reduce_top_k_async(format, {.bytes = wire}, values, stream);
}

void decode_reduce_top_k_async(const Format& format, const Wires& wires, Tensor<float> sums,
                               cudaStream_t stream) {
  decode_reduce_top_k_async(format, wires, in_chunks(format, sums), stream);
}

void decode_reduce_top_k_async(const Format& format, const Wires& wires, const Tiled<float>& sums,
                               cudaStream_t stream) {
  require_kernels(format);
  const TileMap tiles = tile_map_of(format, sums.tiles);
  if (tiles.elements == 0) return;
  const SparseShape shape = sparse_shape(format, tiles.elements);
  if (ranked_bytes(format) > 0) return sum_enumerated(shape, wires, tiles, sums.values, stream);
  with_chunk(format, [&]<typename Static>(Static) {
    const Grid grid{
        .blocks = blocks_of(shape.chunks, 1), .threads = Static::Block::kThreads, .stream = stream};
    if (sends_all(format)) {
      launch(dense_sum_kernel<Static::kChunk>, grid, shape, wires, tiles, sums.values);
    } else {
      launch(sparse_sum_kernel<Static::kChunk>, grid, shape, wires, tiles, sums.values);
    }
  });
}

}  // namespace codecs::cuda
