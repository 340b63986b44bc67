// Scheme: which codec and which collective a sharded data-parallel step uses for its weights and
// for its gradients. A row of choices; plan_step() turns it into operations.
#pragma once

#include <span>
#include <string_view>

#include "codecs/codec.hpp"
#include "sim/base/setting.hpp"

namespace sim {

// How every rank gets the updated weights of all shards.
struct WeightExchange {
  codecs::Format wire;      // of the all_gather
  bool difference = false;  // encodes the change since the last step, not the weights
};

// How every rank gets the summed gradients of its shard.
struct GradientExchange {
  enum class Algorithm {
    ring,        // reduce_scatter in the precision of the gradient buffer
    all_to_all,  // every rank sends each other rank its part, and sums what it gets in FP32
    two_level    // all_to_all inside a node, sum, all_to_all between nodes, sum
  };
  Algorithm algorithm = Algorithm::ring;
  // Wires inside a node and between nodes; not used by a ring, whose wire is the gradient buffer.
  codecs::Format inside = {};
  codecs::Format between = {};
  bool fused_hadamard = true;  // the transform is part of the codec's kernels, not a pass before
  int slices = 1;              // pipelined between the two levels
};

struct Scheme {
  std::string_view name;
  std::string_view summary;
  WeightExchange weights = {};
  GradientExchange gradients = {};
  std::string_view twin;  // the same sharding and overlaps without compression; itself if it is one

  [[nodiscard]] bool compresses() const { return twin != name; }
  // Bytes a parameter that its buffers add on every GPU.
  [[nodiscard]] double buffer_bytes_per_parameter() const;
};

// Every scheme that ships, in the order in which `list` shows them.
[[nodiscard]] std::span<const Scheme* const> all_schemes();
// Throws InputError that names the known schemes; `flag` is where the name was given.
[[nodiscard]] const Scheme& scheme_named(std::string_view name, std::string_view flag = "--scheme");
// Applies scheme.weight_group, scheme.intra_group, scheme.inter_group, scheme.slices and
// scheme.fused_hadamard. Throws InputError for other keys, wrong values, and parts that the scheme
// does not have.
[[nodiscard]] Scheme with_settings(Scheme scheme, std::span<const Setting> settings);

}  // namespace sim
