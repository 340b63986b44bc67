// SPDX-License-Identifier: Apache-2.0
// A lower bound of a step's time before any planning: microseconds instead of the milliseconds to
// seconds that a schedule takes, once what its layers exchange is known.
//
// The longest of three:
//
//   compute   A pipeline stage begins when the stages before it have sent it the first micro-batch,
//             runs the passes of all of them one after the other, and its last backward pass is
//             followed by those of the stages before it: s F + m (F + B) + s B for stage s, with F
//             and B its passes of one of m micro-batches. They have all kernels of the layers at
//             their roofline, the passes over weights and gradients, and what ranks exchange in
//             each layer (layer_exchanges.hpp), beside the kernels that overlap it. The update
//             follows once all gradients are summed.
//   network   What of weights and gradients has to leave a node (node_bytes.hpp), at the rate of
//             all its NICs. Exchanges that are not counted (scalars, pipeline messages, low-rank
//             factors) are more.
//   both      Below ZeRO-3 weights are gathered once, before the first forward pass ends, and
//             gradients are summed after the last backward pass began: beside what is computed
//             between the two nothing of them is sent.
//
// Everything that the engine adds (kernels that slow each other down, links that exchanges share,
// codecs of weights and gradients) only lengthens the step.
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "sim/program/outline.hpp"
#include "sim/program/stage_walk.hpp"
#include "sim/study/job.hpp"
#include "sim/study/search/layer_exchanges.hpp"
#include "sim/study/search/memo.hpp"
#include "sim/study/search/stage_slowdowns.hpp"

namespace sim::study {

struct FirstBound {
  // Without the update: of all, and with whole pipeline stages between the end of the first forward
  // pass and the begin of the last backward pass, from the end of the first, and to the begin of the
  // last.
  struct Computing {
    double all_s = 0;
    double between_s = 0, from_forward_s = 0, to_backward_s = 0;
  };
  // With what is exchanged on this cluster's NICs, and without what leaves nodes.
  Computing on_these_nics, on_any_nics;
  double bytes = 0;  // leaving the busiest node
  // NodeBytes
  double gathered = 0, summed = 0, gathered_and_summed = 0;
  double update_s = 0;

  // On NICs `factor` times as fast as this cluster's. Less a ten-thousandth, which the engine may
  // round off.
  [[nodiscard]] double seconds(const Cluster& cluster, double factor = 1) const;
};

// Of setups of one model on GPUs of one kind, which share data; from any thread.
class FirstBounds {
 public:
  [[nodiscard]] FirstBound of(const Job& job, const Setup& setup);
  // Seconds of the step with each stage's order and exchanges in turn (sim/program/stage_walk.hpp), on
  // this cluster's NICs: mostly a tenth of a millisecond to a few. 0 where nothing is known.
  [[nodiscard]] double in_order_s(const Job& job, const Setup& setup);
  // Of all setups with that parallelism, however weights and gradients are sharded, whose layers
  // exchange such wires: their kernels alone, and what is exchanged in closed form.
  [[nodiscard]] double kernels_s(const Job& job, const Parallelism& p,
                                 const ActivationExchange& wires);

 private:
  // Passes over weights and gradients: once before everything, in each micro-batch's forward and
  // backward pass, once more in any of these or after the last, and in the update.
  struct Buffers {
    double first = 0, forward = 0, backward = 0, last = 0, update = 0;
  };
  [[nodiscard]] FirstBound::Computing computing(const Job& job, const Parallelism& p,
                                                const LayerExchanges& exchanges,
                                                const std::vector<Buffers>& by_stage);
  // Seconds of the passes of the stages before one, where these may have faster GPUs.
  struct Around {
    double fill = 0, drain = 0;
  };
  [[nodiscard]] static Around around(const Job& job, const Stages& stages, const Passes& pass,
                                     int stage, double other_stages);
  [[nodiscard]] LayerExchanges exchanges_of(const Job& job, const Setup& setup);
  [[nodiscard]] static std::vector<Buffers> buffers(const Job& job, int stages,
                                                    const Outline& outline);

  // By the slowdown of GPUs whose speeds differ, and what matters of the parallelism.
  using Key = std::tuple<double, Parallelism>;

  // Of a step's GPUs, whose speeds differ. Where ranks are simulated one by one, the slowest GPU of all
  // is one stage's alone.
  [[nodiscard]] StageSlowdowns slowdowns(const Job& job, const Parallelism& p);
  using StagesKey = std::tuple<int, int, int, Placement>;  // ranks, stages, tensor

  [[nodiscard]] static Passes least(Passes a, const Passes& b);
  // Of so many layers.
  [[nodiscard]] static double sum(const Passes& passes, double LayerPass::*pass,
                                  const KindCounts& layers);
  [[nodiscard]] static Passes passes_of(const Job& job, const Parallelism& p,
                                        const LayerExchanges& exchanges, double slowdown);
  [[nodiscard]] Passes passes(const Job& job, const Parallelism& p, const LayerExchanges& exchanges,
                              double slowdown);

  std::mutex mutex_;
  LeastExchanges exchanges_;
  Memo<Key, LayerExchanges, Passes> known_;
  std::map<StagesKey, StageSlowdowns> of_stages_;
};

}  // namespace sim::study
