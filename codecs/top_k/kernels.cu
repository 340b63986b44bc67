// SPDX-License-Identifier: Apache-2.0
#include "codecs/top_k/codebook.cuh"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/launch.cuh"
#include "codecs/top_k/reduce.cuh"

namespace codecs::cuda {
namespace {

// Parts in descending order of alignment: `keep` is even.
CodebookScratch codebook_scratch(const SparseShape& shape, std::byte* scratch) {
  CodebookScratch parts;
  parts.bins = reinterpret_cast<BinSums*>(scratch);
  parts.moments = reinterpret_cast<double2*>(parts.bins + shape.chunks);
  parts.members = reinterpret_cast<uint4*>(parts.moments + shape.chunks);
  parts.values = reinterpret_cast<float*>(parts.members + shape.chunks);
  parts.residuals = parts.values + shape.chunks * shape.keep;
  return parts;
}

// From here on one block reads the sums of all chunks too slowly.
constexpr std::size_t kFoldedChunks = std::size_t{8} * kTensorThreads;

template <typename Value>
void launch_codebook(const SparseShape& shape, const TopKInput<Value>& in, const TopKOutput& out,
                     cudaStream_t stream) {
  const Grid one{.blocks = 1, .threads = kTensorThreads, .stream = stream};
  const Grid lanes{.blocks = kTensorThreads / kWarpLanes, .threads = kWarpLanes, .stream = stream};
  const Grid warps{.blocks = chunk_blocks(shape.chunks, kWarpsPerBlock), .stream = stream};
  const bool fold = shape.chunks > kFoldedChunks;
  const std::size_t folded = fold ? std::size_t{kTensorThreads} : shape.chunks;
  if (fold) launch(fold_moments_kernel, lanes, shape.chunks, out.scratch);
  launch(shift_and_scale_kernel, one, shape, folded, out.scratch, out.wire);
  launch(codebook_codes_kernel, warps, shape, out.scratch, out.wire);
  if (fold) launch(fold_bins_kernel, lanes, shape.chunks, out.scratch);
  launch(codebook_kernel, one, folded, out.scratch, out.wire);
  if (in.residual.values != nullptr) launch(codebook_residual_kernel<Value>, warps, shape, in, out);
}

TileMap tile_map_of(const Format& format, const TileShape& tiles) {
  require(tile_elements(tiles) == format.group, "a tile is a chunk");
  return tile_map(tiles);
}

template <typename Value>
void launch_top_k(const Format& format, const TopKInput<Value>& in, const Encoding& to,
                  cudaStream_t stream) {
  require(format.rotation == Rotation::none, "top-k of values as they are");
  if (in.tiles.elements == 0) return;
  const SparseShape shape = sparse_shape(format, in.tiles.elements);
  TopKOutput out{.wire = to.wires, .nonfinite = to.nonfinite};
  if (format.element == Element::codebook2) out.scratch = codebook_scratch(shape, to.scratch);
  with_chunk(format, [&]<typename Static>(Static) {
    const Grid grid{.blocks = chunk_blocks(shape.chunks, 1),
                    .threads = Static::Block::kThreads,
                    .stream = stream};
    if (in.residual.values == nullptr) {
      launch(top_k_kernel<Static::kChunk, false, Value>, grid, in, shape, out);
    } else {
      launch(top_k_kernel<Static::kChunk, true, Value>, grid, in, shape, out);
    }
  });
  if (format.element == Element::codebook2) launch_codebook(shape, in, out, stream);
}

template <typename Value>
void encode_top_k(const Format& format, const Tiled<const Value>& matrix, const Encoding& to,
                  cudaStream_t stream, const Residual& residual = {}) {
  launch_top_k<Value>(format, {tile_map_of(format, matrix.tiles), matrix.values, residual}, to,
                      stream);
}

template <typename Value>
Tiled<Value> in_chunks(const Format& format, Tensor<Value> values) {
  return {flat_tiles(values.elements, format.group), values.values};
}

}  // namespace

std::size_t top_k_scratch_bytes(const Format& format, std::size_t elements) {
  if (format.element != Element::codebook2) return 0;
  const std::size_t chunks = sparse_wire(format, elements).chunks;
  const std::size_t sums = sizeof(BinSums) + sizeof(double2) + sizeof(uint4);
  return chunks * (sums + 2 * format.keep * sizeof(float));
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
  require(format.rotation == Rotation::none, "top-k of values as they are");
  const TileMap tiles = tile_map_of(format, sums.tiles);
  if (tiles.elements == 0) return;
  const SparseShape shape = sparse_shape(format, tiles.elements);
  with_chunk(format, [&]<typename Static>(Static) {
    launch(sparse_sum_kernel<Static::kChunk>,
           {.blocks = chunk_blocks(shape.chunks, 1),
            .threads = Static::Block::kThreads,
            .stream = stream},
           shape, wires, tiles, sums.values);
  });
}

}  // namespace codecs::cuda
