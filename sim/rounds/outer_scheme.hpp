// SPDX-License-Identifier: Apache-2.0
// OuterScheme: what sites that train together exchange, how often, and what waits for it. A row of
// choices; plan_round() turns it into operations. Inside a site, a Scheme plays this role.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"

namespace sim {

// How the sites' values are combined. Each GPU exchanges its shard with its twins at other sites,
// except in the flat ring.
enum class Exchange {
  flat_ring,   // one ring over all GPUs of all sites, in the precision of the wire
  ring,        // reduce_scatter and all_gather over the sites, in the precision of the wire
  all_to_all,  // a part of the shard to each site, summed there, encoded again and gathered
  all_gather,  // the shard to every other site, summed there
  store,       // the same through object storage: one upload, the others' downloads
  pair,        // with one partner, a different one in each round
  leader       // to one site, summed there once a quorum is heard, and back to all
};
[[nodiscard]] const char* exchange_name(Exchange exchange);

struct OuterScheme {
  std::string_view name;
  std::string_view summary;
  Exchange exchange = Exchange::ring;
  codecs::Format wire = {};
  bool feedback = false;     // encodes with error feedback
  double sent_per_byte = 1;  // bytes sent per byte of the wire: codes not packed
  bool gradients = false;    // of each step, before its update; else a round's weight changes
  int inner_steps = 1;       // H, inner steps per round
  int fragments = 1;         // of the model, sent H / fragments steps apart
  int overlap_steps = 0;     // tau: steps that run on before a result is needed
  // Sites take a result once it arrives; they wait only to send while the last exchange is running.
  bool delayed = false;
  int quorum = 0;           // sites to wait for; 0: all
  Seconds grace = {};       // further wait for the other sites once the quorum is complete
  double state_bytes = 0;   // per parameter of a GPU's shard: outer weights, momentum, residual
  double update_bytes = 0;  // moved by the outer update per parameter of the shard
  std::string_view twin;    // same scheme without compression; itself if it is uncompressed

  [[nodiscard]] bool compresses() const { return twin != name; }
};

// Every shipped outer scheme, in the order of `list`.
[[nodiscard]] std::span<const OuterScheme* const> all_outer_schemes();
[[nodiscard]] bool is_outer_scheme(std::string_view name);
// Throws an InputError that lists the known names; `flag` is where the name was given.
[[nodiscard]] const OuterScheme& outer_scheme_named(std::string_view name,
                                                    std::string_view flag = "--scheme");
// Whether the setting applies to the scheme.
[[nodiscard]] bool takes(const OuterScheme& scheme, const Setting& setting);
// Applies scheme.inner_steps, scheme.fragments, scheme.overlap_steps, scheme.group, scheme.keep,
// scheme.quorum and scheme.grace. Throws InputError for other keys, wrong values, and parts missing
// from the scheme.
[[nodiscard]] OuterScheme with_settings(OuterScheme scheme, std::span<const Setting> settings);
// What these settings are.
[[nodiscard]] std::vector<TomlKey> outer_scheme_settings();

}  // namespace sim
