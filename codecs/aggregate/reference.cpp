// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

// Not finite where the wire holds such a value.
double norm(const Format& format, std::size_t elements, std::span<const std::byte> wire) {
  std::vector<double> chunk_sums;
  for (std::size_t index = 0; index < sparse_wire(format, elements).chunks; ++index) {
    std::vector<double> squares;
    for (const Entry& entry : decode_chunk(format, elements, index, wire)) {
      squares.push_back(double{entry.value} * double{entry.value});
    }
    chunk_sums.push_back(lane_sum(squares, kChunkLanes));
  }
  return std::sqrt(lane_sum(chunk_sums, kTensorLanes));
}

double lower_median(std::span<const double> all) {
  std::vector<double> norms(all.begin(), all.end());
  std::erase_if(norms, [](double x) { return !std::isfinite(x); });
  if (norms.empty()) return 0;
  std::ranges::sort(norms);
  return norms[(norms.size() - 1) / 2];
}

}  // namespace

std::vector<float> factors_of_norms(const Aggregation& aggregation, std::span<const double> norms) {
  const double median = lower_median(norms);
  std::vector<float> factors;
  for (const double own : norms) {
    const double factor = aggregation.clip ? std::min(1.0, median / (own + kNormGuard)) : 1.0;
    factors.push_back(std::isfinite(own) ? static_cast<float>(factor) : -1.0f);
  }
  return factors;
}

std::vector<float> peer_factors(const Format& format, const Aggregation& aggregation,
                                std::span<const std::byte> wires, std::size_t peers,
                                std::size_t elements) {
  const std::size_t bytes = encoded_bytes(format, elements);
  require(peers <= kMostPeers, "at most 255 peers");
  require(wires.size() == peers * bytes, "as many wires as peers");
  std::vector<double> norms;
  for (std::size_t peer = 0; peer < peers; ++peer) {
    norms.push_back(norm(format, elements, wires.subspan(peer * bytes, bytes)));
  }
  return factors_of_norms(aggregation, norms);
}

void aggregate(const Format& format, const Aggregation& aggregation,
               std::span<const std::byte> wires, std::size_t peers, std::span<float> averages) {
  const std::vector<float> factors =
      peer_factors(format, aggregation, wires, peers, averages.size());
  const SparseWire layout = sparse_wire(format, averages.size());
  std::ranges::fill(averages, 0.0f);
  std::vector<float> senders(averages.size(), 0.0f);
  for (std::size_t peer = 0; peer < peers; ++peer) {
    if (factors[peer] < 0) continue;
    const auto wire = wires.subspan(peer * layout.bytes, layout.bytes);
    for (std::size_t index = 0; index < layout.chunks; ++index) {
      const std::size_t count = chunk_elements(format, layout, index);
      for (const Entry& entry : decode_chunk(format, averages.size(), index, wire)) {
        if (entry.index >= count) continue;
        const std::size_t at = index * format.group + entry.index;
        averages[at] = std::fma(factors[peer], entry.value, averages[at]);
        senders[at] += 1;
      }
    }
  }
  const auto all =
      static_cast<float>(std::ranges::count_if(factors, [](float f) { return f >= 0; }));
  for (std::size_t i = 0; i < averages.size(); ++i) {
    const float over = aggregation.average == Average::senders ? senders[i] : all;
    averages[i] = senders[i] > 0 ? averages[i] / over : 0.0f;
  }
}

void outer_step(float learning_rate, std::span<const float> averages, std::span<float> parameters) {
  require(averages.size() == parameters.size(), "as many averages as parameters");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = std::fma(-learning_rate, averages[i], parameters[i]);
  }
}

}  // namespace codecs
