// SPDX-License-Identifier: Apache-2.0
// A collective whose values travel encoded, as data: what each rank launches and what they send.
//
//   all_gather      [encode] ─► all_gather ─► [decode]                    a rank encodes its share
//   all_to_all      [encode] ─► all_to_all ─► [decode]
//   reduce_scatter  [encode] ─► all_to_all ─► [sum]
//   all_reduce      [encode] ─► all_to_all ─► [sum, encode] ─► all_gather ─► [decode]
#pragma once

#include "sim/program/communication.hpp"

namespace sim {

struct CodedCollective {
  CollectiveKind collective = CollectiveKind::all_reduce;
  Wire wire;
  double elements = 0;  // of the whole buffer
  int ranks = 2;
  int value_bytes = 2;  // of an element before it is encoded
};

// The encoded buffer: a message for each rank, each of a whole number of groups.
[[nodiscard]] double coded_bytes(const CodedCollective& coded);
[[nodiscard]] Communication coded_exchange(const CodedCollective& coded);

}  // namespace sim
