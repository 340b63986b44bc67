// SPDX-License-Identifier: Apache-2.0
// Which algorithms and protocols a collective may take where a cluster asks for lists of them
// (sim/topology/nccl_lists.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "sim/collectives/algorithm.hpp"
#include "sim/topology/nccl_lists.hpp"

namespace sim {

// Nothing for collectives that such lists are not for.
[[nodiscard]] std::optional<NcclFunction> function_of(CollectiveKind collective);

// A list that is not for the collective enables everything; one that is enables no algorithm for which
// NCCL has no name.
[[nodiscard]] bool is_enabled(const NcclList& algorithms, CollectiveKind collective,
                              const CollectiveAlgorithm& algorithm);
[[nodiscard]] bool is_enabled(const NcclList& protocols, CollectiveKind collective,
                              Protocol protocol);

// What `algorithm` and `protocol` ask for, in place of what the cluster's file does: a name, a list of
// NCCL's, or `fastest`. Throws an InputError that begins with `place`.
void ask_algorithm(std::string_view text, std::string_view place, Collectives& collectives);
void ask_protocol(std::string_view text, std::string_view place, Collectives& collectives);

}  // namespace sim
