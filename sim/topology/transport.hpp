// SPDX-License-Identifier: Apache-2.0
// Transport: the rate of one connection over a long path, apart from the capacity of its links.
#pragma once

#include "sim/base/units.hpp"

namespace sim {

// [tcp]
struct Tcp {
  enum class Control { reno, cubic };
  int streams = 1;  // parallel connections of one sender
  Bytes window;     // most bytes in flight per stream
  Bytes segment;    // payload of one packet
  Control control = Control::cubic;
};

// [rdma], as NCCL drives it: a channel only sends into the slots of its buffer that the receiver
// has freed (src/transport/net.cc: NCCL_STEPS of them), by whichever of its queue pairs
// (src/transport/net_ib/p2p.cc). So it never has more than its buffer in flight.
struct Rdma {
  Bytes buffer;      // NCCL_BUFFSIZE
  int channels = 1;  // of one sender; those of a communicator take the NICs of a node in turn
};

struct Transport {
  enum class Kind { tcp, rdma };
  enum class Sender { gpu, node, site };  // the unit that has its own connections
  Kind kind = Kind::tcp;
  Sender sender = Sender::node;
  Tcp tcp;
  Rdma rdma;
};

// The rate that one sender's connections reach on a path. Infinity (no limit) at a round trip of 0:
//
//   TCP    streams x min(window / RTT, what loss allows)
//     reno   segment / RTT x sqrt(3 / (2 p))             (Mathis et al., CCR 27(3), 1997, eq. 3)
//     cubic  segment / RTT^(1/4) x (C (3 + b) / (4 (1 - b)))^(1/4) / p^(3/4) with C = 0.4 and
//            b = 0.7, or reno's where that is more        (RFC 9438, eq. 6 and section 4.3)
//   RDMA   buffer x channels / RTT
[[nodiscard]] Bandwidth connection_rate(const Transport& transport, Seconds round_trip,
                                        double loss);

}  // namespace sim
