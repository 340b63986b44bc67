// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include "sim/study/search/latencies.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/search/set_field.hpp"
#include "sim/study/simulation.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {
namespace {

bool is_measured_here(const Cluster& cluster, const Calibration& calibration) {
  return calibration.gpu == cluster.gpu.name && calibration.kind == "measured";
}

// A constant typed by hand is no fit, and with one of two nobody knows what was measured.
bool has_fitted_network(const Fitted& fitted) {
  const bool has_share = fitted.network_efficiency.has_value();
  const bool has_cap = fitted.communicator_bandwidth.has_value();
  const bool share_is_typed = has_share && !fitted.rests_on_rows("network_efficiency");
  const bool cap_is_typed = has_cap && !fitted.rests_on_rows("communicator_bandwidth");
  return (has_share || has_cap) && !share_is_typed && !cap_is_typed;
}

Spread nic_spread(const Cluster& cluster, const Calibration&) {
  if (has_fitted_network(cluster.fitted)) {
    return {0.05, "error of predicted gradient exchanges on the rows of the fit (validate)"};
  }
  return {
      .of_logarithm = 0.05,
      .source =
          "a judgement: at most the line's rate, and half of the data sheet in one cluster of ten",
      .towards_slower = -std::log(kSlowDelivery) / kLikelySpreads};
}

void scale_nics(Cluster& cluster, Calibration&, double factor) {
  cluster = with_nics(std::move(cluster), factor);
}

std::string nic_fields(const Cluster& cluster, const Calibration&) {
  std::string fields = set_field("network.nic_bandwidth", cluster.network.nic_bandwidth);
  const auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) fields += " " + set_field("fitted.communicator_bandwidth", *cap);
  return fields;
}

Spread nvlink_spread(const Cluster&, const Calibration&) {
  return {0.07,
          "fractions that collectives achieve on the shipped clusters' NVLinks, 0.76 to 0.94"};
}

Spread latency_spread(const Cluster&, const Calibration&) {
  return {0.27, "two versions of NCCL's tuning table: 9.6 us and 14 us"};
}

Spread kernel_launch_spread(const Cluster& cluster, const Calibration& calibration) {
  if (is_measured_here(cluster, calibration) && calibration.launch_latency) {
    return {0.05, "a judgement: measured on this GPU"};
  }
  return {0.56, "two sources: 2 us on an H100, 0.9 us in CUDA graphs"};
}

// A step waits for its slowest GPU. The largest of n values of a normal distribution scatters by its
// standard deviation times pi / sqrt(12 ln n) (Gumbel's limit).
double of_slowest(const Cluster& cluster) {
  const double n = rank_count(cluster);
  const double share = n > 2 ? std::numbers::pi / std::sqrt(12 * std::log(n)) : 1;
  return cluster.speed_spread * share;
}

Spread matrix_spread(const Cluster& cluster, const Calibration&) {
  Spread spread = efficiency_spread(cluster);
  if (cluster.speed_spread > 0) {
    spread.of_logarithm = std::hypot(spread.of_logarithm, of_slowest(cluster));
    spread.source += ", and the slowest GPU, by speed_spread";
  }
  return spread;
}

void scale_matrices(Cluster& cluster, Calibration&, double factor) {
  Gpu& gpu = cluster.gpu;
  gpu.bf16 = gpu.bf16 * factor;
  if (gpu.fp8) gpu.fp8 = *gpu.fp8 * factor;
  if (gpu.fp4) gpu.fp4 = *gpu.fp4 * factor;
}

std::string matrix_fields(const Cluster& cluster, const Calibration&) {
  const Gpu& gpu = cluster.gpu;
  std::string fields = set_field("gpu.bf16", gpu.bf16);
  if (gpu.fp8) fields += " " + set_field("gpu.fp8", *gpu.fp8);
  if (gpu.fp4) fields += " " + set_field("gpu.fp4", *gpu.fp4);
  return fields;
}

Spread attention_spread(const Cluster& cluster, const Calibration& calibration) {
  if (!cluster.gpu.fused_attention && calibration.published) {
    const PublishedAttention& row = calibration.published->attention_of(Attention::fused);
    return {row.spread, row.source};
  }
  return {0.2, "a judgement: published forward kernels reach 0.35 to 0.75 of the peak"};
}

void scale_attention(Cluster& cluster, Calibration& calibration, double factor) {
  calibration.attention_slowdown /= factor;
  auto& share = cluster.gpu.fused_attention;
  if (share) share = std::min(1.0, *share * factor);
}

std::string attention_fields(const Cluster& cluster, const Calibration&) {
  const auto& share = cluster.gpu.fused_attention;
  return share ? set_field("gpu.fused_attention", *share) : "";
}

