// SPDX-License-Identifier: Apache-2.0
// The keys of a file of sites, a row each.
#pragma once

#include <span>

#include "sim/base/fields.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

[[nodiscard]] std::span<const Field<WideArea>> area_fields();  // before the first table
// Of [wan], [tcp] and [rdma], by their full names.
[[nodiscard]] std::span<const Field<Transport>> connection_fields();
// `cluster` and `nodes` are read as the name and the nodes of the site's cluster, to be loaded.
[[nodiscard]] std::span<const Field<Site>> site_fields();
[[nodiscard]] std::span<const Field<Site>> site_changes();  // `changes` and `repeats`
[[nodiscard]] std::span<const Rule<Site>> site_rules();
[[nodiscard]] std::span<const Field<WideArea>> membership_fields();  // once the sites are read
[[nodiscard]] std::span<const Field<WideLink>> backbone_fields();
[[nodiscard]] std::span<const Field<WideLink>> link_fields();
[[nodiscard]] std::span<const Rule<WideLink>> link_rules();
[[nodiscard]] std::span<const Field<Store>> store_fields();
[[nodiscard]] std::span<const Field<Syncer>> syncer_fields();

// Of all GPUs of a cluster, without a cap.
[[nodiscard]] Watts gpu_power(const Cluster& cluster);

}  // namespace sim
