// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file, a row each.
#pragma once

#include <span>

#include "sim/base/fields.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// Far above any machine, and low enough that products of a few counts fit.
inline constexpr NumberRange kNodes = from_to(1, 131'072);
inline constexpr NumberRange kPerNode = from_to(1, 1'024);
// Routers, and links of a router.
inline constexpr NumberRange kPorts = from_to(1, 256);

[[nodiscard]] std::span<const Field<Cluster>> file_fields();  // before the first table
[[nodiscard]] std::span<const Field<Cluster>> cluster_fields();
[[nodiscard]] std::span<const Field<Gpu>> gpu_fields();
[[nodiscard]] std::span<const Field<Nvlink>> nvlink_fields();
[[nodiscard]] std::span<const Field<Network>> network_fields();
[[nodiscard]] std::span<const Field<Collectives>> collectives_fields();
[[nodiscard]] std::span<const Field<HostCores>> host_fields();
[[nodiscard]] std::span<const Field<Fitted>> fitted_fields();

[[nodiscard]] std::span<const Rule<Cluster>> cluster_rules();
[[nodiscard]] std::span<const Rule<Cluster>> dragonfly_rules();
// What is usual for a dragonfly, of a cluster that obeys the rules.
void fill_dragonfly(Cluster& cluster);

// What is usual for a file's cluster.
[[nodiscard]] Cluster usual_cluster();

}  // namespace sim
