// The emulated GPU's memory: allocations full of garbage, between guards that nobody may write.
#pragma once

#include <cstddef>
#include <string>

namespace emulator {

inline constexpr std::size_t kDeviceBytes = std::size_t{2} << 30;

// Null if the device has no more; aligned to 256 bytes.
void* allocate(std::size_t bytes);
// False if there is no such allocation. Aborts if its guards were written.
bool release(void* memory);

std::size_t allocated_bytes();

// Whether the bytes are part of one allocation.
bool is_allocated(const void* first, std::size_t bytes);

// Throws Misuse if the guards of an allocation were written.
void check_guards();

}  // namespace emulator
