// Scheme: which codec and which collective a data-parallel step uses for its weights and for its
// gradients. A row of choices, in code or from a TOML file (sim/schemes/scheme_file.hpp);
// plan_step() turns it into operations.
#pragma once

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

// How every rank gets the updated weights of all shards. What is not plain is encoded by the shard's
// owner and decoded by all, unless the products take the codes as they are.
struct WeightExchange {
  Wire wire = {{.element = codecs::Element::bf16}};  // of the all_gather
  bool difference = false;  // encodes the change since the last step, not the weights
  // ZeRO-3: ranks of a node keep BF16 shards of what the forward pass gathered, and the backward
  // pass gathers those (hpZ of ZeRO++, arXiv 2306.10209, section 3.2).
  bool secondary_shards = false;
  // Whether values travel as they are, in FP32 or BF16; so of the other exchanges.
  [[nodiscard]] bool is_plain() const { return wire.is_plain() && !difference; }
  friend bool operator==(const WeightExchange&, const WeightExchange&) = default;
};

// How every rank gets the summed gradients: of its shard, or of everything where nothing is sharded.
struct GradientExchange {
  enum class Algorithm {
    ring,        // reduce_scatter or all_reduce in the precision of the gradient buffer
    all_to_all,  // every rank sends each other rank its part, and sums what it gets in FP32; without
                 // shards the sum is encoded again and gathered by all
    two_level,   // all_to_all inside a node, sum, all_to_all between nodes, sum
    // Without shards only:
    all_gather,  // every rank gets every other one's wire, and sums them all
    all_reduce,  // the wires are summed in flight
    low_rank     // PowerSGD: two factors of each matrix, and the rest as they are, by all_reduce
  };
  Algorithm algorithm = Algorithm::ring;
  // Wires inside a node and between nodes. Of one level, `between` is the wire. Not used by a ring,
  // whose wire is the gradient buffer.
  Wire inside = {};
  Wire between = {};
  // Error feedback: bytes that a rank keeps for each element that it encodes, at each hop; 0: none.
  double residual_bytes = 0;
  // Of codecs/method.hpp, whose steps are the kernels instead of the wire's own: "loco",
  // "one_bit_adam".
  std::string method = {};
  int factor_rank = 0;         // of low_rank: columns of each factor
  bool fused_hadamard = true;  // the transform is part of the codec's kernels, not a pass before
  int slices = 1;              // pipelined between the two levels
  [[nodiscard]] bool is_plain() const;
  friend bool operator==(const GradientExchange&, const GradientExchange&) = default;
};

// What activations and their gradients travel as; plain is BF16.
struct ActivationExchange {
  Wire tensor = {
      {.element = codecs::Element::
           bf16}};  // between the ranks of a tensor-parallel group, both ways of each exchange
  Wire pipeline = {{.element = codecs::Element::bf16}};  // between stages
  [[nodiscard]] bool is_plain() const { return tensor.is_plain() && pipeline.is_plain(); }
  friend bool operator==(const ActivationExchange&, const ActivationExchange&) = default;
};

// What a scheme lets run beside the compute stream, where --overlap asks for it.
struct AllowedOverlap {
  bool weights = true;
  bool gradients = true;
  friend bool operator==(const AllowedOverlap&, const AllowedOverlap&) = default;
};

struct Scheme {
  std::string name;
  std::string summary;
  std::string source = {};     // the paper or code that it is of
  std::vector<int> zero = {};  // stages of ZeRO that it is defined for; the first is its usual one
  WeightExchange weights = {};
  GradientExchange gradients = {};
  ActivationExchange activations = {};
  AllowedOverlap overlap = {};
  std::string twin;  // the same sharding and overlaps without compression; itself if it is one

  [[nodiscard]] bool compresses() const { return twin != name; }
  [[nodiscard]] bool is_defined_for(int zero_stage) const;
  // Where nothing says another one.
  [[nodiscard]] int usual_stage() const;
  // Whether it sends all values as they are, by whichever collectives.
  [[nodiscard]] bool sends_plain() const {
    return weights.is_plain() && gradients.is_plain() && activations.is_plain();
  }
  friend bool operator==(const Scheme&, const Scheme&) = default;
};

// Every scheme that ships, in the order in which `list` shows them.
[[nodiscard]] std::span<const Scheme* const> all_schemes();
// Throws InputError that names the known schemes; `flag` is where the name was given.
[[nodiscard]] const Scheme& scheme_named(std::string_view name, std::string_view flag = "--scheme");
// Applies scheme.weight_group, scheme.intra_group, scheme.inter_group, scheme.slices,
// scheme.fused_hadamard and scheme.factor_rank. Throws InputError for other keys, wrong values, and
// parts that the scheme does not have.
[[nodiscard]] Scheme with_settings(Scheme scheme, std::span<const Setting> settings);
// What these settings are.
[[nodiscard]] std::vector<TomlKey> scheme_settings();

}  // namespace sim
