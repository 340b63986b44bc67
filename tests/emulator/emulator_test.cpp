// SPDX-License-Identifier: Apache-2.0
// What threads share and what the emulator must refuse: races, lanes that do not come, guards.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/emulator/block.hpp"
#include "tests/emulator/run.hpp"

namespace emulator {
namespace {

// The message of the Misuse that the launch throws; "" if it throws none.
template <typename Launch>
std::string complaint(Launch launch) {
  try {
    launch();
  } catch (const Misuse& misuse) {
    return misuse.what();
  }
  return "";
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

__global__ void index_kernel(unsigned* out) {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

TEST(EmulatedGrid, RunsEveryThreadOnce) {
  const DeviceBuffer<unsigned> out(720);
  run(index_kernel, {.blocks = {2, 3, 1}, .threads = {4, 5, 6}}, out.get());
  const std::vector<unsigned> numbers = out.to_host();
  for (unsigned i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i / 120 * 1000 + i % 120);
}

// Reverses 1024 values of each block through shared memory.
template <bool kWaits>
__global__ void reverse_kernel(unsigned* values) {
  __shared__ unsigned shared[1024];
  unsigned& own = values[blockIdx.x * 1024 + threadIdx.x];
  shared[threadIdx.x] = own;
  if constexpr (kWaits) __syncthreads();
  own = shared[1023 - threadIdx.x];
}

template <bool kWaits>
bool reverses_every_block() {
  std::vector<unsigned> values(2048);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = i;
  const DeviceBuffer<unsigned> buffer{std::span<const unsigned>(values)};
  run(reverse_kernel<kWaits>, {.blocks = 2, .threads = 1024}, buffer.get());
  std::reverse(values.begin(), values.begin() + 1024);
  std::reverse(values.begin() + 1024, values.end());
  return buffer.to_host() == values;
}

TEST(EmulatedBarrier, HoldsEveryThreadUntilAllHaveCome) {
  EXPECT_TRUE(reverses_every_block<true>());
  EXPECT_FALSE(reverses_every_block<false>()) << "a missing barrier shows";
}

// Threads that have returned are not waited for.
__global__ void vote_kernel(int* counts) {
  if (threadIdx.x >= 96) return;
  counts[0] = __syncthreads_count(threadIdx.x % 3 == 0);
  counts[1] = __syncthreads_and(threadIdx.x < 96);
  counts[2] = __syncthreads_and(threadIdx.x < 95);
  counts[3] = __syncthreads_or(threadIdx.x == 95);
  counts[4] = __syncthreads_or(threadIdx.x == 96);
}

TEST(EmulatedBarrier, CountsTheVotesOfTheThreadsThatAreThere) {
  const DeviceBuffer<int> counts(5);
  run(vote_kernel, {.threads = 128}, counts.get());
  EXPECT_EQ(counts.to_host(), (std::vector<int>{32, 1, 0, 1, 0}));
}

__global__ void two_barriers_kernel() {
  if (threadIdx.x < 32) __syncthreads();
  if (threadIdx.x >= 32) __syncthreads();
}

TEST(EmulatedBarrier, IsOneForAllThreads) {
  expect_parts(complaint([] { run(two_barriers_kernel, {.threads = 64}); }),
               {"different barriers", "threads 0 to 31 in __syncthreads() at",
                "threads 32 to 63 in __syncthreads() at", "emulator_test.cpp:"});
}

__global__ void flag_kernel(unsigned* out) {
  __shared__ volatile bool is_set;
  if (threadIdx.x == 0) is_set = false;
  __syncthreads();
  if (threadIdx.x == 63) is_set = true;
  while (!is_set) __nanosleep(100);
  out[threadIdx.x] = threadIdx.x;
}

TEST(EmulatedSleep, LetsOtherWarpsRun) {
  const DeviceBuffer<unsigned> out(64);
  run(flag_kernel, {.threads = 64}, out.get());
  EXPECT_EQ(out.to_host()[0], 0u);
}

__global__ void returned_kernel(int* out) {
  if (threadIdx.x >= 48) return;
  out[threadIdx.x] = __shfl_xor_sync(kAllLanes, static_cast<int>(threadIdx.x), 1);
}

TEST(EmulatedWarp, ReportsLanesThatReturned) {
  const DeviceBuffer<int> out(64);
  expect_parts(complaint([&] { run(returned_kernel, {.threads = 64}, out.get()); }),
               {"threads 32 to 47 in __shfl_xor_sync(0xffffffff) at",
                "emulator_test.cpp:", "threads 48 to 63 returned"});
}

__global__ void diverging_kernel(int* out) {
  if (threadIdx.x % 32 < 8) {
    out[threadIdx.x] = __any_sync(kAllLanes, 1);
  } else {
    __syncwarp();
  }
}

TEST(EmulatedWarp, ReportsLanesThatDoOtherThings) {
  const DeviceBuffer<int> out(32);
  expect_parts(complaint([&] { run(diverging_kernel, {.threads = 32}, out.get()); }),
               {"threads 0 to 7 in __any_sync(", "threads 8 to 31 in __syncwarp("});
}

__global__ void barrier_in_warp_kernel(int* out) {
  if (threadIdx.x == 5) __syncthreads();
  out[threadIdx.x] = __any_sync(kAllLanes, 1);
}

TEST(EmulatedWarp, ReportsALaneAtABarrier) {
  const DeviceBuffer<int> out(32);
  expect_parts(complaint([&] { run(barrier_in_warp_kernel, {.threads = 32}, out.get()); }),
               {"threads 5 to 5 in __syncthreads()", "threads 6 to 31 in __any_sync("});
}

__global__ void mask_kernel(unsigned lanes, int source, int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(lanes, 1, source);
}

TEST(EmulatedWarp, ReportsMasksWithoutTheCallerOrTheSource) {
  const DeviceBuffer<int> out(32);
  const auto with = [&](unsigned lanes, int source) {
    return complaint([&] { run(mask_kernel, {.threads = 32}, lanes, source, out.get()); });
  };
  EXPECT_EQ(with(0xFFFFu, 15), "");
  expect_parts(with(0xFFFFu, 16), {"asks for the value of lane 16, which is not in the mask"});
  expect_parts(with(0xFFFEu, 1), {"the mask does not name the caller: lane 0"});
}

// The address sanitizer would see it first.
[[gnu::no_sanitize_address]] std::byte replace(std::byte* byte, std::byte by) {
  const std::byte old = *byte;
  *byte = by;
  return old;
}
__global__ void write_kernel(std::byte* byte, std::byte* old) {
  *old = replace(byte, std::byte{1});
}

TEST(EmulatedMemory, ReportsWritesBesideAnAllocation) {
  const DeviceBuffer<std::byte> old(1);
  for (const std::ptrdiff_t at : {-1, 100, 255, 256}) {
    const DeviceBuffer<std::byte> memory(100);
    std::byte* const beside = memory.get() + at;
    expect_parts(complaint([&] { run(write_kernel, {.threads = 1}, beside, old.get()); }),
                 {"an allocation of 100 bytes"});
    replace(beside, old.to_host().front());
  }
}

TEST(EmulatedMemory, KnowsWhatIsDeviceMemory) {
  const DeviceBuffer<int> device(10);
  std::vector<int> host(11);
  EXPECT_NE(device.to_host(), std::vector<int>(10)) << "it is full of garbage";
  EXPECT_EQ(cudaMemcpy(host.data(), device.get(), 44, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device.get(), 40, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  EXPECT_THROW(run(vote_kernel, {.threads = 1025}, device.get()), codecs::cuda::CudaError);
}

// Writes or reads what it has not written.
__global__ void leftover_kernel(unsigned* out) {
  __shared__ unsigned shared[4096];
  if (blockIdx.x % 2 == 0) {
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) shared[i] = i;
  } else {
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) out[i] = shared[i];
  }
}

TEST(EmulatedSharedMemory, HoldsNothingOfTheBlockBefore) {
  const DeviceBuffer<unsigned> out(4096);
  run(leftover_kernel, {.blocks = 2, .threads = 64}, out.get());
  EXPECT_EQ(out.to_host(), std::vector<unsigned>(4096, 0xDBDBDBDBu));
}

__global__ void copy_kernel(const int* from, int* to) { *to = *from; }

int copied(const int* from, cudaStream_t stream) {
  const DeviceBuffer<int> to(1);
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, copy_kernel, from, to.get()));
  return to.to_host().front();
}

TEST(EmulatedStreams, SeeAnUploadOnceSomethingHasWaitedForIt) {
  const codecs::cuda::Stream stream;
  const DeviceBuffer<int> memory(1);
  const auto put = [&](int value) {
    check(cudaMemcpy(memory.get(), &value, sizeof value, cudaMemcpyHostToDevice));
  };
  put(1);
  EXPECT_EQ(copied(memory.get(), nullptr), 1);
  put(2);
  EXPECT_EQ(copied(memory.get(), stream.get()), 1);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(copied(memory.get(), stream.get()), 2);
}

TEST(EmulatedStreams, SeeWhatABufferWasMadeOf) {
  const codecs::cuda::Stream stream;
  const DeviceBuffer<int> memory{std::vector<int>{7}};
  EXPECT_EQ(copied(memory.get(), stream.get()), 7);
}

TEST(EmulatedGraph, DoesWhatWasCapturedAtEachLaunch) {
  const codecs::cuda::Stream stream;
  const DeviceBuffer<unsigned> values{std::vector<unsigned>{1, 2, 3}}, copied(3);
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  check(cudaMemcpyAsync(copied.get(), values.get(), 12, cudaMemcpyDeviceToDevice, stream.get()));
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorStreamCaptureUnsupported);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  EXPECT_NE(copied.to_host(), values.to_host());
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (const unsigned first : {1u, 7u}) {
    codecs::cuda::upload(std::span<const unsigned>(std::vector<unsigned>{first, 2, 3}),
                         values.get());
    check(cudaGraphLaunch(executable, stream.get()));
    EXPECT_EQ(copied.to_host(), (std::vector<unsigned>{first, 2, 3}));
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace emulator
