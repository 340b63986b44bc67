// SPDX-License-Identifier: Apache-2.0
// Schemes whose sites agree on every step: plain and hierarchical data parallelism, and DeMo.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

SiteExchange of_gradients(const Exchange& exchange, const char* codec) {
  return {.exchange = &exchange, .wire = wire(codec), .gradients = true};
}

}  // namespace

Scheme wan_flat() {
  return {.name = "wan_flat",
          .summary = "plain data parallelism: one ring over the GPUs of all sites, FP32",
          .between_sites = of_gradients(exchanges::flat_ring, "fp32"),
          .twin = "wan_flat"};
}

Scheme wan_sync() {
  return {.name = "wan_sync",
          .summary =
              "every step: reduce_scatter inside sites, FP32 all_reduce across, all_gather "
              "inside",
          .between_sites = of_gradients(exchanges::ring, "fp32"),
          .twin = "wan_sync"};
}

Scheme wan_sync_bf16() {
  return {.name = "wan_sync_bf16",
          .summary = "wan_sync with gradients in BF16 across sites",
          .between_sites = of_gradients(exchanges::ring, "bf16"),
          .twin = "wan_sync_bf16"};
}

// SDP4Bit's wire between nodes (section 3.2), here between sites.
Scheme wan_sync_int4() {
  return {.name = "wan_sync_int4",
          .summary = "wan_sync with Hadamard-transformed INT4 across sites, via all_to_all",
          .source = "arXiv 2410.15526",
          .between_sites = of_gradients(exchanges::all_to_all, "int4_g128_hadamard_sr"),
          .twin = "wan_sync"};
}

// Momentum is kept apart on every replica, and its largest DCT coefficients are what all of them
// step by. State: the momentum in FP32.
Scheme demo() {
  SiteExchange coefficients = of_gradients(exchanges::all_gather, "demo_top32");
  coefficients.feedback = true;
  coefficients.state_bytes = 4;
  coefficients.update_bytes = 8;
  return {.name = "demo",
          .summary = "DeMo: in every step, the largest 32 DCT coefficients of each 64 x 64 tile",
          .source = "arXiv 2411.19870",
          .between_sites = coefficients,
          .twin = "wan_sync"};
}

}  // namespace sim
