// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {

// In synchronous.cpp, diloco.cpp and sparse.cpp.
extern const OuterScheme wan_flat, wan_sync, wan_sync_bf16, wan_sync_int4, demo;
extern const OuterScheme diloco, diloco_bf16, diloco_int8, diloco_int4, streaming_diloco,
    streaming_diloco_bf16, eager_diloco, decoupled_diloco, noloco;
extern const OuterScheme sparseloco, sparseloco_deployed, sparseloco_store, sparseloco_dense;

std::span<const OuterScheme* const> all_outer_schemes() {
  static constexpr std::array schemes{&wan_flat,
                                      &wan_sync,
                                      &wan_sync_bf16,
                                      &wan_sync_int4,
                                      &diloco,
                                      &diloco_bf16,
                                      &diloco_int8,
                                      &diloco_int4,
                                      &streaming_diloco,
                                      &streaming_diloco_bf16,
                                      &eager_diloco,
                                      &decoupled_diloco,
                                      &noloco,
                                      &sparseloco,
                                      &sparseloco_deployed,
                                      &sparseloco_store,
                                      &sparseloco_dense,
                                      &demo};
  return schemes;
}

bool is_outer_scheme(std::string_view name) {
  return std::ranges::any_of(all_outer_schemes(),
                             [&](const OuterScheme* scheme) { return scheme->name == name; });
}

const OuterScheme& outer_scheme_named(std::string_view name, std::string_view flag) {
  std::vector<std::string_view> known;
  for (const OuterScheme* scheme : all_outer_schemes()) {
    if (scheme->name == name) return *scheme;
    known.push_back(scheme->name);
  }
  const bool is_inner = std::ranges::any_of(
      all_schemes(), [&](const Scheme* scheme) { return scheme->name == name; });
  throw InputError(fmt::format(
      "{}: unknown scheme '{}' between sites{}", flag, name,
      is_inner ? fmt::format("; for use within a site, write --inner-scheme {}. Known: {}", name,
                             joined(known))
               : suggestion_and_list(name, known)));
}

const char* exchange_name(Exchange exchange) {
  static constexpr std::array names{"flat ring", "ring", "all_to_all", "all_gather",
                                    "store",     "pair", "leader"};
  return names[static_cast<std::size_t>(exchange)];
}

}  // namespace sim
