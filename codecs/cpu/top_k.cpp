// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "codecs/cpu/codecs.hpp"
#include "codecs/cpu/threads.hpp"

namespace codecs::cpu {
namespace {

const SparseKernels& sparse_of(const Run& run) {
  return run.target == nullptr ? *targets().front().sparse : *run.target->sparse;
}

// Over chunks, in the order of lane_sum.
template <typename Term>
double tensor_sum(std::span<const ChunkSums> chunks, Term term) {
  std::vector<double> terms(chunks.size());
  std::ranges::transform(chunks, terms.begin(), term);
  return lane_sum(terms, kTensorLanes);
}

float mean(double sum, double count) {
  if (!std::isfinite(sum)) return std::bit_cast<float>(kNaNScale);
  return count > 0 ? static_cast<float>(sum / count) : 0.0f;
}

// A codebook's shift and scale; its values follow from the codes under them.
Codebook empty_codebook(std::span<const ChunkSums> chunks, double count) {
  const double sum = tensor_sum(chunks, &ChunkSums::values);
  const double squares = tensor_sum(chunks, &ChunkSums::squares);
  if (!std::isfinite(squares)) return {.shift = std::bit_cast<float>(kNaNScale)};
  Codebook book{.shift = mean(sum, count)};
  const double spread = std::max(squares - sum * sum / count, 0.0);
  const auto scale =
      static_cast<float>(double{kCodebookSigmas} * std::sqrt(spread / std::max(count - 1, 1.0)));
  if (scale > 0 && std::isfinite(scale)) book.scale = scale;
  return book;
}

void fill_codebook(std::span<const ChunkSums> chunks, Codebook& book) {
  if (std::isnan(book.shift)) return;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const auto members = [&](const ChunkSums& chunk) { return chunk.members.at(bin); };
    const auto total = [&](const ChunkSums& chunk) { return chunk.totals.at(bin); };
    book.values.at(bin) = mean(tensor_sum(chunks, total), tensor_sum(chunks, members));
  }
}

// All chunks' elements that travel.
double selected_elements(const SparseJob& job) {
  const std::size_t whole = job.layout.chunks - 1;
  const std::size_t last = kept(job.format, chunk_elements(job.format, job.layout, whole));
  return static_cast<double>(whole * kept(job.format, job.format.group) + last);
}

void encode_sparse(const Format& format, const Input& input, std::span<std::byte> wire,
                   const Run& run) {
  require(has_top_k_kernels(format), "the format has no kernels for CPUs");
  require(wire.size() == encoded_bytes(format, input.elements), "a wire is encoded_bytes() long");
  std::ranges::fill(wire, std::byte{0});
  if (input.elements == 0) return;
  const SparseWire layout = sparse_wire(format, input.elements);
  std::vector<float> selected(layout.chunks * format.keep);
  const bool codebook = format.element == Element::codebook2;
  std::vector<ChunkSums> sums(codebook ? layout.chunks : 0);
  const SparseJob job{.format = format,
                      .layout = layout,
                      .input = input,
                      .wire = wire.data(),
                      .selected = selected.data(),
                      .sums = sums.data()};
  const auto over_chunks = [&](const auto& work) { in_parts(run.threads, layout.chunks, work); };
  const SparseKernels& kernels = sparse_of(run);
  over_chunks([&](std::size_t first, std::size_t last) { kernels.select(job, first, last); });
  if (!codebook) return;
  Codebook book = empty_codebook(sums, selected_elements(job));
  over_chunks([&](std::size_t first, std::size_t last) { kernels.code(job, book, first, last); });
  fill_codebook(sums, book);
  std::memcpy(wire.data(), &book, sizeof book);
  if (input.residual == nullptr) return;
  over_chunks([&](std::size_t first, std::size_t last) { kernels.keep(job, book, first, last); });
}

SparseSum sparse_sum(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                     std::span<float> sums) {
  require(has_top_k_kernels(format), "the format has no kernels for CPUs");
  require_wires(format, wires, inputs, sums.size());
  return {.format = format,
          .layout = sparse_wire(format, sums.size()),
          .wires = wires.data(),
          .inputs = inputs,
          .sums = sums.data()};
}

void sum_sparse(const SparseSum& job, const Run& run) {
  in_parts(run.threads, job.layout.chunks,
           [&](std::size_t first, std::size_t last) { sparse_of(run).sum(job, first, last); });
}

}  // namespace

bool has_top_k_kernels(const Format& format) {
  const Element e = format.element;
  return format.layout == &kSparseLayout && format.choice == Choice::largest &&
         format.rotation == Rotation::none && format.keep > 0 &&
         (e == Element::codebook2 || e == Element::sign_magnitude2 || e == Element::sign ||
          e == Element::fp32);
}

void encode_top_k(const Format& format, std::span<const float> values, const RandomKey& /*key*/,
                  std::span<std::byte> wire, const Run& run) {
  encode_sparse(format, input_of(values), wire, run);
}

void encode_top_k_feedback(const Format& format, const Feedback& feedback,
                           std::span<const float> values, const RandomKey& /*key*/,
                           std::span<float> residual, std::span<std::byte> wire, const Run& run) {
  encode_sparse(format, input_of(feedback, values, residual), wire, run);
}

void decode_top_k(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                  const Run& run) {
  decode_reduce_top_k(format, wire, 1, values, run);
}

void decode_add_top_k(const Format& format, std::span<const std::byte> wire,
                      std::span<float> values, const Run& run) {
  SparseSum job = sparse_sum(format, wire, 1, values);
  job.adds = true;
  sum_sparse(job, run);
}

void decode_reduce_top_k(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums, const Run& run) {
  sum_sparse(sparse_sum(format, wires, inputs, sums), run);
}

void aggregate(const Format& format, const Aggregation& aggregation,
               std::span<const std::byte> wires, std::size_t peers, std::span<float> averages,
               const Run& run) {
  require(has_top_k_kernels(format), "the format has no kernels for CPUs");
  require(peers <= kMostPeers, "at most 255 peers");
  require(wires.size() == peers * encoded_bytes(format, averages.size()), "as many wires as peers");
  const SparseSum sum{.format = format,
                      .layout = sparse_wire(format, averages.size()),
                      .wires = wires.data(),
                      .inputs = peers,
                      .sums = averages.data()};
  std::vector<double> norms, squares(sum.layout.chunks);
  for (std::size_t peer = 0; peer < peers; ++peer) {
    SparseSum own = sum;
    own.wires += peer * sum.layout.bytes;
    in_parts(run.threads, sum.layout.chunks, [&](std::size_t first, std::size_t last) {
      sparse_of(run).squares(own, squares.data(), first, last);
    });
    norms.push_back(std::sqrt(lane_sum(squares, kTensorLanes)));
  }
  const std::vector<float> factors = factors_of_norms(aggregation, norms);
  const auto all = std::ranges::count_if(factors, [](float factor) { return factor >= 0; });
  const SparseAggregate job{.sum = sum,
                            .average = aggregation.average,
                            .factors = factors.data(),
                            .all = static_cast<float>(all)};
  in_parts(run.threads, sum.layout.chunks, [&](std::size_t first, std::size_t last) {
    sparse_of(run).aggregate(job, first, last);
  });
}

}  // namespace codecs::cpu
