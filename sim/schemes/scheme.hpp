// SPDX-License-Identifier: Apache-2.0
// Scheme: what ranks exchange, by which collectives and codecs: a row of choices, in code or from a
// TOML file (sim/schemes/scheme_file.hpp). Inside a site, plan_step() turns it into operations of a
// data-parallel step; between sites, plan_round() turns it into those of a round.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/schemes/exchanges.hpp"
#include "sim/times/wire.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// How every rank gets the updated weights of all shards. Unless the wire is plain, the shard's
// owner encodes and all ranks decode, except where matrix products take the codes directly.
struct WeightExchange {
  Wire wire = {{.element = codecs::Element::bf16}};  // of the all_gather
  bool difference = false;  // encodes the change since the last step instead of the weights
  // ZeRO-3: ranks of a node keep BF16 shards of the weights gathered by the forward pass, and the
  // backward pass gathers those (hpZ of ZeRO++, arXiv 2306.10209, section 3.2).
  bool secondary_shards = false;
  // Whether values travel uncompressed, in FP32 or BF16; likewise in the other exchanges.
  [[nodiscard]] bool is_plain() const { return wire.is_plain() && !difference; }
  friend bool operator==(const WeightExchange&, const WeightExchange&) = default;
};

// How every rank gets the summed gradients: of its shard, or all of them without shards.
struct GradientExchange {
  const Reduction* algorithm = &reductions::ring;
  // Wires inside a node and between nodes. With one level, `between` is the wire. Unused by a ring,
  // whose wire is the gradient buffer.
  Wire inside = {};
  Wire between = {};
  // Error feedback: bytes that a rank keeps per element encoded, at each hop; 0: none.
  double residual_bytes = 0;
  const ReductionMethod* method = nullptr;  // replaces the wires' own kernels if present
  int factor_rank = 0;                      // low_rank: columns of each factor
  bool fused_hadamard = true;  // the transform is part of the codec's kernels, not a pass before
  int slices = 1;              // pipelined between the two levels
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] bool sends_momentum() const { return method != nullptr && method->sends_momentum; }
  friend bool operator==(const GradientExchange&, const GradientExchange&) = default;
};

// The wires of activations and their gradients; plain is BF16.
struct ActivationExchange {
  Wire tensor = {
      {.element = codecs::Element::
           bf16}};  // between the ranks of a tensor-parallel group, both ways of each exchange
  Wire pipeline = {{.element = codecs::Element::bf16}};  // between stages
  // Of rows on their way to experts, forward and backward, and back.
  Wire dispatch = {{.element = codecs::Element::bf16}};
  Wire combine = {{.element = codecs::Element::bf16}};
  // The kernels that sort rows and sum them encode and decode, too, without passes of their own.
  bool fused = false;
  [[nodiscard]] bool moves_rows_plain() const { return dispatch.is_plain() && combine.is_plain(); }
  [[nodiscard]] bool is_plain() const {
    return tensor.is_plain() && pipeline.is_plain() && moves_rows_plain();
  }
  friend bool operator==(const ActivationExchange&, const ActivationExchange&) = default;
};

// Overlap with the compute stream that a scheme allows if `overlap` asks for it.
struct AllowedOverlap {
  bool weights = true;
  bool gradients = true;
  friend bool operator==(const AllowedOverlap&, const AllowedOverlap&) = default;
};

// Of sites around a ring: as their names ascend, or so that it is as fast, or as slow, as it can be.
enum class RingOrder { given, best, worst };

// Where outer weights, momentum and residual are kept between exchanges.
enum class OuterState { gpu, host };

