// SPDX-License-Identifier: Apache-2.0
// ZeRO-3 and FSDP: each unit of layers is gathered where it is used, forward and backward, and its
// gradients are reduced at once (Zhao et al. 2304.11277, section 3.2 and 3.3), or whole ones are summed
// and reduced with the last micro-batch (Sharding::reduces_once).
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

#include "sim/program/lay_out.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

enum class Direction { forward, backward };

class Units {
 public:
  explicit Units(StepLayOut& step) : step_(step), p_(step.parallelism) {
    for (const auto& units : step.buckets) held_.emplace_back(units.size(), false);
    const Stages stages(step.context.model, p_);
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      starts_.push_back(stages.chunk_starts(stage));
    }
    unpacked_ = held_;
  }

  void before_forward(int stage, int place) {
    if (place == root_place(stage)) use(stage, root(stage), Direction::forward);
    const auto unit = unit_of(stage, place);
    if (bucket(stage, unit).first_place != place) return;
    use(stage, unit, Direction::forward);
    prefetch(stage, unit, Direction::forward);
    if (p_.sharding.reshard_after_forward) drop(stage, unit);
  }

  void before_backward(int stage, int place) {
    const auto unit = unit_of(stage, place);
    if (bucket(stage, unit).last_place != place) return;
    use(stage, unit, Direction::backward);
    if (!p_.sharding.prefetch_after_backward) prefetch(stage, unit, Direction::backward);
    drop(stage, unit);
  }

  void after_backward(int stage, int place, int micro_batch) {
    const auto unit = unit_of(stage, place);
    if (bucket(stage, unit).first_place == place) {
      if (p_.sharding.prefetch_after_backward) prefetch(stage, unit, Direction::backward);
      reduce(stage, unit, micro_batch);
    }
    if (place != root_place(stage)) return;
    reduce(stage, root(stage), micro_batch);
    drop(stage, root(stage));
  }

 private:
  [[nodiscard]] const Bucket& bucket(int stage, std::size_t unit) const {
    return step_.bucket(stage, unit);
  }
  [[nodiscard]] std::size_t root(int stage) const {
    return step_.buckets[static_cast<std::size_t>(stage)].size() - 1;
  }
  // The first place of the chunk that has the embedding or the head.
  [[nodiscard]] int root_place(int stage) const {
    const bool head = stage > 0 && stage == p_.pipeline - 1;
    return head ? starts(stage)[static_cast<std::size_t>(p_.virtual_stages) - 1] : 0;
  }
  [[nodiscard]] const std::vector<int>& starts(int stage) const {
    return starts_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] std::size_t unit_of(int stage, int place) const {
    std::size_t unit = 0;
    while (bucket(stage, unit).last_place < place) ++unit;
    return unit;
  }
  [[nodiscard]] std::ptrdiff_t chunk_of(int stage, std::size_t unit) const {
    const int place = bucket(stage, unit).first_place;
    return std::ranges::upper_bound(starts(stage), place) - starts(stage).begin();
  }
  std::vector<bool>::reference held(int stage, std::size_t unit) {
    return held_[static_cast<std::size_t>(stage)][unit];
  }

  [[nodiscard]] double parameters(const StepSizes& sizes, int stage, std::size_t unit) const {
    return bucket(stage, unit).of(sizes.group).parameters;
  }

  // A shard on the hosts comes first, on the stream on which it is then encoded.
  void fetch(int stage, double shard) {
    const double seconds =
        updated_weight_bytes(p_) * shard / host_copy_rate(step_.context.cluster)->base();
    step_.add(stage, MemoryPass{.pass = Pass::fetch_weights,
                                .time = static_cast<std::uint32_t>(step_.program.times.size()),
                                .beside = step_.beside_compute()});
    step_.program.times.push_back({seconds, seconds});
  }

  // The shard's weights become what travels once the compute stream is where it is now. A plain cast
  // to FP8 takes a pass before, for the scale. BF16 weights are copied to where they travel from.
  void encode(const StepSizes& sizes, int stage, std::size_t unit) {
    const double shard = parameters(sizes, stage, unit) / sizes.shards;
    if (shard <= 0) return;
    if (weights_on_hosts(p_)) fetch(stage, shard);
    const Wire wire = gathered_wire(sizes, unit == root(stage));
    if (wire.is_plain() || sizes.weights.wire.is_plain()) {
      const double bytes = wire.bytes_per_element();
      const double read = updated_weight_bytes(p_);
      const double cast = bytes < 2 ? read + read + bytes : read + bytes;
      step_.add(stage, MemoryPass{.pass = Pass::cast_weights,
                                  .bytes = cast * shard,
                                  .beside = step_.beside_compute()});
    } else if (sizes.shards > 1) {
      step_.add(stage,
                Codec{Kernel(shard_encode(sizes, shard), Phase::encode, Stream::weight_codec),
                      step_.beside_compute()});
    }
  }

  void gather(int stage, std::size_t unit, Direction direction) {
    if (held(stage, unit)) return;
    held(stage, unit) = true;
    unpacked_[static_cast<std::size_t>(stage)][unit] = false;
    for (const StepSizes& sizes : step_.groups) gather(sizes, stage, unit, direction);
  }

  void gather(const StepSizes& sizes, int stage, std::size_t unit, Direction direction) {
    if (keeps_secondary(sizes) && direction == Direction::backward) {
      gather_secondary(sizes, stage, unit);
      return;
    }
    encode(sizes, stage, unit);
    gather_bucket(step_, sizes, stage, unit, false);
  }

  void gather_secondary(const StepSizes& sizes, int stage, std::size_t unit) {
    const double whole = parameters(sizes, stage, unit);
    if (whole <= 0) return;
    const std::size_t id = step_.bucket_id(unit, sizes.group);
    const std::uint32_t gather = step_.communication(
        {"secondary", stage, id}, [&] { return secondary_gather(sizes, whole); });
    step_.add(stage, Communicate{.communication = gather, .bucket = id});
  }

  void use(int stage, std::size_t unit, Direction direction) {
    const Bucket& whole = bucket(stage, unit);
    if (whole.parameters + whole.experts <= 0) return;
    gather(stage, unit, direction);
    auto unpacked = unpacked_[static_cast<std::size_t>(stage)][unit];
    if (unpacked) return;
    unpacked = true;
    for (const StepSizes& sizes : step_.groups) use(sizes, stage, unit, direction);
  }

  void use(const StepSizes& sizes, int stage, std::size_t unit, Direction direction) {
    if (sizes.shards < 2 || parameters(sizes, stage, unit) <= 0) return;
    step_.add(stage, HoldWeights{step_.bucket_id(unit, sizes.group)});
    const bool secondary = keeps_secondary(sizes) && direction == Direction::backward;
    if (decodes_weights(sizes) && !secondary) {
      decode(sizes, stage, unit);
    } else {
      const Wire wire = gathered_wire(sizes, unit == root(stage));
      unpack(sizes, stage, unit, secondary ? 2 : wire.bytes_per_element());
    }
  }

  // From rank by rank, as gathered, to weight by weight. What is kept of it is written once more.
  void unpack(const StepSizes& sizes, int stage, std::size_t unit, double bytes) {
    const double kept = keeps_secondary(sizes) ? 2.0 / sizes.places() : 0;
    step_.pass(stage, Pass::unpack_weights, (2 * bytes + kept) * parameters(sizes, stage, unit));
  }

  void decode(const StepSizes& sizes, int stage, std::size_t unit) {
    const double whole = parameters(sizes, stage, unit);
    step_.add(stage,
              Codec{Kernel(weight_decode(sizes.weights, whole), Phase::decode, Stream::compute)});
    if (!keeps_secondary(sizes)) return;
    step_.pass(stage, Pass::keep_secondary_shard, 2 * 2.0 / sizes.places() * whole);
  }

  void prefetch(int stage, std::size_t unit, Direction direction) {
    const int sign = direction == Direction::forward ? 1 : -1;
    const int ahead = p_.overlap.weights ? p_.sharding.prefetch : 0;
    for (int i = 1; i <= ahead; ++i) {
      const auto next = static_cast<std::ptrdiff_t>(unit) + std::ptrdiff_t{i} * sign;
      if (next < 0 || next >= static_cast<std::ptrdiff_t>(root(stage))) return;
      const auto neighbour = static_cast<std::size_t>(next);
      if (chunk_of(stage, neighbour) != chunk_of(stage, unit)) return;
      gather(stage, neighbour, direction);
    }
  }

  void drop(int stage, std::size_t unit) { held(stage, unit) = false; }

  void reduce(int stage, std::size_t unit, int micro_batch) {
    const Bucket& whole = bucket(stage, unit);
    if (whole.parameters + whole.experts <= 0) return;
    if (accumulates_whole(p_)) {
      accumulate(stage, whole.parameters + whole.experts, micro_batch == 0);
      if (micro_batch < p_.accumulation - 1) return;
    }
    reduce_bucket(step_, stage, unit);
    if (!p_.overlap.gradients) hold_until_reduced(step_, stage);
  }

  // Adds a micro-batch's BF16 gradients to the sum: FSDP2 casts the first ones to the precision of
  // the reduction and adds the others; where that is BF16, the first ones are the sum.
  void accumulate(int stage, double parameters, bool is_first) {
    const double sum = bytes_of(p_.gradients);
    const double first = p_.gradients == Precision::bf16 ? 0 : 2 + sum;
    const double bytes = is_first ? first : 2 + sum + sum;
    if (bytes > 0) step_.pass(stage, Pass::accumulate_gradients, bytes * parameters);
  }

  StepLayOut& step_;
  const Parallelism& p_;
  // By stage, then unit:
  std::vector<std::vector<int>> starts_;     // of chunks, by stage
  std::vector<std::vector<bool>> held_;      // gathered and not dropped since
  std::vector<std::vector<bool>> unpacked_;  // of what is held: whole weights already
};

}  // namespace

LayerHooks unit_hooks(StepLayOut& step) {
  const auto units = std::make_shared<Units>(step);
  return {
      .before_forward = [units](int stage, int place, int) { units->before_forward(stage, place); },
      .before_backward = [units](int stage, int place,
                                 int) { units->before_backward(stage, place); },
      .after_backward = [units](
                            int stage, int place,
                            int micro_batch) { units->after_backward(stage, place, micro_batch); }};
}

}  // namespace sim
