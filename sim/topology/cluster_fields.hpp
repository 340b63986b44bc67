// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file, a row each.
#pragma once

#include <span>

#include "sim/base/fields.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// Far above any machine, and low enough that products of a few counts fit.
inline constexpr NumberRange kNodes = from_to(1, 65'536);
inline constexpr NumberRange kPerNode = from_to(1, 1'024);

[[nodiscard]] std::span<const Field<Cluster>> file_fields();  // before the first table
[[nodiscard]] std::span<const Field<Cluster>> cluster_fields();
[[nodiscard]] std::span<const Field<Gpu>> gpu_fields();
[[nodiscard]] std::span<const Field<Nvlink>> nvlink_fields();
[[nodiscard]] std::span<const Field<Collectives>> collectives_fields();
[[nodiscard]] std::span<const Field<Fitted>> fitted_fields();

[[nodiscard]] std::span<const Rule<Cluster>> cluster_rules();

// What is usual for a file's cluster.
[[nodiscard]] Cluster usual_cluster();

}  // namespace sim
