// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/exchanges.hpp"

namespace sim {
namespace {

constexpr const Reduction* kReductions[] = {&reductions::ring,       &reductions::all_to_all,
                                            &reductions::two_level,  &reductions::all_gather,
                                            &reductions::all_reduce, &reductions::low_rank};
constexpr const ReductionMethod* kMethods[] = {&methods::loco, &methods::one_bit_adam};
constexpr const Exchange* kExchanges[] = {
    &exchanges::flat_ring,   &exchanges::ring,       &exchanges::quantized_ring,
    &exchanges::all_to_all,  &exchanges::all_gather, &exchanges::grouped_gather,
    &exchanges::tree_gather, &exchanges::store,      &exchanges::pair,
    &exchanges::leader,      &exchanges::syncer};

}  // namespace

// LoCo's residual is kept in INT8 (codecs/loco/loco.hpp).
constinit const ReductionMethod methods::loco{.name = "loco",
                                              .reduction = &reductions::two_level,
                                              .codec = "int4_full_g2048",
                                              .residual_bytes = 1};
constinit const ReductionMethod methods::one_bit_adam{.name = "one_bit_adam",
                                                      .reduction = &reductions::all_to_all,
                                                      .codec = "one_bit",
                                                      .residual_bytes = 4,
                                                      .sends_momentum = true};

std::span<const ReductionMethod* const> all_methods() { return kMethods; }
std::span<const Reduction* const> all_reductions() { return kReductions; }
std::span<const Exchange* const> all_exchanges() { return kExchanges; }

}  // namespace sim
