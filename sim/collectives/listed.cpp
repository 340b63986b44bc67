// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/listed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

struct NamedByNccl {
  std::string_view name;  // of kNcclAlgorithms
  const CollectiveAlgorithm* algorithm;
};
constexpr NamedByNccl kByNccl[] = {
    {"tree", &algorithms::tree},          {"ring", &algorithms::ring},
    {"ring", &algorithms::chain},         {"collnetdirect", &algorithms::sharp},
    {"collnetchain", &algorithms::sharp}, {"nvls", &algorithms::nvls},
    {"nvlstree", &algorithms::nvls_tree}, {"pat", &algorithms::pat}};

std::size_t place_of(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kNcclAlgorithms, name) -
                                  std::begin(kNcclAlgorithms));
}

NcclList parsed(NcclListText text, std::string_view place) {
  if (!text.list) throw InputError(fmt::format("{}: {}", place, text.problem));
  return std::move(*text.list);
}

}  // namespace

std::optional<NcclFunction> function_of(CollectiveKind collective) {
  switch (collective) {
    case CollectiveKind::all_gather:
      return NcclFunction::all_gather;
    case CollectiveKind::reduce_scatter:
      return NcclFunction::reduce_scatter;
    case CollectiveKind::all_reduce:
      return NcclFunction::all_reduce;
    case CollectiveKind::broadcast:
      return NcclFunction::broadcast;
    case CollectiveKind::all_to_all:
    case CollectiveKind::send_receive:
      return std::nullopt;
  }
  return std::nullopt;
}

bool is_enabled(const NcclList& algorithms, CollectiveKind collective,
                const CollectiveAlgorithm& algorithm) {
  const auto function = function_of(collective);
  return !function || std::ranges::any_of(kByNccl, [&](const NamedByNccl& one) {
    return one.algorithm == &algorithm && algorithms.has(*function, place_of(one.name));
  });
}

bool is_enabled(const NcclList& protocols, CollectiveKind collective, Protocol protocol) {
  const auto function = function_of(collective);
  return !function || protocols.has(*function, static_cast<std::size_t>(protocol));
}

void ask_algorithm(std::string_view text, std::string_view place, Collectives& collectives) {
  collectives.algorithms.reset();
  collectives.algorithm = nullptr;
  collectives.fastest = text == kFastest;
  if (collectives.fastest) return;
  if (is_nccl_list(text)) {
    collectives.algorithms = parsed(parse_nccl_list(text, kNcclAlgorithms), place);
  } else {
    collectives.algorithm = algorithm_named(text, place);
  }
}

void ask_protocol(std::string_view text, std::string_view place, Collectives& collectives) {
  collectives.protocols.reset();
  collectives.protocol.reset();
  if (is_nccl_list(text)) {
    collectives.protocols = parsed(parse_nccl_list(text, kNcclProtocols), place);
  } else {
    collectives.protocol = protocol_named(text, place);
  }
}

}  // namespace sim
