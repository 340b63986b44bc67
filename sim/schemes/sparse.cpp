// SPDX-License-Identifier: Apache-2.0
// SparseLoCo (arXiv 2508.15706): the largest 64 of each 4096 changes, in 2 bits and 12 of index,
// with error feedback; every site gets every other one's.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

constexpr const char* kSource = "arXiv 2508.15706";

// There is no outer momentum: the outer weights in FP32 are read and written, the weights written.
SiteExchange dense_exchange() {
  return {.exchange = &exchanges::all_gather,
          .wire = wire("fp32"),
          .inner_steps = 30,
          .state_bytes = 4,
          .update_bytes = 3 * 4};
}

SiteExchange sparse_exchange(const Exchange& exchange) {
  SiteExchange sparse = dense_exchange();
  sparse.exchange = &exchange;
  sparse.wire = wire("sparseloco");
  sparse.feedback = true;
  sparse.state_bytes += 4;  // the residual in FP32
  return sparse;
}

}  // namespace

Scheme sparseloco() {
  return {.name = "sparseloco",
          .summary =
              "SparseLoCo: 1.6 % of weight deltas every 30 steps in 2 bits, error feedback, "
              "all_gather",
          .source = kSource,
          .between_sites = sparse_exchange(exchanges::all_gather),
          .twin = "sparseloco_dense"};
}

// The entropy of 64 of 4096 indices is 7.36 bits each, and their code takes 7.375 (Cover, "Enumerative
// source coding", 1973).
Scheme sparseloco_enumerated() {
  SiteExchange enumerated = sparse_exchange(exchanges::all_gather);
  enumerated.wire = wire("sparseloco_enumerated");
  return {.name = "sparseloco_enumerated",
          .summary = "sparseloco with entropy-coded indices: 7.375 bits instead of 12",
          .source = kSource,
          .between_sites = enumerated,
          .twin = "sparseloco_dense"};
}

// The deployed code stores each 2-bit code in a byte: 12 + 8 bits a value instead of 12 + 2.
Scheme sparseloco_deployed() {
  SiteExchange deployed = sparse_exchange(exchanges::store);
  deployed.sent_per_byte = (12.0 + 8.0) / (12.0 + 2.0);
  return {.name = "sparseloco_deployed",
          .summary = "sparseloco as deployed: one byte per code, through object storage",
          .source = kSource,
          .between_sites = deployed,
          .twin = "sparseloco_dense"};
}

Scheme sparseloco_store() {
  return {.name = "sparseloco_store",
          .summary = "sparseloco through object storage",
          .source = kSource,
          .between_sites = sparse_exchange(exchanges::store),
          .twin = "sparseloco_dense"};
}

Scheme sparseloco_dense() {
  return {.name = "sparseloco_dense",
          .summary = "sparseloco without compression: FP32 weight deltas",
          .source = kSource,
          .between_sites = dense_exchange(),
          .twin = "sparseloco_dense"};
}

}  // namespace sim
