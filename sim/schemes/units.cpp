// SPDX-License-Identifier: Apache-2.0
// ZeRO-3 and FSDP: each unit of layers is gathered where it is used, forward and backward, and its
// gradients are reduced at once (Zhao et al. 2304.11277, section 3.2 and 3.3).
//
//   weights  [gather 0][gather 1]   [gather 2]   ...           gathers and reductions, in order
//   compute            [forward 0]  [forward 1]  [forward 2]   gather 2 waits for the end of
//                                                              forward 0, which frees its weights
//
// Embedding and head are one unit that is gathered once a micro-batch, as FSDP's root is. Of a
// pipeline's stages the first has the embedding and the last the head; the others have none.
#include <algorithm>
#include <memory>
#include <vector>

#include "sim/schemes/kernels.hpp"
#include "sim/schemes/step.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

enum class Pass { forward, backward };

class Units {
 public:
  explicit Units(Step& step) : step_(step), p_(step.parallelism) {
    for (const auto& units : step.buckets) held_.emplace_back(units.size(), false);
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      starts_.push_back(chunk_starts(step.context.model, p_, stage));
    }
    unpacked_ = held_;
  }

  void before_forward(int stage, int layer) {
    if (layer == root_layer(stage)) use(stage, root(stage), Pass::forward);
    const auto unit = unit_of(stage, layer);
    if (bucket(stage, unit).first_layer != layer) return;
    use(stage, unit, Pass::forward);
    prefetch(stage, unit, Pass::forward);
    if (p_.sharding.reshard_after_forward) drop(stage, unit);
  }

  void before_backward(int stage, int layer) {
    const auto unit = unit_of(stage, layer);
    if (bucket(stage, unit).last_layer != layer) return;
    use(stage, unit, Pass::backward);
    if (!p_.sharding.prefetch_after_backward) prefetch(stage, unit, Pass::backward);
    drop(stage, unit);
  }

  void after_backward(int stage, int layer) {
    const auto unit = unit_of(stage, layer);
    if (bucket(stage, unit).first_layer == layer) {
      if (p_.sharding.prefetch_after_backward) prefetch(stage, unit, Pass::backward);
      reduce(stage, unit);
    }
    if (layer != root_layer(stage)) return;
    reduce(stage, root(stage));
    drop(stage, root(stage));
  }

 private:
  [[nodiscard]] const Bucket& bucket(int stage, std::size_t unit) const {
    return step_.buckets[static_cast<std::size_t>(stage)][unit];
  }
  [[nodiscard]] std::size_t root(int stage) const {
    return step_.buckets[static_cast<std::size_t>(stage)].size() - 1;
  }
  // The first layer of the chunk that has the embedding or the head.
  [[nodiscard]] int root_layer(int stage) const {
    const bool head = stage > 0 && stage == p_.pipeline - 1;
    return head ? starts(stage)[static_cast<std::size_t>(p_.virtual_stages) - 1] : 0;
  }
  [[nodiscard]] const std::vector<int>& starts(int stage) const {
    return starts_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] std::size_t unit_of(int stage, int layer) const {
    std::size_t unit = 0;
    while (bucket(stage, unit).last_layer < layer) ++unit;
    return unit;
  }
  [[nodiscard]] std::ptrdiff_t chunk_of(int stage, std::size_t unit) const {
    const int layer = bucket(stage, unit).first_layer;
    return std::ranges::upper_bound(starts(stage), layer) - starts(stage).begin();
  }
  std::vector<bool>::reference held(int stage, std::size_t unit) {
    return held_[static_cast<std::size_t>(stage)][unit];
  }

  // The shard's FP32 weights become what travels once the compute stream is where it is now. A plain
  // cast to FP8 takes a pass before, for the scale.
  void encode(int stage, std::size_t unit) {
    const double shard = bucket(stage, unit).parameters / step_.shards;
    const Wire wire = gathered_wire(step_, stage, unit);
    if (wire.is_plain() || step_.scheme.weights.wire.is_plain()) {
      const double bytes = wire.bytes_per_element();
      const double cast = bytes < 2 ? 4 + 4 + bytes : 4 + bytes;
      step_.for_each_rank(stage, [&](int rank) {
        step_.side_pass(rank, Phase::memory_pass, "cast weights", cast * shard);
      });
    } else if (step_.shards > 1) {
      const CodecKernel kernel = step_.timed(weight_encode(step_.scheme.weights, shard, 4));
      step_.for_each_rank(stage, [&](int rank) {
        step_.codec(rank, Phase::encode, kernel, step_.beside_compute(rank), Stream::weight_codec);
      });
    }
  }

  void gather(int stage, std::size_t unit, Pass pass) {
    if (held(stage, unit)) return;
    held(stage, unit) = true;
    unpacked_[static_cast<std::size_t>(stage)][unit] = false;
    if (keeps_secondary() && pass == Pass::backward) {
      gather_secondary(step_, stage, unit);
      return;
    }
    encode(stage, unit);
    gather_bucket(step_, stage, unit, false);
  }

  void use(int stage, std::size_t unit, Pass pass) {
    if (bucket(stage, unit).parameters <= 0) return;
    gather(stage, unit, pass);
    if (step_.shards < 2) return;
    auto unpacked = unpacked_[static_cast<std::size_t>(stage)][unit];
    if (unpacked) return;
    unpacked = true;
    step_.hold_until_gathered(stage, unit);
    const bool secondary = keeps_secondary() && pass == Pass::backward;
    if (decodes_weights(step_) && !secondary) {
      decode(stage, unit);
    } else {
      unpack(stage, unit, secondary ? 2 : gathered_wire(step_, stage, unit).bytes_per_element());
    }
  }

  // From rank by rank, as gathered, to weight by weight. What is kept of it is written once more.
  void unpack(int stage, std::size_t unit, double bytes) {
    const double kept = keeps_secondary() ? 2.0 / places() : 0;
    step_.pass(stage, Phase::memory_pass, "unpack weights",
               (2 * bytes + kept) * bucket(stage, unit).parameters);
  }

  void decode(int stage, std::size_t unit) {
    const double parameters = bucket(stage, unit).parameters;
    const CodecKernel kernel = step_.timed(weight_decode(step_.scheme.weights, parameters));
    step_.for_each_rank(stage, [&](int rank) {
      step_.compute(rank, Phase::decode, kernel.label, {kernel.seconds, kernel.seconds});
    });
    if (!keeps_secondary()) return;
    step_.pass(stage, Phase::memory_pass, "keep secondary shard", 2 * 2.0 / places() * parameters);
  }

  // One node's shards are all of them: nothing is kept twice.
  [[nodiscard]] bool keeps_secondary() const {
    return step_.scheme.weights.secondary_shards && step_.data_groups(0).front().inside.size() > 1;
  }
  [[nodiscard]] double places() const {
    return static_cast<double>(step_.data_groups(0).front().inside.front().ranks.size());
  }

  void prefetch(int stage, std::size_t unit, Pass pass) {
    const int direction = pass == Pass::forward ? 1 : -1;
    const int ahead = p_.overlap.weights ? p_.sharding.prefetch : 0;
    for (int i = 1; i <= ahead; ++i) {
      const auto next = static_cast<std::ptrdiff_t>(unit) + std::ptrdiff_t{i} * direction;
      if (next < 0 || next >= static_cast<std::ptrdiff_t>(root(stage))) return;
      const auto neighbour = static_cast<std::size_t>(next);
      if (chunk_of(stage, neighbour) != chunk_of(stage, unit)) return;
      gather(stage, neighbour, pass);
    }
  }

  void drop(int stage, std::size_t unit) { held(stage, unit) = false; }

  void reduce(int stage, std::size_t unit) {
    if (bucket(stage, unit).parameters <= 0) return;
    reduce_bucket(step_, stage, bucket(stage, unit));
    if (!p_.overlap.gradients) hold_until_reduced(step_, stage);
  }

  Step& step_;
  const Parallelism& p_;
  // By stage, then unit:
  std::vector<std::vector<int>> starts_;     // of chunks, by stage
  std::vector<std::vector<bool>> held_;      // gathered and not dropped since
  std::vector<std::vector<bool>> unpacked_;  // of what is held: whole weights already
};

}  // namespace

LayerHooks unit_hooks(Step& step) {
  const auto units = std::make_shared<Units>(step);
  return {
      .before_forward = [units](int stage, int layer, int) { units->before_forward(stage, layer); },
      .before_backward = [units](int stage, int layer,
                                 int) { units->before_backward(stage, layer); },
      .after_backward = [units](int stage, int layer,
                                int) { units->after_backward(stage, layer); }};
}

}  // namespace sim
