// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file about the cluster as a whole and its GPUs.
#include "sim/topology/cluster_fields.hpp"

#include <fmt/format.h>

namespace sim {
namespace {

constexpr Field<Cluster> kFileFields[] = {
    field<&Cluster::summary>("summary", kAny, kRequired,
                             "One-line description, shown by `gardenhose list topologies`."),
};

constexpr Field<Cluster> kClusterFields[] = {
    field<&Cluster::nodes>("nodes", kNodes, kRequired, "Nodes in the cluster."),
    field<&Cluster::gpus_per_node>("gpus_per_node", kPerNode, kRequired, "GPUs in each node."),
    field<&Cluster::speed_spread>(
        "speed_spread", from_to(0, 1), kUsualValue,
        "Standard deviation of the speed of matrix products across GPUs, divided by the mean. The "
        "default is from five clusters whose GPUs differ by 8 % (arXiv 2208.11035).",
        "0.02"),
};

constexpr Condition<Gpu> kOfHosts{
    "host_bandwidth",
    [](const Gpu& gpu, std::string_view) { return gpu.host_bandwidth.has_value(); },
    "is a fraction of host_bandwidth, which is missing; add host_bandwidth"};

// The peaks that a limit of the power leaves.
void read_power_limit(TomlReader& reader, std::string_view key, const Field<Gpu>&, Gpu& gpu) {
  const Watts limit = reader.quantity<Watts>(key);
  if (!reader.is_good(key) || !reader.is_settled("gpu.power")) return;
  if (gpu.power <= Watts{}) {
    reader.wrong(key, "limits a GPU without power; set gpu.power, that of its data sheet");
  } else if (limit > gpu.power) {
    reader.wrong(key, fmt::format("{} is above gpu.power, {}, which no limit raises; write at "
                                  "most that, or leave it out",
                                  to_text(limit), to_text(gpu.power)));
  } else {
    gpu = power_capped(gpu, limit / gpu.power);
  }
}

constexpr Field<Gpu> kGpuFields[] = {
    field<&Gpu::name>("name", kAny, kRequired,
                      "The GPU's name as CUDA reports it. A calibration applies if its `gpu` has "
                      "the same value."),
    field<&Gpu::multiprocessors>(
        "multiprocessors", kPerNode, kRequired,
        "Streaming multiprocessors (SMs). The channels of a collective occupy some of them."),
    field<&Gpu::bf16>("bf16", kAboveZero, kRequired,
                      "Peak rate of the tensor cores in BF16, dense."),
    field<&Gpu::fp8>("fp8", kAboveZero, left_out("none: FP8 and MXFP8 are unavailable"),
                     "Peak rate of the tensor cores in FP8 and MXFP8, dense."),
    field<&Gpu::fp4>("fp4", kAboveZero, left_out("none: NVFP4 is unavailable"),
                     "Peak rate of the tensor cores in NVFP4, dense."),
    field<&Gpu::fused_attention>(
        "fused_attention", kShare, left_out("none: published rates of the attention kernel"),
        "Fraction of the BF16 peak that fused causal attention achieves, forward and backward."),
    field<&Gpu::fp32>("fp32", kAboveZero, kRequired,
                      "Peak FP32 rate of the vector units, which run the optimizer.", "67 TFLOPs"),
    field<&Gpu::memory>("memory", kAboveZero, kRequired, "Memory capacity."),
    field<&Gpu::memory_bandwidth>(
        "memory_bandwidth", kAboveZero, kRequired,
        "Memory bandwidth from the data sheet, reads plus writes. Measured times that memory "
        "bounds are scaled by its ratio to that of the measured GPU.",
        "3350 GBps"),
    field<&Gpu::memory_efficiency>(
        "memory_efficiency", kShare, kRequired,
        "Fraction of `memory_bandwidth` that copying large buffers achieves.", "0.9"),
    field<&Gpu::host_bandwidth>(
        "host_bandwidth", kAboveZero,
        left_out("none: hosts keep no outer state, no optimizer's and no activations"),
        "Bandwidth per direction of the GPU's link to its host, from the data sheet. With `pcie`, "
        "GPUs on one PCIe switch also share `bridge_bandwidth`.",
        "64 GBps"),
    field<&Gpu::host_efficiency>(
        "host_efficiency", kShare, kUsualValue,
        "Fraction of `host_bandwidth` that copying large buffers achieves. The default is from "
        "measured copies over PCIe 4, PCIe 5 and NVLink-C2C.")
        .only(kOfHosts),
    field<&Gpu::launch_latency>(
        "launch_latency", kAny, kRequired,
        "Gap between the end of one kernel and the start of the next on the same stream.", "2 us"),
    field<&Gpu::price>("price", kAny, kRequired,
                       "Price of one GPU, including its share of the node and of everything that "
                       "is billed with the node."),
    field<&Gpu::price_as_of>("price_as_of", kAny, left_out("not shown"),
                             "When the price was so, shown beside it.", "end of 2024"),
    field<&Gpu::power>("power", kAny, kRequired, "Power of one GPU under load."),
    // No member: it lowers others, those above it.
    {.name = "power_limit",
     .range = kAboveZero,
     .usual = left_out("`power`"),
     .meaning = "Power limit of one GPU, at most `power`. Clock rates, and with them the peaks, "
                "are scaled by the square root of the ratio of the two.",
     .value = field_values::words<Watts>,
     .read = read_power_limit},
};

constexpr EnumName<Processor> kProcessorNames[] = {
    {"intel", Processor::intel}, {"amd", Processor::amd}, {"arm", Processor::arm}};

constexpr Field<HostCores> kHostFields[] = {
    choice<&HostCores::processor, kProcessorNames>(
        "processor", kUsualValue,
        "Make of the host's processors: NCCL's tuner expects less of LL between nodes of AMD's."),
    field<&HostCores::cores>("cores", {.lowest = 0, .highest = 65'536, .above_zero = true},
                             left_out("as many as ranks want"),
                             "Cores of a host, which its ranks share: with `host-codecs`, and to "
                             "send and receive.",
                             "64"),
    field<&HostCores::ranks>("ranks", kPerNode, left_out("`cluster.gpus_per_node`"),
                             "Ranks that share a host's cores: more than a node has where several "
                             "nodes are processes of one machine.",
                             "8"),
    field<&HostCores::core_bandwidth>(
        "core_bandwidth", kAboveZero, left_out("no limit"),
        "Bandwidth at which one core sends through the kernel's network stack while it receives as "
        "much. Absent where NICs move bytes without the host, as with RDMA.",
        "2 GBps"),
};

constexpr Field<Fitted> kFittedFields[] = {
    field<&Fitted::network_efficiency>("network_efficiency", kShare, left_out("1"),
                                       "Additional factor applied to the bandwidth after "
                                       "`network.efficiency`; fitted to measurements."),
    field<&Fitted::communicator_bandwidth>(
        "communicator_bandwidth", kAboveZero, left_out("no limit"),
        "Measured limit on the bandwidth at which one communicator can send out of a node."),
    field<&Fitted::compute_efficiency>(
        "compute_efficiency", {.lowest = 0, .highest = kMostEfficiency, .above_zero = true},
        left_out("the efficiency of published runs on this kind of GPU"),
        "Measured speed of operators over that of published kernels or, without such, over the "
        "roofline."),
    field<&Fitted::host_slowdown>(
        "host_slowdown", {.lowest = 0, .highest = kMostSlowdown, .above_zero = true}, left_out("1"),
        "Factor on the times that hosts take to issue kernels, unless `host-issue` gives them; "
        "fitted to measured steps."),
    field<&Fitted::rows>("rows", kAny,
                         left_out("none: the constants are treated as if set by hand"),
                         "Names (as in `gardenhose validate`) of the published rows to which these "
                         "constants were fitted."),
};

}  // namespace

std::span<const Field<Cluster>> file_fields() { return kFileFields; }
std::span<const Field<Cluster>> cluster_fields() { return kClusterFields; }
std::span<const Field<Gpu>> gpu_fields() { return kGpuFields; }
std::span<const Field<HostCores>> host_fields() { return kHostFields; }
std::span<const Field<Fitted>> fitted_fields() { return kFittedFields; }

}  // namespace sim
