// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/exchanges.hpp"

namespace sim {
namespace {

constexpr const Reduction* kReductions[] = {&reductions::ring,       &reductions::all_to_all,
                                            &reductions::two_level,  &reductions::all_gather,
                                            &reductions::all_reduce, &reductions::low_rank};
constexpr const Exchange* kExchanges[] = {
    &exchanges::flat_ring, &exchanges::ring, &exchanges::all_to_all, &exchanges::all_gather,
    &exchanges::store,     &exchanges::pair, &exchanges::leader};

}  // namespace

std::span<const Reduction* const> all_reductions() { return kReductions; }
std::span<const Exchange* const> all_exchanges() { return kExchanges; }

}  // namespace sim
