// SPDX-License-Identifier: Apache-2.0
// The shared memory of all kernels, which a block finds full of garbage.
#pragma once

namespace emulator {

// Overwrites it. Called before each block.
void forget_shared_memory();

}  // namespace emulator
