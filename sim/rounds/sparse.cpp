// SPDX-License-Identifier: Apache-2.0
// SparseLoCo (arXiv 2508.15706): the largest 64 of each 4096 changes, in 2 bits and 12 of index,
// with error feedback; every site gets every other one's.
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schemes/formats.hpp"

namespace sim {
namespace {

constexpr codecs::Format kSparse{.element = codecs::Element::codebook2, .group = 4096, .keep = 64};

// The outer weights and the residual in FP32; there is no outer momentum.
constexpr double kErrorState = 4 + 4;
// Outer weights read and written, weights written.
constexpr double kSparseUpdate = 3 * 4;

}  // namespace

extern const OuterScheme sparseloco{
    .name = "sparseloco",
    .summary =
        "SparseLoCo: 1.6 % of weight deltas every 30 steps in 2 bits, error feedback, all_gather",
    .exchange = Exchange::all_gather,
    .wire = kSparse,
    .feedback = true,
    .inner_steps = 30,
    .state_bytes = kErrorState,
    .update_bytes = kSparseUpdate,
    .twin = "sparseloco_dense"};

// The deployed code stores each 2-bit code in a byte: 12 + 8 bits a value instead of 12 + 2.
extern const OuterScheme sparseloco_deployed{
    .name = "sparseloco_deployed",
    .summary = "sparseloco as deployed: one byte per code, through object storage",
    .exchange = Exchange::store,
    .wire = kSparse,
    .feedback = true,
    .sent_per_byte = (12.0 + 8.0) / (12.0 + 2.0),
    .inner_steps = 30,
    .state_bytes = kErrorState,
    .update_bytes = kSparseUpdate,
    .twin = "sparseloco_dense"};

extern const OuterScheme sparseloco_store{.name = "sparseloco_store",
                                          .summary = "sparseloco through object storage",
                                          .exchange = Exchange::store,
                                          .wire = kSparse,
                                          .feedback = true,
                                          .inner_steps = 30,
                                          .state_bytes = kErrorState,
                                          .update_bytes = kSparseUpdate,
                                          .twin = "sparseloco_dense"};

extern const OuterScheme sparseloco_dense{
    .name = "sparseloco_dense",
    .summary = "sparseloco without compression: FP32 weight deltas",
    .exchange = Exchange::all_gather,
    .wire = formats::kFp32,
    .inner_steps = 30,
    .state_bytes = 4,
    .update_bytes = kSparseUpdate,
    .twin = "sparseloco_dense"};

}  // namespace sim
