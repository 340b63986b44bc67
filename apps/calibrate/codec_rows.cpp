#include "apps/calibrate/codec_rows.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/calibrate/operations.hpp"

namespace calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json row_of(const Measured& measured, const codecs::cuda::Timing& timing) {
  const codecs::Traffic traffic = codecs::memory_traffic(measured.shape);
  const auto elements = static_cast<double>(measured.elements);
  return {{"codec", measured.codec->name},
          {"to", measured.to == nullptr ? "" : measured.to->name},
          {"operation", measured.operation},
          {"inputs", measured.shape.inputs},
          {"elements", measured.elements},
          {"encoded_bytes", codecs::encoded_bytes(measured.codec->format, measured.elements)},
          {"moved_bytes", (traffic.read + traffic.written) * elements},
          {"median_s", timing.median_s},
          {"spread_s", timing.spread_s}};
}

void report(const Measured& measured, const codecs::cuda::Timing& timing) {
  const codecs::Traffic traffic = codecs::memory_traffic(measured.shape);
  std::fprintf(stderr, "%-22s %-20s %2d inputs %11zu elements %10.2f us %6.0f GB/s\n",
               std::string(measured.codec->name).c_str(), measured.operation.c_str(),
               measured.shape.inputs, measured.elements, timing.median_s * 1e6,
               (traffic.read + traffic.written) * static_cast<double>(measured.elements) /
                   timing.median_s / 1e9);
}

// Throws CudaError where kernel and reference differ: a fast wrong kernel is no measurement.
void verify(const Measured& measured, const codecs::cuda::Stream& stream) {
  if (measured.in_place) {
    measured.prepare(stream.get());
    measured.launch(stream.get());
  }
  stream.wait();
  for (const Piece& piece : sample(measured.elements)) {
    if (!measured.agrees(piece)) {
      throw codecs::cuda::CudaError(std::string(measured.codec->name) + " " + measured.operation +
                                    measured.variant + ": kernel and reference disagree");
    }
  }
}

}  // namespace

CodecRows measure_codecs(const codecs::cuda::Benchmark& benchmark, const Sizes& sizes) {
  const Workspace workspace(sizes.max_bytes);
  CodecRows rows{.codecs = Json::array(), .variants = Json::array()};
  for (std::size_t bytes = sizes.min_bytes; bytes <= sizes.max_bytes; bytes *= 2) {
    for (const Measured& measured : all_operations(workspace, bytes / sizeof(float))) {
      measured.prepare(benchmark.stream().get());
      const auto timing =
          benchmark.time([&](int, cudaStream_t stream) { measured.launch(stream); });
      verify(measured, benchmark.stream());
      report(measured, timing);
      Json row = row_of(measured, timing);
      if (measured.variant.empty()) {
        rows.codecs.push_back(row);
      } else {
        row["variant"] = measured.variant;
        rows.variants.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace calibrate
