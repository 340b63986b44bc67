// SPDX-License-Identifier: Apache-2.0
// A simulation is a process of its own: SimGrid's state is global and cannot be made anew.
#pragma once

#include <functional>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace sim {

// The work took longer than it may: it is too large.
struct OutOfTime : InputError {
  using InputError::InputError;
};

// Runs the work in a forked process and waits for its end. From any thread, several at a time. A process
// that cannot go on, because a lock that it needs was held by another thread when it was forked, is ended
// and the work begun again: whatever it shares with the parent, it must write from the beginning.
//
// Throws OutOfTime after so much real time; std::bad_alloc if the work does; std::logic_error if it throws
// anything else, with the last line of what the process said, or dies by a signal.
void run_in_child(const std::function<void()>& work, Seconds wall_limit);

}  // namespace sim
