// SPDX-License-Identifier: Apache-2.0
// Collisions: where replicas that go on together meet on links. Where all GPUs are equally fast, they meet
// there every time, and each waits for all of them; where they are not, replicas soon run at different
// times, and a link carries what one sends while the others compute. A rank that stands for alike ones
// would be of the first kind, up to half as slow again.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/program/groups.hpp"
#include "sim/schedule/alike.hpp"

namespace sim {

struct AlikeClasses;

// Classes of links, and kinds of flows, messages of pipelines or what ranks exchange in each layer, that
// several replicas or several stages send over one of the links.
using Meetings = std::set<std::pair<std::uint32_t, int>>;
// `crossed` are the links of the drafts' legs, in their order; `links` are the classes of all links, the
// first of which are the topology's, so many as `wired`.
[[nodiscard]] Meetings meetings_of(const GroupDrafts& drafts, const Classes& links,
                                   const Lists<Crossing>& crossed, std::size_t wired);

// Whether a link is slower than all together that several replicas, or several stages, send over it in one
// direction. `classes` are of the drafts.
[[nodiscard]] bool replicas_collide(const Topology& topology, const GroupDrafts& drafts,
                                    const AlikeClasses& classes);

}  // namespace sim
