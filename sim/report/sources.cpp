#include "sim/report/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "sim/base/json_reader.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

// The row of the error table that the scheme's reduction has, or nothing.
std::string reduction_row(const Scheme& scheme) {
  const GradientExchange& g = scheme.gradients;
  const codecs::Format& inside = g.inside.format;
  const bool measured = g.algorithm == GradientExchange::Algorithm::two_level &&
                        inside.group == 128 && g.between.format.group == 128;
  if (!measured) return "";
  const bool rotated = inside.rotation == codecs::Rotation::hadamard;
  if (inside.element == codecs::Element::int8) return rotated ? "TLq-HS" : "TLq";
  return rotated ? "ULq-HS" : "ULq";
}

std::string weight_row(const Scheme& scheme) {
  if (!scheme.weights.difference) return "bf16";
  return scheme.weights.wire.format.group == 2048 ? "qWD" : "";
}

void add_fitted(const Cluster& cluster, std::map<std::string, std::string>& sources) {
  const Fitted& fitted = cluster.fitted;
  const std::string rows = fitted.rows.empty()
                               ? "set by hand: no rows are named"
                               : fmt::format("fitted on {}", fmt::join(fitted.rows, ", "));
  if (fitted.network_efficiency) {
    sources["network.fitted_efficiency"] =
        fmt::format("{:.4g}, {}", *fitted.network_efficiency, rows);
  }
  if (fitted.communicator_bandwidth) {
    sources["network.communicator_bandwidth"] =
        fmt::format("{}, {}", to_text(*fitted.communicator_bandwidth), rows);
  }
  if (fitted.compute_efficiency) {
    sources["gpu.compute_efficiency"] = fmt::format("{:.4g}, {}", *fitted.compute_efficiency, rows);
  }
}

// What a table measured of the GPU itself, where the prediction used it (as_measured()).
void add_measured(const StepContext& context, std::map<std::string, std::string>& sources) {
  const Gpu& gpu = context.cluster.gpu;
  const Calibration& table = context.calibration;
  const Gpu measured = as_measured(gpu, table);
  if (table.gpu != gpu.name) return;
  if (table.copy_bandwidth && measured.memory_efficiency == gpu.memory_efficiency) {
    sources["gpu.memory_efficiency"] = fmt::format("{:.4g}, a large copy measured on {} ({})",
                                                   gpu.memory_efficiency, gpu.name, table.name);
  }
  if (table.launch_latency && measured.launch_latency == gpu.launch_latency) {
    sources["gpu.launch_latency"] = fmt::format("{:.3g} us, measured on {} ({})",
                                                gpu.launch_latency / 1_us, gpu.name, table.name);
  }
}

}  // namespace

std::map<std::string, std::string> sources_of(const StepContext& context, const Scheme& scheme) {
  const Cluster& cluster = context.cluster;
  std::map<std::string, std::string> sources;
  sources["cluster"] = fmt::format("{}.toml: {}", cluster.name, cluster.summary);
  sources["model"] = fmt::format("{}: {}", context.model.file, context.model.summary);
  sources["gpu"] = fmt::format("{}: data sheet in {}.toml", cluster.gpu.name, cluster.name);
  sources["nvlink"] = fmt::format("{}.toml", cluster.name);
  sources["network"] = fmt::format("{}.toml", cluster.name);
  sources["gemm"] = context.calibration.gpu == cluster.gpu.name && !context.calibration.gemm.empty()
                        ? fmt::format("measured ({})", context.calibration.name)
                        : "roofline: peak rate times whole waves of tiles";
  if (context.calibration.gpu == cluster.gpu.name && !context.calibration.passes.empty()) {
    std::vector<std::string_view> passes;
    for (const auto& [name, times] : context.calibration.passes) passes.emplace_back(name);
    sources["passes"] =
        fmt::format("{}: measured ({})", fmt::join(passes, ", "), context.calibration.name);
  }
  add_measured(context, sources);
  add_fitted(cluster, sources);
  for (const std::string& line : codec_sources(context, scheme)) {
    const auto colon = line.find(": ");
    sources["codec " + line.substr(0, colon)] = line.substr(colon + 2);
  }
  return sources;
}

std::map<std::string, double> codec_errors(const std::filesystem::path& table,
                                           const Scheme& scheme) {
  const JsonDocument document = read_json(table);
  const JsonReader root(document);
  std::map<std::string, double> errors;
  const auto add = [&](const char* part, const std::string& row, const std::string& prefix) {
    if (!root.at(part).has(row)) return;
    root.at(part).at(row).each_key([&](const std::string& distribution, const JsonReader& figures) {
      errors[prefix + distribution] = figures.at("relative_l2").not_negative();
    });
  };
  add("reductions", reduction_row(scheme), "");
  add("weights", weight_row(scheme), "weights_");
  return errors;
}

}  // namespace sim