// What sites that train together exchange, how often, and what waits for it.
struct SiteExchange {
  const Exchange* exchange = &exchanges::ring;
  Wire wire = {};
  bool feedback = false;     // encodes with error feedback
  double sent_per_byte = 1;  // bytes sent per byte of the wire: codes not packed
  bool gradients = false;    // of each step, before its update; else a round's weight changes
  int inner_steps = 1;       // H, inner steps per round
  // Every so many rounds all sites exchange, in the others those of each region among themselves.
  int across_every = 1;
  int fragments = 1;      // of the model, sent H / fragments steps apart
  int overlap_steps = 0;  // tau: steps that run on before a result is needed
  // Sites take a result once it arrives; they wait only to send while an exchange of overlap_steps
  // before is running.
  bool delayed = false;
  RingOrder ring_order = RingOrder::given;
  int fan_out = 0;          // of a tree: sites that one passes a value on to
  int quorum = 0;           // sites to wait for; 0: all
  Seconds grace = {};       // further wait for the other sites once the quorum is complete
  double state_bytes = 0;   // per parameter of a GPU's shard: outer weights, momentum, residual
  double update_bytes = 0;  // moved by the outer update per parameter of the shard
  std::optional<Optimizer> optimizer = {};  // of the steps inside sites; none: any
  OuterState outer_state = OuterState::gpu;
  // A fragment's exchange runs beside training.
  [[nodiscard]] bool overlaps() const { return overlap_steps > 0 || delayed; }
  friend bool operator==(const SiteExchange&, const SiteExchange&) = default;
};

// What experts on ranks of their own exchange, where that differs from the rest.
struct ExpertExchange {
  std::optional<WeightExchange> weights = {};
  std::optional<GradientExchange> gradients = {};
  [[nodiscard]] bool is_plain() const {
    return (!weights || weights->is_plain()) && (!gradients || gradients->is_plain());
  }
  friend bool operator==(const ExpertExchange&, const ExpertExchange&) = default;
};

enum class SchemeKind { inside, between_sites };

struct Scheme {
  std::string name;
  std::string summary;
  std::string source = {};  // its paper or code
  // Inside a site:
  std::vector<int> zero = {};  // stages of ZeRO that it supports, the default first
  WeightExchange weights = {};
  GradientExchange gradients = {};
  ActivationExchange activations = {};
  ExpertExchange experts = {};
  AllowedOverlap overlap = {};
  // Between sites, which then is all that applies; a scheme inside a site has none.
  std::optional<SiteExchange> between_sites = {};
  std::string twin;  // the same without compression; itself if it is uncompressed

  [[nodiscard]] SchemeKind kind() const {
    return between_sites ? SchemeKind::between_sites : SchemeKind::inside;
  }
  [[nodiscard]] const WeightExchange& weights_of(Weights group) const {
    return group == Weights::experts && experts.weights ? *experts.weights : weights;
  }
  [[nodiscard]] const GradientExchange& gradients_of(Weights group) const {
    return group == Weights::experts && experts.gradients ? *experts.gradients : gradients;
  }
  [[nodiscard]] bool compresses() const { return twin != name; }
  [[nodiscard]] bool is_defined_for(int zero_stage) const;
  // Unless the user names another one.
  [[nodiscard]] int usual_stage() const;
  // Of every exchange, whether or not its algorithm uses them all.
  [[nodiscard]] std::vector<const Wire*> wires() const;
  // Whether it sends all values uncompressed, by whichever collectives.
  [[nodiscard]] bool sends_plain() const {
    return weights.is_plain() && gradients.is_plain() && activations.is_plain() &&
           experts.is_plain();
  }
  friend bool operator==(const Scheme&, const Scheme&) = default;
};

// Every shipped scheme, in the order of `list`.
[[nodiscard]] std::span<const Scheme* const> all_schemes();
[[nodiscard]] std::span<const Scheme* const> all_schemes(SchemeKind kind);
// Of either kind. Throws an InputError that lists the known schemes, or those of a kind; `flag` is
// where the name was given.
[[nodiscard]] const Scheme& scheme_named(std::string_view name, std::string_view flag = "`scheme`",
                                         std::optional<SchemeKind> listed = {});
// Whether the setting applies to the scheme. Throws InputError for keys that schemes of its kind
// lack.
[[nodiscard]] bool takes(const Scheme& scheme, const Setting& setting);
// Throws InputError for other keys, wrong values, and parts missing from the scheme.
[[nodiscard]] Scheme with_settings(Scheme scheme, std::span<const Setting> settings);
// What the settings of schemes of a kind are.
[[nodiscard]] std::span<const TomlKey> scheme_settings(SchemeKind kind);

}  // namespace sim
