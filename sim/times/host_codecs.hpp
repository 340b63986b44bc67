// SPDX-License-Identifier: Apache-2.0
// Codecs that hosts run (`host-codecs`) in the times of a CPU's table: between sites, or in the steps of
// a cluster. As many threads work for each GPU as the table was measured with. Where a host has fewer
// cores (host.cores), its ranks, which all encode at the same time, share them evenly: everything takes
// threads over cores times as long.
#pragma once

#include "sim/times/calibration.hpp"
#include "sim/times/wire.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// A CPU's table where the cluster's ranks share its cores.
[[nodiscard]] Calibration with_cores(Calibration host, const Cluster& cluster);

// Whether hosts encode: a card's times are a GPU's.
[[nodiscard]] bool hosts_encode(const Wire& wire, const Calibration& calibration);
// The same of a step inside a cluster.
[[nodiscard]] bool hosts_encode_step(const Wire& wire, const Calibration& calibration);

// Of a kernel on the host, or of the two that do what is one on a GPU; there must be a table.
[[nodiscard]] KernelEstimate host_codec_time(const Calibration& calibration, const CodecUse& use);
// Of a kernel of a step, on the host or the GPU.
[[nodiscard]] KernelEstimate step_codec_time(const Calibration& calibration, const Gpu& gpu,
                                             const CodecUse& use);

}  // namespace sim