Spread memory_spread(const Cluster& cluster, const Calibration& calibration) {
  if (is_measured_here(cluster, calibration) && calibration.copy_bandwidth) {
    return {0.02, "a judgement: measured on this GPU"};
  }
  return {0.05, "fractions that BabelStream achieves on the shipped clusters' GPUs, 0.78 to 0.90"};
}

void scale_memory(Cluster& cluster, Calibration&, double factor) {
  cluster.gpu.memory_bandwidth = cluster.gpu.memory_bandwidth * factor;
}

std::string memory_fields(const Cluster& cluster, const Calibration&) {
  return set_field("gpu.memory_bandwidth", cluster.gpu.memory_bandwidth);
}

// The median over kernels, each at its largest size. Of a normal distribution the quartiles are
// 1.349 standard deviations apart.
double spread_of_kernels(const Calibration& calibration) {
  std::vector<double> spreads;
  for (const auto* table : {&calibration.kernels, &calibration.methods}) {
    for (const auto& [key, times] : **table) {
      if (times.back().spread > 0) spreads.push_back(times.back().spread / 1.349);
    }
  }
  if (spreads.empty()) return 0;
  const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
  std::nth_element(spreads.begin(), middle, spreads.end());
  return *middle;
}

Spread codec_spread(const Cluster& cluster, const Calibration& calibration) {
  if (calibration.kernels->empty()) return {0.4, "a judgement: roofline, no kernel was measured"};
  if (calibration.gpu != cluster.gpu.name) {
    return {0.25, "a judgement: extrapolated from another GPU"};
  }
  // Launches scatter by a thousandth; two GPUs of a kind do by more, and nothing ran beside them.
  if (const double measured = spread_of_kernels(calibration); measured > 0) {
    return {std::max(0.03, measured), "a judgement, at least the scatter of the launches that " +
                                          calibration.name + " measured"};
  }
  return {0.1, "a judgement: published for this GPU without a spread"};
}

void scale_codecs(Cluster&, Calibration& calibration, double factor) {
  calibration.codec_slowdown *= factor;
}

std::string codec_fields(const Cluster&, const Calibration& calibration) {
  return fmt::format("`codec-time` {:.6g}", calibration.codec_slowdown);
}

Spread channels_spread(const Cluster&, const Calibration&) {
  return {0.35, "a judgement: NCCL takes 8 to 32 channels on GPUs of one kind"};
}

// As many for each NIC as for every other, if they were.
void scale_channels(Cluster& cluster, Calibration&, double factor) {
  int& channels = cluster.collectives.channels;
  const int nics = cluster.network.nics_per_node;
  const int each = channels % nics == 0 ? nics : 1;
  channels = each * std::max(1, static_cast<int>(std::lround(channels * factor / each)));
}

Spread differing_spread(const Cluster&, const Calibration&) {
  return {0.4, "a judgement: spans of 4 to 12 % between GPUs of one kind are published"};
}

// The widest of the hosts that run.
Spread host_spread(const Cluster&, const Calibration& calibration) {
  Spread widest{0, "given"};
  for (const HostRow& row : calibration.hosts.rows) {
    if (row.spread > widest.of_logarithm) widest = {row.spread, row.source};
  }
  return widest;
}

std::string host_fields(const Cluster&, const Calibration& calibration) {
  const Hosts& hosts = calibration.hosts;
  if (hosts.rows.empty()) return "";
  const HostRow& row = hosts.rows.front();
  const bool given = row.source == kGivenIssueTime;
  return given ? fmt::format("`host-issue` {:.6g}us", row.issue_s * hosts.slowdown * 1e6)
               : fmt::format("`host-issue` {:.6g}x", hosts.slowdown);
}

