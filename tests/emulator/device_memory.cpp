// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/device_memory.hpp"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>

#include "tests/emulator/block.hpp"

namespace emulator {
namespace {

constexpr std::size_t kGuardBytes = 1024;
constexpr std::align_val_t kAlignment{256};
constexpr int kGuard = 0xC5;

struct Memory {
  std::map<const std::byte*, std::size_t, std::less<>> sizes;  // by the first byte
  std::size_t allocated = 0;
};

Memory& memory() {
  static Memory instance;
  return instance;
}

// The bytes after an allocation, up to the next multiple of the alignment, belong to the guard.
std::size_t guard_after(std::size_t bytes) { return kGuardBytes + (256 - bytes % 256) % 256; }

std::size_t with_guards(std::size_t bytes) { return kGuardBytes + bytes + guard_after(bytes); }

// Memory for the allocation and its guards; null if there is none.
std::byte* reserve(std::size_t bytes) {
  const std::size_t whole = with_guards(bytes);
  if (bytes < kSparseBytes) return static_cast<std::byte*>(::operator new(whole, kAlignment));
  void* const start = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

void give_back(std::byte* start, std::size_t bytes) {
  if (bytes < kSparseBytes) {
    ::operator delete(start, kAlignment);
  } else {
    munmap(start, with_guards(bytes));
  }
}

bool are_guards_whole(const std::byte* first, std::size_t bytes) {
  const auto is_guard = [](std::byte b) { return b == std::byte{kGuard}; };
  const std::byte* const end = first + bytes;
  ASAN_UNPOISON_MEMORY_REGION(first - kGuardBytes, kGuardBytes);
  ASAN_UNPOISON_MEMORY_REGION(end, guard_after(bytes));
  const bool whole = std::all_of(first - kGuardBytes, first, is_guard) &&
                     std::all_of(end, end + guard_after(bytes), is_guard);
  ASAN_POISON_MEMORY_REGION(first - kGuardBytes, kGuardBytes);
  ASAN_POISON_MEMORY_REGION(end, guard_after(bytes));
  return whole;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes > kDeviceBytes - memory().allocated) return nullptr;
  std::byte* const start = reserve(bytes);
  if (start == nullptr) return nullptr;
  std::byte* const first = start + kGuardBytes;
  std::memset(start, kGuard, kGuardBytes);
  std::memset(first + bytes, kGuard, guard_after(bytes));
  if (bytes < kSparseBytes) std::memset(first, kGarbage, bytes);
  ASAN_POISON_MEMORY_REGION(start, kGuardBytes);
  ASAN_POISON_MEMORY_REGION(first + bytes, guard_after(bytes));
  memory().sizes.emplace(first, bytes);
  memory().allocated += bytes;
  return first;
}

bool release(void* allocation) {
  const auto found = memory().sizes.find(static_cast<const std::byte*>(allocation));
  if (found == memory().sizes.end()) return false;
  const auto [first, bytes] = *found;
  if (!are_guards_whole(first, bytes)) {
    std::fputs("emulator: memory was freed whose guards were written\n", stderr);
    std::abort();
  }
  ASAN_UNPOISON_MEMORY_REGION(first - kGuardBytes, kGuardBytes);
  ASAN_UNPOISON_MEMORY_REGION(first + bytes, guard_after(bytes));
  memory().sizes.erase(found);
  memory().allocated -= bytes;
  give_back(static_cast<std::byte*>(allocation) - kGuardBytes, bytes);
  return true;
}

void fill(void* destination, int value, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  auto* const first = static_cast<std::byte*>(destination);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % kPage;
  // Others are no pages of their own.
  if (value != 0 || bytes < kSparseBytes) {
    std::memset(first, value, bytes);
    return;
  }
  const std::size_t pages = (bytes - before) / kPage * kPage;
  std::memset(first, 0, before);
  madvise(first + before, pages, MADV_DONTNEED);
  std::memset(first + before + pages, 0, bytes - before - pages);
}

std::size_t allocated_bytes() { return memory().allocated; }

bool is_allocated(const void* first, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(first);
  const auto after = memory().sizes.upper_bound(begin);
  if (after == memory().sizes.begin()) return false;
  const auto [start, size] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(begin - start);
  return offset <= size && bytes <= size - offset;
}

void check_guards() {
  for (const auto& [first, bytes] : memory().sizes) {
    if (are_guards_whole(first, bytes)) continue;
    throw Misuse("memory before or after an allocation of " + std::to_string(bytes) +
                 " bytes was written");
  }
}

}  // namespace emulator
