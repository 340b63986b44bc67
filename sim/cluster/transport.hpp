// Transport: how fast one connection gets over a long path, whatever the links could carry.
#pragma once

#include "sim/base/units.hpp"

namespace sim {

// [tcp]
struct Tcp {
  enum class Control { reno, cubic };
  int streams = 1;  // parallel connections of one sender
  Bytes window;     // largest in flight of a stream
  Bytes segment;    // payload of one packet
  Control control = Control::cubic;
};

// [rdma], as NCCL drives it: a channel sends on only into buffers that the receiver has freed.
struct Rdma {
  Bytes buffer;         // NCCL_BUFFSIZE
  int channels = 1;     // of one communicator
  int queue_pairs = 1;  // of a channel (NCCL_IB_QPS_PER_CONNECTION)
};

struct Transport {
  enum class Kind { tcp, rdma };
  enum class Sender { gpu, node, site };  // what holds connections of its own
  Kind kind = Kind::tcp;
  Sender sender = Sender::gpu;
  Tcp tcp;
  Rdma rdma;
};

// What the connections of one sender reach on a path. At a round trip of 0 that is no limit:
// infinity.
//
//   TCP    streams x min(window / RTT, what loss allows)
//     reno   segment / RTT x sqrt(3 / (2 p))             (Mathis et al., CCR 27(3), 1997, eq. 3)
//     cubic  segment / RTT^(1/4) x (C (3 + b) / (4 (1 - b)))^(1/4) / p^(3/4) with C = 0.4 and
//            b = 0.7, or reno's where that is more        (RFC 9438, eq. 6 and section 4.3)
//   RDMA   buffer x channels x queue pairs / RTT
[[nodiscard]] Bandwidth connection_rate(const Transport& transport, Seconds round_trip,
                                        double loss);

}  // namespace sim
