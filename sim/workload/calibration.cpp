#include "sim/workload/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/json_reader.hpp"

namespace sim {
namespace {

using codecs::Operation;

constexpr std::array kOperations{
    std::pair{Operation::encode, "encode"},
    std::pair{Operation::encode_difference, "encode_difference"},
    std::pair{Operation::decode, "decode"},
    std::pair{Operation::decode_add, "decode_add"},
    std::pair{Operation::decode_reduce, "decode_reduce"},
    std::pair{Operation::decode_reduce_encode, "decode_reduce_encode"}};

std::string kernel_key(std::string_view codec, std::string_view operation, int inputs,
                       std::string_view to) {
  return fmt::format("{}/{}/{}/{}", codec, operation, inputs, to);
}

void read_kernel(const JsonReader& row, Calibration& table) {
  const std::string codec_name = row.at("codec").text();
  const auto all = codecs::all_codecs();
  const auto codec = std::find_if(all.begin(), all.end(),
                                  [&](const auto* one) { return one->name == codec_name; });
  if (codec == all.end()) row.at("codec").fail("no codec is called " + codec_name);
  const std::string operation = row.at("operation").text();
  if (std::none_of(kOperations.begin(), kOperations.end(),
                   [&](const auto& known) { return known.second == operation; })) {
    row.at("operation").fail("no kernel is called " + operation);
  }
  row.only({"codec", "to", "operation", "inputs", "elements", "encoded_bytes", "moved_bytes",
            "median_s", "spread_s"});
  const double elements = row.at("elements").whole();
  const auto expected = codecs::encoded_bytes((*codec)->format, static_cast<std::size_t>(elements));
  if (row.at("encoded_bytes").positive() != static_cast<double>(expected)) {
    row.at("encoded_bytes")
        .fail(fmt::format("the codec encodes {} elements into {} bytes; calibrate again", elements,
                          expected));
  }
  const auto key = kernel_key(codec_name, operation,
                              static_cast<int>(row.at("inputs").whole(65536)), row.at("to").text());
  auto& times = table.kernels[key];
  if (std::ranges::find(times, elements, &KernelTime::elements) != times.end()) {
    row.fail("the same kernel and size are there twice");
  }
  times.push_back({elements, row.at("median_s").positive(), row.at("moved_bytes").positive()});
}

// See Calibration::memory_share. The sizes of each kernel ascend.
double memory_share(const Calibration& table) {
  std::vector<double> shares;
  for (const auto& [key, times] : table.kernels) {
    const KernelTime& largest = times.back();
    shares.push_back(largest.moved_bytes / largest.seconds / table.memory_bandwidth.base());
  }
  if (shares.empty()) return 0;
  std::ranges::sort(shares);
  return (shares[(shares.size() - 1) / 2] + shares[shares.size() / 2]) / 2;
}

// The time for `elements`, linear between measured sizes in the logarithm of both.
double interpolate(const std::vector<KernelTime>& times, double elements) {
  const auto above = std::find_if(times.begin(), times.end(), [&](const KernelTime& time) {
    return time.elements >= elements;
  });
  // Below the smallest size launch overhead dominates; above the largest the rate has settled.
  if (above == times.begin()) return above->seconds;
  if (above == times.end()) return times.back().seconds * elements / times.back().elements;
  const KernelTime& low = *std::prev(above);
  const double share = std::log(elements / low.elements) / std::log(above->elements / low.elements);
  return low.seconds * std::pow(above->seconds / low.seconds, share);
}

}  // namespace

Calibration read_calibration(const std::filesystem::path& file) {
  const JsonDocument document = read_json(file);
  const JsonReader root(document);
  Calibration table;
  table.name = file.stem().string();
  table.gpu = root.at("gpu").text();
  table.kind = root.at("kind").text();
  if (table.kind != "measured" && table.kind != "published") {
    root.at("kind").fail("is neither measured nor published");
  }
  root.only({"gpu", "kind", "provenance", "memory_bandwidth_Bps", "copy_bandwidth_Bps",
             "launch_latency_s", "gemm", "codecs", "variants"});
  table.source = root.at("provenance").at("source").text();
  table.memory_bandwidth = Bandwidth::from_base(root.at("memory_bandwidth_Bps").positive());
  root.at("codecs").each([&](const JsonReader& row) { read_kernel(row, table); });
  root.at("gemm").each([&](const JsonReader& row) {
    if (row.at("precision").text() != "bf16") return;
    row.only({"precision", "m", "n", "k", "median_s", "spread_s"});
    table.gemm.push_back({row.at("m").whole(), row.at("n").whole(), row.at("k").whole(),
                          row.at("median_s").positive()});
  });
  for (auto& [key, times] : table.kernels) {
    std::sort(times.begin(), times.end(),
              [](const KernelTime& a, const KernelTime& b) { return a.elements < b.elements; });
  }
  table.memory_share = memory_share(table);
  return table;
}

Calibration roofline() { return {.name = "roofline", .gpu = "", .kind = "roofline", .source = ""}; }

KernelEstimate kernel_time(const Calibration& calibration, const Gpu& gpu, const KernelUse& use) {
  const auto operation =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const auto& known) { return known.first == use.shape.operation; });
  const bool requantizes = use.shape.operation == Operation::decode_reduce_encode;
  const std::string codec = codecs::format_name(use.shape.wire);
  const auto found = calibration.kernels.find(
      kernel_key(codec, operation->second, use.shape.inputs,
                 requantizes ? codecs::format_name(use.shape.wire_out) : std::string()));
  if (use.elements <= 0) return {};
  if (found == calibration.kernels.end()) {
    const codecs::Traffic traffic = codecs::memory_traffic(use.shape);
    const bool table = calibration.memory_share > 0;
    const Bandwidth rate =
        gpu.memory_bandwidth * (table ? calibration.memory_share : gpu.memory_efficiency);
    const double seconds = (traffic.read + traffic.written) * use.elements / rate.base();
    return {gpu.launch_latency.base() + seconds,
            table ? fmt::format("roofline: bytes over {:.0f} % of memory bandwidth, as {} reaches",
                                100 * calibration.memory_share, calibration.name)
                  : "roofline: bytes over memory bandwidth"};
  }
  const double seconds = interpolate(found->second, use.elements);
  if (calibration.gpu == gpu.name) {
    return {seconds, fmt::format("{} on {} ({})", calibration.kind, gpu.name, calibration.name)};
  }
  return {seconds * (calibration.memory_bandwidth / gpu.memory_bandwidth),
          fmt::format("extrapolated by memory bandwidth from {} ({})", calibration.gpu,
                      calibration.name)};
}

}  // namespace sim
