// SPDX-License-Identifier: Apache-2.0
// settle(): from the periods of a pipeline's order that were played to those that were left out.
//
//   stage 0  F F│F B│F B│F B│F B│B B
//   stage 1    F│F B│F B│F B│F B│F B│B
//                       └───┘ the period before the first stage begins its last one
//
// What runs next depends only on what has run. So if all that ended lately, at every stage, did so a
// period after the same of the period before, it goes on like that until the first stage has no more
// micro-batches to begin with.
#pragma once

#include "sim/engine/simulate.hpp"

namespace sim {

// Sets Timeline::repeated and adds it to the makespan, within 1e-6 of the whole step's. False if the
// timeline does not settle; true if its schedule leaves nothing out.
[[nodiscard]] bool settle(const Schedule& schedule, Timeline& timeline);

}  // namespace sim
