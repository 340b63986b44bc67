// A lower bound of a step's time in closed form, before anything of it is planned: microseconds
// instead of the milliseconds to seconds that a schedule takes.
//
// The longer of two:
//
//   compute   A pipeline stage begins when the stages before it have sent it the first micro-batch,
//             runs the passes of all of them one after the other, and its last backward pass is
//             followed by those of the stages before it: s F + m (F + B) + s B for stage s, with F
//             and B its passes of one of m micro-batches. They have all kernels of the layers at
//             their roofline, and the exchanges of tensor parallelism that nothing runs beside, at
//             the rate of a GPU's NVLink port.
//   network   What of weights and gradients has to leave a node, at the rate of all its NICs. A
//             node that holds k of the S shards of something lacks (S - k) / S of it: so much has
//             to come in where it is gathered, and to leave where it is summed. The collectives
//             send at least that, and as much in as out. Exchanges that are not counted (scalars,
//             pipeline messages, low-rank factors) are more.
//
// Whatever the engine adds, latency, kernels that slow each other, codecs, the update, is more.
#pragma once

#include <map>
#include <tuple>

#include "apps/job/job.hpp"

namespace apps {

struct FirstBound {
  double compute_s = 0;
  double bytes = 0;  // that leave the busiest node
  // On this cluster's NICs. Less a ten-thousandth, which the engine may round off.
  [[nodiscard]] double seconds(const sim::Cluster& cluster) const;
};

// Of setups of one model on GPUs of one kind, with what they have alike.
class FirstBounds {
 public:
  [[nodiscard]] FirstBound of(const Job& job, const Setup& setup);

 private:
  // Seconds of one micro-batch: of a layer, and of what stands around the layers.
  struct Passes {
    double forward = 0, backward = 0;
    double embedding = 0, embedding_backward = 0, head = 0, head_backward = 0;
  };
  // By GPUs (whose speeds differ), tensor parallelism, micro-batch, recomputation and scheme.
  using Key = std::tuple<int, int, int, sim::Recompute, std::string>;

  [[nodiscard]] const Passes& passes(const Job& job, const Setup& setup);
  std::map<Key, Passes> known_;
};

}  // namespace apps
