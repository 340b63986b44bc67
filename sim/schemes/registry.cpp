// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/schemes/rows.hpp"

namespace sim {

namespace {

// Those between sites last.
std::vector<Scheme> rows() {
  return {sharded(),
          sharded_all_to_all(),
          plain_data_parallel(),
          qwd(),
          tlq(),
          tlq_hs(),
          ulq(),
          sdp4bit(),
          sdp4bit_unfused(),
          qwz(),
          hpz(),
          qgz(),
          zeropp(),
          loco(),
          qsdp(),
          fp8_gather(),
          mxfp8_gather(),
          nvfp4_gather(),
          fp8_gradients(),
          mxfp4_gradients(),
          int8_all_reduce(),
          int4_all_reduce(),
          ef_sign(),
          one_bit_adam(),
          top_k(),
          random_k(),
          power_sgd(),
          wan_flat(),
          wan_sync(),
          wan_sync_bf16(),
          wan_sync_int4(),
          diloco(),
          diloco_bf16(),
          diloco_int8(),
          diloco_int4(),
          hierarchical_diloco(),
          streaming_diloco(),
          streaming_diloco_bf16(),
          eager_diloco(),
          muloco(),
          muloco_fp32(),
          decoupled_diloco(),
          decoupled_diloco_bf16(),
          noloco(),
          sparseloco(),
          sparseloco_enumerated(),
          sparseloco_deployed(),
          sparseloco_store(),
          sparseloco_dense(),
          demo()};
}

}  // namespace

std::span<const Scheme* const> all_schemes() {
  static const std::vector<Scheme> schemes = rows();
  static const std::vector<const Scheme*> pointers = [] {
    std::vector<const Scheme*> all;
    for (const Scheme& scheme : schemes) all.push_back(&scheme);
    return all;
  }();
  return pointers;
}

std::span<const Scheme* const> all_schemes(SchemeKind kind) {
  const auto all = all_schemes();
  const auto count = static_cast<std::size_t>(
      std::ranges::count(all, SchemeKind::inside, [](const Scheme* one) { return one->kind(); }));
  return kind == SchemeKind::inside ? all.first(count) : all.subspan(count);
}

const Scheme& scheme_named(std::string_view name, std::string_view flag,
                           std::optional<SchemeKind> listed) {
  std::vector<std::string_view> known;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->name == name) return *scheme;
    if (!listed || scheme->kind() == *listed) known.push_back(scheme->name);
  }
  throw InputError(
      fmt::format("{}: unknown scheme '{}'{}", flag, name, suggestion_and_list(name, known)));
}

}  // namespace sim
