// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/gpu.hpp"

#include <cstdio>
#include <utility>

#include "apps/calibrate/architecture.hpp"
#include "apps/calibrate/gpu/measure.hpp"
#include "sim/base/error.hpp"

namespace calibrate {
namespace {

constexpr int kSamples = 31, kQuickSamples = 5;

LayerShapes layers_of(const Settings& settings) {
  LayerShapes layers;
  if (settings.quick) {
    layers.parallel = {8};
    layers.vocabulary = 8192;
  }
  if (settings.quick && settings.hidden.empty()) layers.hidden = {4096};
  if (settings.quick && !settings.hidden.empty()) layers.tokens = settings.hidden.front();
  if (!settings.hidden.empty()) layers.hidden = settings.hidden;
  return layers;
}

struct Libraries {
  std::optional<Products> bf16, fp8;
};

// Where a file is named, it is that library.
Libraries load(const Settings& settings, const Device& device) {
  Libraries found{.bf16 = load_bf16_products(settings.cublas),
                  .fp8 = load_fp8_products(settings.cublas_lt)};
  if (!found.bf16 && !settings.cublas.empty()) {
    throw sim::InputError("--cublas: " + settings.cublas + ": cannot be loaded");
  }
  if (!found.fp8 && !settings.cublas_lt.empty()) {
    throw sim::InputError("--cublas-lt: " + settings.cublas_lt + ": cannot be loaded");
  }
  if (!device.fp8) found.fp8.reset();
  return found;
}

void measure_products(const Settings& settings, const Libraries& libraries, Session& session,
                      Json& table) {
  const LayerShapes layers = layers_of(settings);
  table["gemm"] = Json::array();
  const auto& [bf16, fp8] = libraries;
  if (!bf16) {
    std::fprintf(stderr,
                 "no cuBLAS found, so products are not measured; name it with --cublas FILE\n");
    return;
  }
  table["provenance"]["gemm"] = bf16->multiplier;
  table["gemm"] = calibrate::measure_products(session, *bf16, layers);
  if (!fp8) {
    std::fprintf(stderr, "no cuBLASLt, or no FP8 on this GPU: FP8 products are not measured\n");
    return;
  }
  table["provenance"]["gemm"] = bf16->multiplier + ", " + fp8->multiplier;
  for (Json& row : calibrate::measure_products(session, *fp8, layers)) {
    table["gemm"].push_back(std::move(row));
  }
}

}  // namespace

GpuTable measure_gpu(const Settings& settings, const Device& device) {
  const Libraries libraries = load(settings, device);
  const int samples = settings.quick ? kQuickSamples : kSamples;
  Session session{.samples = samples,
                  .benchmark = codecs::cuda::Benchmark(samples),
                  .budget = Budget(60 * settings.minutes),
                  .disagreed = {}};
  Json table{{"gpu", device.name}, {"kind", "measured"}};
  table["provenance"] = json_of(Provenance{
      .source = "gardenhose-calibrate: median and interquartile range of up to " +
                std::to_string(samples) +
                " samples of launches back to back, on buffers that rotate beyond the L2 cache",
      .device = device.device,
      .architecture = architecture_name(device.code),
      .driver = device.driver,
      .cuda = device.cuda,
      .commit = settings.commit,
      .command = settings.command});
  // Devices do not say it, or say 0: what is measured scales with its copies.
  table["memory_bandwidth_Bps"] = nullptr;
  const Json copies = measure_copies(session, settings.sizes);
  table["copy_bandwidth_Bps"] = Floor(copies).bandwidth_Bps();
  table["launch_latency_s"] = session.benchmark.launch_latency().median_s;
  table["multiprocessors"] = device.multiprocessors;
  table["copy"] = copies;
  table["passes"] = measure_passes(session, settings.sizes);
  measure_products(settings, libraries, session, table);
  const CodecRows rows = measure_codecs(session, settings.sizes);
  table["codecs"] = by_kernel(rows.codecs);
  table["variants"] = by_kernel(rows.variants);
  table["methods"] = by_kernel(measure_methods(session, settings.sizes, settings.cublas));
  return {.table = std::move(table), .disagreed = session.disagreed};
}

}  // namespace calibrate
