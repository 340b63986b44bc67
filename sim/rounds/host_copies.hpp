// SPDX-License-Identifier: Apache-2.0
// Outer state on hosts: where it is used, and the copies over the GPUs' links that follow from it.
//
//   GPUs encode and update    piece by piece, so that the whole state is never in GPU memory: outer
//     weights and residual go to the GPU before the encoding, the residual back; weights and
//     momentum go there before the update, and back. The code that trained Covenant-72B keeps its
//     residual and outer weights on the host, encodes on the GPU and updates there, a parameter at a
//     time (one-covenant/templar, src/tplr/neurons.py).
//   ... beside inner steps    the state of a fragment goes to the GPU before its encoding and stays
//     there until it goes back after its update (Streaming DiLoCo, arXiv 2501.18512).
//   hosts encode and update (`host-codecs`)    the weights, in FP32, go to the hosts, which work at the
//     bandwidth of their memory, and the new weights come back. So do OpenDiLoCo and INTELLECT-1,
//     whose outer optimizer and ring run on the CPU (PrimeIntellect-ai/prime, Diloco).
#pragma once

#include "sim/schemes/scheme.hpp"
#include "sim/sites/plan_round.hpp"
#include "sim/times/calibration.hpp"

namespace sim {

// Whether hosts also take the changes and update, so that the GPUs hold neither state nor wires.
[[nodiscard]] bool hosts_update(const SiteExchange& exchange, const Calibration& calibration);

// Of one exchange of so many elements a GPU. None unless hosts keep the state; the cluster must have
// gpu.host_bandwidth then (problem()).
[[nodiscard]] HostCopies host_copies(const SiteExchange& exchange, const Cluster& cluster,
                                     const Calibration& calibration, double elements);

}  // namespace sim
