// SPDX-License-Identifier: Apache-2.0
// The latencies of collectives, of all protocols together, and the fields that set them.
#pragma once

#include <string>

#include "sim/topology/cluster.hpp"

namespace sim::study {

// Of a step.
void scale_latencies(Network& network, double factor);
void scale_latencies(Nvlink& nvlink, double factor);
[[nodiscard]] std::string latency_fields(const Network& network);
[[nodiscard]] std::string latency_fields(const Nvlink& nvlink);

// Fixed costs of collectives, whatever their steps.
void scale_launches(Cluster& cluster, double factor);
[[nodiscard]] std::string launch_fields(const Cluster& cluster);

}  // namespace sim::study
