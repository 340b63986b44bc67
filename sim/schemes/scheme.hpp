// SPDX-License-Identifier: Apache-2.0
// Scheme: the codecs and collectives that a data-parallel step uses for weights and gradients: a
// row of choices, in code or from a TOML file (sim/schemes/scheme_file.hpp). plan_step() turns it
// into operations.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/wire.hpp"

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
  enum class Algorithm {
    ring,        // reduce_scatter or all_reduce in the precision of the gradient buffer
    all_to_all,  // each rank sends every other rank its part and sums in FP32 what arrives; without
                 // shards the sum is encoded again and gathered by all
    two_level,   // all_to_all inside a node, sum, all_to_all between nodes, sum
    // Without shards only:
    all_gather,  // every rank receives all wires and sums them
    all_reduce,  // the wires are summed in flight
    low_rank     // PowerSGD: two factors of each matrix, and vectors uncompressed, by all_reduce
  };
  Algorithm algorithm = Algorithm::ring;
  // Wires inside a node and between nodes. With one level, `between` is the wire. Unused by a ring,
  // whose wire is the gradient buffer.
  Wire inside = {};
  Wire between = {};
  // Error feedback: bytes that a rank keeps per element encoded, at each hop; 0: none.
  double residual_bytes = 0;
  // A method of codecs/method.hpp whose steps replace the wire's own kernels: "loco",
  // "one_bit_adam".
  std::string method = {};
  int factor_rank = 0;         // low_rank: columns of each factor
  bool fused_hadamard = true;  // the transform is part of the codec's kernels, not a pass before
  int slices = 1;              // pipelined between the two levels
  [[nodiscard]] bool is_plain() const;
  friend bool operator==(const GradientExchange&, const GradientExchange&) = default;
};

// The wires of activations and their gradients; plain is BF16.
struct ActivationExchange {
  Wire tensor = {
      {.element = codecs::Element::
           bf16}};  // between the ranks of a tensor-parallel group, both ways of each exchange
  Wire pipeline = {{.element = codecs::Element::bf16}};  // between stages
  [[nodiscard]] bool is_plain() const { return tensor.is_plain() && pipeline.is_plain(); }
  friend bool operator==(const ActivationExchange&, const ActivationExchange&) = default;
};

// Overlap with the compute stream that a scheme allows if --overlap asks for it.
struct AllowedOverlap {
  bool weights = true;
  bool gradients = true;
  friend bool operator==(const AllowedOverlap&, const AllowedOverlap&) = default;
};

struct Scheme {
  std::string name;
  std::string summary;
  std::string source = {};     // its paper or code
  std::vector<int> zero = {};  // stages of ZeRO that it supports, the default first
  WeightExchange weights = {};
  GradientExchange gradients = {};
  ActivationExchange activations = {};
  AllowedOverlap overlap = {};
  std::string twin;  // same sharding and overlap without compression; itself if it is uncompressed

  [[nodiscard]] bool compresses() const { return twin != name; }
  [[nodiscard]] bool is_defined_for(int zero_stage) const;
  // Unless the user names another one.
  [[nodiscard]] int usual_stage() const;
  // Of every exchange, whether or not its algorithm uses them all.
  [[nodiscard]] std::array<const Wire*, 5> wires() const {
    return {&weights.wire, &gradients.inside, &gradients.between, &activations.tensor,
            &activations.pipeline};
  }
  // Whether it sends all values uncompressed, by whichever collectives.
  [[nodiscard]] bool sends_plain() const {
    return weights.is_plain() && gradients.is_plain() && activations.is_plain();
  }
  friend bool operator==(const Scheme&, const Scheme&) = default;
};

// Every shipped scheme, in the order of `list`.
[[nodiscard]] std::span<const Scheme* const> all_schemes();
// Throws an InputError that lists the known schemes; `flag` is where the name was given.
[[nodiscard]] const Scheme& scheme_named(std::string_view name, std::string_view flag = "--scheme");
// Applies scheme.weight_group, scheme.intra_group, scheme.inter_group, scheme.slices,
// scheme.fused_hadamard and scheme.factor_rank. Throws InputError for other keys, wrong values, and
// parts missing from the scheme.
[[nodiscard]] Scheme with_settings(Scheme scheme, std::span<const Setting> settings);
// What these settings are.
[[nodiscard]] std::vector<TomlKey> scheme_settings();

}  // namespace sim