constexpr std::array kOfClusters{
    Assumption{"nic_bandwidth",
               "bandwidth that large collectives reach on each NIC",
               Concern::links,
               true,
               nic_spread,
               scale_nics,
               nic_fields,
               {},
               Constant::nic_bandwidth},
    Assumption{
        "nvlink_bandwidth", "bandwidth that large collectives reach on a GPU's NVLinks",
        Concern::links, true, nvlink_spread,
        [](Cluster& c, Calibration&, double f) { c.nvlink.bandwidth = c.nvlink.bandwidth * f; },
        [](const Cluster& c, const Calibration&) {
          return set_field("nvlink.bandwidth", c.nvlink.bandwidth);
        }},
    Assumption{"network_latency",
               "latency of a collective's step between nodes",
               Concern::links,
               false,
               latency_spread,
               [](Cluster& c, Calibration&, double f) { scale_latencies(c.network, f); },
               [](const Cluster& c, const Calibration&) { return latency_fields(c.network); },
               {},
               Constant::network_latency},
    Assumption{"nvlink_latency", "latency of a collective's step within a node", Concern::links,
               false, latency_spread,
               [](Cluster& c, Calibration&, double f) { scale_latencies(c.nvlink, f); },
               [](const Cluster& c, const Calibration&) { return latency_fields(c.nvlink); }},
    Assumption{"collective_launch", "fixed cost of a collective", Concern::library, false,
               latency_spread, [](Cluster& c, Calibration&, double f) { scale_launches(c, f); },
               [](const Cluster& c, const Calibration&) { return launch_fields(c); }},
    Assumption{"channels", "channels of a collective: SMs that kernels beside it do without",
               Concern::library, false, channels_spread, scale_channels,
               [](const Cluster& c, const Calibration&) {
                 return fmt::format("`set` collectives.channels={}", c.collectives.channels);
               }},
    Assumption{"speed_spread", "how much GPUs differ in speed: steps wait for the slowest",
               Concern::gpu, false, differing_spread,
               [](Cluster& c, Calibration&, double f) {
                 c.speed_spread = std::min(1.0, c.speed_spread * f);
               },
               [](const Cluster& c, const Calibration&) {
                 return fmt::format("`set` cluster.speed_spread={:.6g}", c.speed_spread);
               }},
    Assumption{
        "kernel_launch", "gap between one kernel's end and the next one's start", Concern::gpu,
        false, kernel_launch_spread,
        [](Cluster& c, Calibration&, double f) { c.gpu.launch_latency = c.gpu.launch_latency * f; },
        [](const Cluster& c, const Calibration&) {
          return set_field("gpu.launch_latency", c.gpu.launch_latency);
        }},
    Assumption{"matrix_rate", "rate of matrix products, in all precisions", Concern::gpu, true,
               matrix_spread, scale_matrices, matrix_fields},
    Assumption{"attention_rate", "fraction of the peak that fused attention achieves", Concern::gpu,
               true, attention_spread, scale_attention, attention_fields},
    Assumption{"memory_bandwidth", "bandwidth that passes over GPU memory reach", Concern::gpu,
               true, memory_spread, scale_memory, memory_fields},
    Assumption{"codec_time",
               "time of the codecs' kernels",
               Concern::gpu,
               false,
               codec_spread,
               scale_codecs,
               codec_fields,
               {},
               Constant::codec_time},
    Assumption{"host_issue", "time that the host takes to issue a kernel", Concern::library, false,
               host_spread, [](Cluster&, Calibration& c, double f) { c.hosts.slowdown *= f; },
               host_fields},
};

}  // namespace

constinit const Assumption kModel{
    .name = "model", .meaning = "what the model leaves out, of the ratio", .more_is_faster = true};

std::span<const Assumption> assumptions() {
  static const std::vector<Assumption> all = [] {
    std::vector<Assumption> rows(kOfClusters.begin(), kOfClusters.end());
    std::ranges::copy(assumptions_between_sites(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

bool rests_on(const Job& job, const Assumption& assumption) {
  if (assumption.concern != Concern::wide_area) return true;
  return job.inner && place_count(job.topology) > 1 &&
         assumption.between_sites.is_there(job.topology);
}

namespace {

// Of all stacks' hosts, those of the job's setups.
Calibration with_own_hosts(const Job& job, Calibration table) {
  if (job.setups.empty()) return table;
  std::erase_if(table.hosts.rows, [&](const HostRow& row) {
    return std::ranges::none_of(job.setups, [&](const Setup& setup) {
      return std::ranges::find(row.kernels, setup.parallelism.kernels) != row.kernels.end();
    });
  });
  return table;
}

}  // namespace

Spread spread_of(const Job& job, const Assumption& assumption) {
  if (assumption.concern == Concern::wide_area) {
    return assumption.between_sites.spread(job.topology);
  }
  Spread widest;
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    const Spread spread = assumption.spread(job.topology.sites[table].cluster,
                                            with_own_hosts(job, job.calibrations[table]));
    if (table == 0 || spread.of_logarithm > widest.of_logarithm) widest = spread;
  }
  return widest;
}

std::string fields_of(const Job& job, const Assumption& assumption) {
  if (assumption.concern == Concern::wide_area) {
    return assumption.between_sites.fields(job.topology);
  }
  std::string fields = assumption.fields(job.cluster(), job.calibration());
  return job.inner && fields.starts_with("`set` ") ? "" : fields;
}

Job scaled(Job job, const Assumption& assumption, double factor) {
  if (assumption.concern == Concern::wide_area) {
    assumption.between_sites.scale(job.topology, factor);
    return job;
  }
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    assumption.scale(job.topology.sites[table].cluster, job.calibrations[table], factor);
  }
  return job;
}

double sensitivity(const Job& job, const Setup& setup, const Assumption& assumption,
                   double seconds) {
  const double other = seconds_of(scaled(job, assumption, kSensitivityStep), setup);
  return std::log(seconds / other) / std::log(kSensitivityStep);
}

}  // namespace sim::study
