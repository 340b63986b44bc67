// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/program/groups.hpp"
#include "sim/schedule/alike.hpp"

namespace sim {

// Whether a link is slower than all together that several replicas, or several stages, send over it in one
// direction: messages of pipelines, or what ranks exchange in each layer. Where all GPUs are
// equally fast, they meet there every time, and each waits for all of them; where they are not, replicas soon
// run at different times, and a link carries what one sends while the others compute. A rank that stands for
// alike ones would be of the first kind, up to half as slow again.
// `alike` is of the drafts.
[[nodiscard]] bool replicas_collide(const Topology& topology, const Parallelism& parallelism,
                                    const GroupDrafts& drafts, const AlikeParts& alike);

}  // namespace sim
