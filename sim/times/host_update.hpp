// SPDX-License-Identifier: Apache-2.0
// An optimizer whose state the hosts keep (`optimizer-state` host), in one of two forms:
//
//   GPUs update    the state goes to the GPU before the update and back after it, a piece at a time.
//     A host's speed does not matter. How fast hosts update differs too much for a constant: for
//     DeepSpeed's CPU Adam users report from 0.7 s (11.6 billion parameters in 8.2 s, DeepSpeed pull
//     request 735) to 16 s for a billion parameters (1.35 billion in 21.8 s, issue 1635).
//   hosts update   gradients go to the hosts and new weights come back, as in ZeRO-Offload
//     (arXiv 2101.06840), where the speed of the hosts is given (`host-codecs`): they update at the
//     bandwidth of their memory. Not Muon, whose products are the GPUs'.
#pragma once

#include <string>

#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Of a pass over a host's memory by the threads that work for one GPU.
[[nodiscard]] double host_pass_s(const Calibration& calibration, double bytes);

// Whether hosts take the gradients and update.
[[nodiscard]] bool hosts_take_step(const Parallelism& parallelism, const Calibration& calibration);

// What the hosts hold for one GPU, mean over pipeline stages: the optimizer's state; where they
// update, or keep the weights' shards, the weights that it updates in any case.
[[nodiscard]] double host_optimizer_bytes(const Cluster& cluster, const Model& model,
                                          const Parallelism& parallelism,
                                          const Calibration& calibration);

// Of activations on hosts likewise: "of all layers on the hosts; copies at ...".
[[nodiscard]] std::string offloaded_source(const Cluster& cluster, const Parallelism& parallelism);
// For a report, of what hosts keep: "copies at 51.2 GB/s per GPU and direction".
[[nodiscard]] std::string host_copies_source(const Cluster& cluster);
// The optimizer's state: "on the hosts; copies at 51.2 GB/s per GPU and direction"; empty if GPUs keep
// it.
[[nodiscard]] std::string optimizer_state_source(const Cluster& cluster,
                                                 const Parallelism& parallelism,
                                                 const Calibration& calibration);

}  // namespace sim
