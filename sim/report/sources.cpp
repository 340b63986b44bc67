// SPDX-License-Identifier: Apache-2.0
#include "sim/report/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/program/asked_collectives.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/times/host_update.hpp"
#include "sim/times/published.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/stack_history.hpp"

namespace sim {
namespace {

std::string origin_of(const Fitted& fitted, std::string_view key) {
  if (!fitted.rests_on_rows(key)) return "set by hand: no rows are named";
  return fmt::format("fitted to {}", joined(fitted.rows));
}

void add_fitted(const Cluster& cluster, std::map<std::string, std::string>& sources) {
  const Fitted& fitted = cluster.fitted;
  if (fitted.network_efficiency) {
    sources["network.fitted_efficiency"] = fmt::format("{:.4g}, {}", *fitted.network_efficiency,
                                                       origin_of(fitted, "network_efficiency"));
  }
  if (fitted.communicator_bandwidth) {
    sources["network.communicator_bandwidth"] =
        fmt::format("{}, {}", to_text(*fitted.communicator_bandwidth),
                    origin_of(fitted, "communicator_bandwidth"));
  }
  const std::string efficiency = efficiency_source(cluster);
  if (!efficiency.empty()) sources["gpu.compute_efficiency"] = efficiency;
}

// What a table measured of the GPU itself, where the prediction used it (as_measured()).
void add_measured(const StepContext& context, std::map<std::string, std::string>& sources) {
  const Gpu& gpu = context.cluster.gpu;
  const Calibration& table = context.calibration;
  const Gpu measured = as_measured(gpu, table);
  if (table.gpu != gpu.name) return;
  if (const double speed = memory_speed(table, gpu); speed != 1) {
    sources["gpu.memory_bandwidth"] = fmt::format(
        "{}, {:.4g} times that of the GPU that was measured ({}): rates that memory bounds follow "
        "it",
        to_text(gpu.memory_bandwidth), speed, table.name);
  }
  if (table.copy_bandwidth && measured.memory_efficiency == gpu.memory_efficiency) {
    sources["gpu.memory_efficiency"] = fmt::format("{:.4g}, a large copy measured on {} ({})",
                                                   gpu.memory_efficiency, gpu.name, table.name);
  }
  if (table.launch_latency && measured.launch_latency == gpu.launch_latency) {
    sources["gpu.launch_latency"] = fmt::format("{:.3g} us, measured on {} ({})",
                                                gpu.launch_latency / 1_us, gpu.name, table.name);
  }
}

// What a kernel costs the host.
void add_host(const StepContext& context, std::map<std::string, std::string>& sources) {
  const auto host = host_of(context.calibration.hosts, context.parallelism.kernels);
  if (!host) return;
  sources["host"] = fmt::format(
      "{:.3g} us to issue a kernel{}: {}", host->issue_s * 1e6,
      host->spread > 0 ? fmt::format(", give or take {:.0f} %", 100 * host->spread) : "",
      host->source);
}

// Products, attention, norms and casts: measured, else published, else the roofline.
void add_kernels(const StepContext& context, std::map<std::string, std::string>& sources) {
  const Gpu& gpu = context.cluster.gpu;
  const Calibration& table = context.calibration;
  const PublishedKernels* published = table.published.get();
  sources["gemm"] =
      published ? products_source(*published) : "roofline: peak rate times whole waves of tiles";
  if (published == nullptr) return;
  if (has_layers_with(context.model, Block::experts)) {
    sources["grouped products"] = grouped_source(*published);
  }
  const Attention attention = context.parallelism.attention;
  if (is_fused(attention) && !gpu.fused_attention) {
    sources["attention"] = attention_source(*published, attention);
  }
  sources["norms"] = fmt::format("published ({}), give or take {:.0f} %", published->norms.source,
                                 100 * published->norms.spread);
  if (context.parallelism.matrices != MatrixPrecision::bf16) {
    sources["casts"] = fmt::format("published ({}), give or take {:.0f} %", published->casts.source,
                                   100 * published->casts.spread);
  }
}

// What it is, and what the cards are that it names.
void add_scheme(const Scheme& scheme, std::map<std::string, std::string>& sources) {
  sources["scheme " + scheme.name] = scheme.source.empty()
                                         ? scheme.summary
                                         : fmt::format("{} ({})", scheme.summary, scheme.source);
  for (const Wire* wire : scheme.wires()) {
    if (wire->card) sources["card " + wire->name()] = wire->card->summary;
  }
}

// To other nodes, a message for each.
bool sends_rows_apart(const Parallelism& p) {
  return dispatches(p) && p.dispatcher != Dispatcher::all_to_all;
}

}  // namespace

std::string efficiency_source(const Cluster& cluster) {
  if (cluster.fitted.compute_efficiency) {
    return fmt::format("{:.4g}, {}", *cluster.fitted.compute_efficiency,
                       origin_of(cluster.fitted, "compute_efficiency"));
  }
  if (!cluster.default_efficiency) return "";
  const EfficiencyDefault& assumed = *cluster.default_efficiency;
  return fmt::format("{:.3g}, default, give or take {:.0f} %: {}", assumed.efficiency,
                     100 * assumed.spread, assumed.source);
}

std::string approximation(double unfolded_flows) {
  return fmt::format(
      "folded, with an error of up to {:.0f} % where ranks are spread unevenly over the nodes, or "
      "{:.0f} "
      "% where hashes or other jobs load links unevenly; an exact simulation, step by step, is "
      "limited to {:.0f} flows and would need {:.3g}",
      100 * kUnevenError, 100 * kUnevenLinksError, kMostUnfolded, unfolded_flows);
}

std::string in_phase_text() {
  return fmt::format(
      "folded, so that what all replicas send meets on links at once, and the step is up to half "
      "as slow again; `whole` simulates GPUs at their own speeds, here more than {:.0f} operations",
      kMostInPhase);
}

std::map<std::string, std::string> sources_of(const StepContext& context, const Scheme& scheme) {
  const Cluster& cluster = context.cluster;
  std::map<std::string, std::string> sources;
  sources["cluster"] = fmt::format("{}.toml: {}", cluster.name, cluster.summary);
  sources["model"] = fmt::format("{}: {}", context.model.file, context.model.summary);
  sources["gpu"] = fmt::format("{}: data sheet in {}.toml", cluster.gpu.name, cluster.name);
  if (!cluster.gpu.price_as_of.empty()) {
    sources["gpu.price"] =
        fmt::format("{:.4g} USD/h, {}", cluster.gpu.price.base() * 3600, cluster.gpu.price_as_of);
  }
  sources["nvlink"] = fmt::format("{}.toml", cluster.name);
  sources["network"] = fmt::format("{}.toml", cluster.name);
  if (sends_rows_apart(context.parallelism) && cluster.network.message.base() > 0) {
    sources["network.message"] = fmt::format("{} for each row of experts beside its bytes",
                                             to_text(cluster.network.message));
  }
  if (const Stack* stack = context.parallelism.stack) {
    sources["stack"] = fmt::format("{}: {}", stack_name(*stack, context.parallelism.stack_date),
                                   stack_source(*stack, context.parallelism.stack_date));
  }
  add_kernels(context, sources);
  if (context.calibration.gpu == cluster.gpu.name && !context.calibration.passes.empty()) {
    std::vector<std::string_view> passes;
    for (const auto& [pass, times] : context.calibration.passes) passes.push_back(name_of(pass));
    std::ranges::sort(passes);
    sources["passes"] = fmt::format("{}: measured ({})", joined(passes), context.calibration.name);
  }
  add_measured(context, sources);
  add_fitted(cluster, sources);
  add_host(context, sources);
  const std::string optimizer =
      optimizer_state_source(cluster, context.parallelism, context.calibration);
  if (!optimizer.empty()) sources["optimizer state"] = optimizer;
  const std::string offloaded = offloaded_source(cluster, context.parallelism);
  if (!offloaded.empty()) sources["activations"] = offloaded;
  sources["memory"] = fit_source();
  add_scheme(scheme, sources);
  for (const std::string& line : codec_sources(context, scheme)) {
    const auto colon = line.find(": ");
    sources["codec " + line.substr(0, colon)] = line.substr(colon + 2);
  }
  sources.merge(asked_outcome(context, scheme).takers);
  return sources;
}

}  // namespace sim
