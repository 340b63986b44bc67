// SPDX-License-Identifier: Apache-2.0
// alike_ground(): groups of a program in which one rank, one group and one flow stand for all that are
// alike (sim/schedule/alike.hpp). A link of the schedule carries as much of a flow as a link of its
// class carries of all flows of that class:
//
//   a ring over 16 nodes    2 flows, each over the links of 8 nodes
//   its class               1 flow, over 1 link of each kind
#pragma once

#include "sim/program/alike_classes.hpp"

namespace sim {

struct AlikeGround {
  Ground ground;
  Wiring wiring;  // of the routes that the builder has so far
};
// Of drafts of those classes.
[[nodiscard]] AlikeGround alike_ground(const Topology& topology, const GroupDrafts& drafts,
                                       const AlikeClasses& classes);

}  // namespace sim
