// SPDX-License-Identifier: Apache-2.0
// Schemes whose sites agree on every step: plain and hierarchical data parallelism, and DeMo.
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schemes/formats.hpp"

namespace sim {

extern const OuterScheme wan_flat{
    .name = "wan_flat",
    .summary = "plain data parallelism: one ring over the GPUs of all sites, FP32",
    .exchange = Exchange::flat_ring,
    .wire = formats::kFp32,
    .gradients = true,
    .twin = "wan_flat"};

extern const OuterScheme wan_sync{
    .name = "wan_sync",
    .summary = "every step: reduce_scatter inside sites, FP32 all_reduce across, all_gather inside",
    .exchange = Exchange::ring,
    .wire = formats::kFp32,
    .gradients = true,
    .twin = "wan_sync"};

extern const OuterScheme wan_sync_bf16{.name = "wan_sync_bf16",
                                       .summary = "wan_sync with gradients in BF16 across sites",
                                       .exchange = Exchange::ring,
                                       .wire = formats::kBf16,
                                       .gradients = true,
                                       .twin = "wan_sync_bf16"};

// SDP4Bit's wire between nodes (arXiv 2410.15526, section 3.2), here between sites.
extern const OuterScheme wan_sync_int4{
    .name = "wan_sync_int4",
    .summary = "wan_sync with Hadamard-transformed INT4 across sites, via all_to_all",
    .exchange = Exchange::all_to_all,
    .wire = formats::stochastic(codecs::Element::int4, 128, codecs::Rotation::hadamard),
    .gradients = true,
    .twin = "wan_sync"};

// arXiv 2411.19870: momentum is kept apart on every replica, and its largest DCT coefficients are
// what all of them step by. State: the momentum in FP32.
extern const OuterScheme demo{
    .name = "demo",
    .summary = "DeMo: in every step, the largest 32 DCT coefficients of each 64 x 64 tile",
    .exchange = Exchange::all_gather,
    .wire = {.element = codecs::Element::fp32,
             .group = 4096,
             .rotation = codecs::Rotation::dct,
             .block = 64,
             .keep = 32},
    .feedback = true,
    .gradients = true,
    .state_bytes = 4,
    .update_bytes = 8,
    .twin = "wan_sync"};

}  // namespace sim
