// Device memory that all measurements share, filled with values that the host knows: value i of the
// input is pattern[i % kPattern], so that any piece of an output can be checked on the CPU.
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"
#include "codecs/cuda/resources.hpp"

namespace calibrate {

inline constexpr std::size_t kPattern = std::size_t{1} << 20;
inline constexpr codecs::RandomKey kKey{.seed = 1};

class Workspace {
 public:
  // For inputs of up to max_bytes of float32; takes about four times as much memory.
  explicit Workspace(std::size_t max_bytes);

  [[nodiscard]] const float* input() const { return input_.get(); }
  [[nodiscard]] codecs::Bf16* model() const { return model_.get(); }
  [[nodiscard]] std::byte* wires() const { return wires_.get(); }  // what decodes read
  [[nodiscard]] std::byte* output() const { return output_.get(); }

  [[nodiscard]] std::vector<float> input_piece(std::size_t first, std::size_t count) const;
  [[nodiscard]] std::vector<codecs::Bf16> model_piece(std::size_t first, std::size_t count) const;
  // Writes the model's values again.
  void reset_model() const;

 private:
  std::vector<float> pattern_;
  codecs::cuda::DeviceBuffer<float> input_;
  codecs::cuda::DeviceBuffer<codecs::Bf16> model_;
  codecs::cuda::DeviceBuffer<std::byte> wires_;
  codecs::cuda::DeviceBuffer<std::byte> output_;
};

// Elements first ... first + count of a wire on the device, as a wire of `count` elements. `first`
// is a multiple of the group.
struct Piece {
  std::size_t elements = 0;  // of the whole wire
  std::size_t first = 0;
  std::size_t count = 0;
};
[[nodiscard]] std::vector<std::byte> wire_piece(const codecs::Format& format, const std::byte* wire,
                                                const Piece& piece);

// The first and the last values, in whole groups of every format: what is checked of each output.
[[nodiscard]] std::vector<Piece> sample(std::size_t elements);

template <typename T>
std::vector<T> from_device(const void* memory, std::size_t first, std::size_t count) {
  std::vector<T> host(count);
  codecs::cuda::check(cudaMemcpy(host.data(), static_cast<const T*>(memory) + first,
                                 count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

}  // namespace calibrate
