// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/program/groups.hpp"

namespace sim {

// Whether messages that several pipelines, or several stages, send in one direction share a link that is
// slower than all of them together; or collectives between their blocks of layers. Where all GPUs are equally fast, they meet there every time, and
// each stage waits for all of them; where they are not, pipelines soon run at different times, and a link
// carries one message while those who send the others compute. A rank that stands for alike ones would be of
// the first kind, up to half as slow again.
[[nodiscard]] bool pipelines_collide(const Topology& topology, const Parallelism& parallelism,
                                     const GroupDrafts& drafts);

}  // namespace sim
