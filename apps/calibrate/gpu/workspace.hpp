// SPDX-License-Identifier: Apache-2.0
// Device memory for the measurements of one size: rings of equal buffers, so that rotating launches
// find none of their data in a cache.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/calibrate/pieces.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/cuda/resources.hpp"

namespace calibrate {

template <typename T>
class Ring {
 public:
  Ring(std::size_t elements, std::size_t copies)
      : stride_((elements * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment / sizeof(T)),
        copies_(copies),
        memory_(stride_ * copies) {}
  // The buffer of the launch with this running number.
  [[nodiscard]] T* at(std::size_t launch) const {
    return memory_.get() + launch % copies_ * stride_;
  }
  // The same values in every buffer, repeated from the start as often as needed.
  void fill(std::span<const T> values) const {
    fill_first(values);
    repeat_first(stride_);
  }
  // Zeros in every buffer.
  void clear(cudaStream_t stream) const {
    codecs::cuda::check(cudaMemsetAsync(memory_.get(), 0, memory_.size_bytes(), stream));
  }
  // Copies the first buffer's leading elements to every buffer.
  void repeat_first(std::size_t elements, cudaStream_t stream = nullptr) const {
    for (std::size_t copy = 1; copy < copies_; ++copy) {
      codecs::cuda::check(cudaMemcpyAsync(at(copy), memory_.get(), elements * sizeof(T),
                                          cudaMemcpyDeviceToDevice, stream));
    }
    if (stream == nullptr) codecs::cuda::check(cudaDeviceSynchronize());
  }

 private:
  static constexpr std::size_t kAlignment = 256;

  void fill_first(std::span<const T> values) const {
    using codecs::cuda::check;
    const std::size_t first = std::min(values.size(), stride_);
    codecs::cuda::upload(values.first(first), memory_.get());
    for (std::size_t done = first; done < stride_; done += first) {
      const std::size_t count = std::min(first, stride_ - done);
      check(cudaMemcpy(memory_.get() + done, memory_.get(), count * sizeof(T),
                       cudaMemcpyDeviceToDevice));
    }
  }

  std::size_t stride_, copies_;
  codecs::cuda::DeviceBuffer<T> memory_;
};

struct Workspace {
  // For `elements` values over all inputs, and wires of up to `wire_bytes`.
  Workspace(std::size_t count, std::size_t wire_bytes, std::size_t copies);
  // Restores the values that in-place launches changed.
  void reset_model() const;
  void reset_residual() const;

  std::size_t elements;
  Pattern pattern;
  Ring<float> input;
  Ring<codecs::Bf16> model;
  Ring<float> residual;
  Ring<std::byte> wires;   // what decodes read
  Ring<std::byte> output;  // what kernels write; as float32, bfloat16 or wires
  codecs::cuda::DeviceBuffer<float> decoded;
};

template <typename T>
std::vector<T> from_device(const void* memory, const Piece& piece) {
  std::vector<T> host(piece.count);
  codecs::cuda::check(cudaDeviceSynchronize());
  codecs::cuda::check(cudaMemcpy(host.data(), static_cast<const T*>(memory) + piece.first,
                                 piece.count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

}  // namespace calibrate
