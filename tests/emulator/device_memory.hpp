// SPDX-License-Identifier: Apache-2.0
// The emulated GPU's memory: allocations full of garbage, between guards that nobody may write.
// Large ones are sparse: zeros, which take no memory of the machine before they are written.
#pragma once

#include <cstddef>
#include <string>

namespace emulator {

inline constexpr std::size_t kDeviceBytes = std::size_t{64} << 30;
inline constexpr std::size_t kSparseBytes = std::size_t{1} << 29;
// A large negative float, a NaN of no format, no small number.
inline constexpr int kGarbage = 0xDB;

// Null if the device has no more; aligned to 256 bytes.
void* allocate(std::size_t bytes);
// False if there is no such allocation. Aborts if its guards were written.
bool release(void* memory);

std::size_t allocated_bytes();

// memset(), but zeros in a sparse allocation give the machine its memory back.
void fill(void* memory, int value, std::size_t bytes);

// Whether the bytes are part of one allocation.
bool is_allocated(const void* first, std::size_t bytes);

// Throws Misuse if the guards of an allocation were written.
void check_guards();

}  // namespace emulator
