// SPDX-License-Identifier: Apache-2.0
// Owners of device memory, streams and events. Each resource is freed at the end of its owner's
// scope.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "codecs/cuda/error.hpp"

namespace codecs::cuda {

// Copies to device memory and waits until the values have arrived. cudaMemcpy() alone may return
// earlier, and a non-blocking stream (Stream) does not wait for it.
template <typename T>
void upload(std::span<const T> host, std::type_identity_t<T>* device) {
  check(cudaMemcpy(device, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());
}

// An array in device memory, aligned to at least 256 bytes, uninitialised.
template <typename T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    if (count > 0) check(cudaMalloc(&memory, count * sizeof(T)));
    memory_.reset(static_cast<T*>(memory));
  }
  explicit DeviceBuffer(std::span<const T> host) : DeviceBuffer(host.size()) {
    upload(host, get());
  }

  [[nodiscard]] T* get() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t size_bytes() const { return count_ * sizeof(T); }

  // Waits for all work on the device.
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> host(count_);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(host.data(), get(), size_bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t count_;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get())); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace codecs::cuda
