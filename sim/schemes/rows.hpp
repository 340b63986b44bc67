// SPDX-License-Identifier: Apache-2.0
// Building blocks of the registry's rows.
#pragma once

#include "sim/schemes/formats.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {

// A codec from the catalogue.
[[nodiscard]] inline Wire wire(std::string_view codec) {
  return {codecs::codec_named(codec).format};
}

[[nodiscard]] inline GradientExchange by_all_to_all(const Wire& wire) {
  return {.algorithm = &reductions::all_to_all, .inside = wire, .between = wire};
}

// The rows inside a site, defined in uncompressed.cpp, sdp4bit.cpp, zeropp.cpp, quantized.cpp and
// feedback.cpp.
Scheme plain_data_parallel();
Scheme sharded();
Scheme sharded_all_to_all();
Scheme qwd();
Scheme tlq();
Scheme tlq_hs();
Scheme ulq();
Scheme sdp4bit();
Scheme sdp4bit_unfused();
Scheme qwz();
Scheme hpz();
Scheme qgz();
Scheme zeropp();
Scheme loco();
Scheme qsdp();
Scheme int8_all_reduce();
Scheme int4_all_reduce();
Scheme fp8_gather();
Scheme mxfp8_gather();
Scheme nvfp4_gather();
Scheme fp8_gradients();
Scheme mxfp4_gradients();
Scheme ef_sign();
Scheme one_bit_adam();
Scheme top_k();
Scheme random_k();
Scheme power_sgd();

// The rows between sites, defined in synchronous.cpp, diloco.cpp and sparse.cpp.
Scheme wan_flat();
Scheme wan_sync();
Scheme wan_sync_bf16();
Scheme wan_sync_int4();
Scheme diloco();
Scheme diloco_bf16();
Scheme diloco_int8();
Scheme diloco_int4();
Scheme hierarchical_diloco();
Scheme streaming_diloco();
Scheme streaming_diloco_bf16();
Scheme eager_diloco();
Scheme muloco();
Scheme muloco_fp32();
Scheme decoupled_diloco();
Scheme decoupled_diloco_bf16();
Scheme noloco();
Scheme sparseloco();
Scheme sparseloco_enumerated();
Scheme sparseloco_deployed();
Scheme sparseloco_store();
Scheme sparseloco_dense();
Scheme demo();

}  // namespace sim
