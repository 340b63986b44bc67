// SPDX-License-Identifier: Apache-2.0
// The channels that NCCL's search finds on a cluster (NVIDIA/nccl, src/graph/search.cc), as far as they
// follow from the bandwidths of a symmetric node: what all channels together take of each GPU's
// NVLinks and of each NIC has to fit.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/collectives/nccl/tuner.hpp"
#include "sim/topology/cluster.hpp"

namespace sim::nccl {

// Of an NVIDIA GPU by its name, 90 for "NVIDIA H100 80GB HBM3"; nothing for GPUs that are not known.
[[nodiscard]] std::optional<int> compute_capability(std::string_view gpu);

// A communicator over the ranks (ascending); nothing where NCCL does not drive the GPUs.
[[nodiscard]] std::optional<Group> group_of(const Cluster& cluster, const std::vector<int>& ranks,
                                            int nodes);
// Its tuner; null without `collectives.nccl`.
[[nodiscard]] std::shared_ptr<const Tuner> tuner_of(const Cluster& cluster,
                                                    const std::vector<int>& ranks, int nodes);

}  // namespace sim::nccl
