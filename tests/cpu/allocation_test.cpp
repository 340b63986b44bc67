// SPDX-License-Identifier: Apache-2.0
// What the C header says of memory: decodes and sums of one thread allocate none, and few encodes do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "codecs/cpu/cpu.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/sparse/sparse.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace codecs::cpu {
namespace {

template <typename Work>
std::size_t allocations_of(const Work& work) {
  const std::size_t before = allocations;
  work();
  return allocations - before;
}

TEST(CpuMemory, IsTheCallersAlone) {
  std::vector<float> grown;
  EXPECT_EQ(allocations_of([&] { grown.resize(5); }), 1u);
  const std::vector<float> values(5000, 1.5f);
  std::vector<float> residual(values.size()), back(values.size());
  for (const CpuCodec& row : all_cpu_codecs()) {
    SCOPED_TRACE(row.codec->name);
    const Format& format = row.codec->format;
    std::vector<std::byte> wire(encoded_bytes(format, values.size()));
    const bool allocates = format.layout == &kSparseLayout ||
                           (format.element == Element::sign && format.group == kWholeTensor);
    row.encode(format, values, {}, wire, {});  // the first one looks at the processor
    EXPECT_EQ(allocations_of([&] {
                row.encode(format, values, {}, wire, {});
                row.encode_feedback(format, {}, values, {}, residual, wire, {});
              }) > 0,
              allocates);
    EXPECT_EQ(allocations_of([&] {
                row.decode(format, wire, back, {});
                row.decode_add(format, wire, back, {});
                if (row.decode_reduce != nullptr) row.decode_reduce(format, wire, 1, back, {});
              }),
              0u);
  }
}

}  // namespace
}  // namespace codecs::cpu
