#include "apps/calibrate/workspace.hpp"

#include <algorithm>

#include "codecs/error/distributions.hpp"
#include "codecs/group/group.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::cuda::check;

template <typename T>
void fill_with_pattern(const std::vector<T>& pattern, const codecs::cuda::DeviceBuffer<T>& to) {
  for (std::size_t first = 0; first < to.size(); first += pattern.size()) {
    const std::size_t count = std::min(pattern.size(), to.size() - first);
    check(cudaMemcpy(to.get() + first, pattern.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
}

// The model differs from the master by about one part in 128, as after a step of the optimizer.
Bf16 model_value(float master, std::size_t index) {
  return codecs::to_bf16(master * (1 + static_cast<float>(index % 5) / 256));
}

void append(const std::byte* memory, std::size_t bytes, std::vector<std::byte>& to) {
  const auto part = from_device<std::byte>(memory, 0, bytes);
  to.insert(to.end(), part.begin(), part.end());
}

}  // namespace

Workspace::Workspace(std::size_t max_bytes)
    : pattern_(codecs::draw(codecs::distribution_named("normal"), 1, kPattern)),
      input_(max_bytes / sizeof(float)),
      model_(max_bytes / sizeof(float)),
      wires_(max_bytes + (std::size_t{1} << 20)),
      output_(max_bytes + (std::size_t{1} << 20)) {
  fill_with_pattern(pattern_, input_);
  reset_model();
}

void Workspace::reset_model() const { fill_with_pattern(model_piece(0, kPattern), model_); }

std::vector<float> Workspace::input_piece(std::size_t first, std::size_t count) const {
  std::vector<float> piece(count);
  for (std::size_t i = 0; i < count; ++i) piece[i] = pattern_[(first + i) % kPattern];
  return piece;
}

std::vector<Bf16> Workspace::model_piece(std::size_t first, std::size_t count) const {
  std::vector<Bf16> piece(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % kPattern;
    piece[i] = model_value(pattern_[index], index);
  }
  return piece;
}

std::vector<std::byte> wire_piece(const codecs::Format& format, const std::byte* wire,
                                  const Piece& piece) {
  std::vector<std::byte> bytes;
  const auto code = [&](std::size_t elements) {
    return elements * static_cast<std::size_t>(codecs::bits_of(format.element)) / 8;
  };
  if (format.group == 1) {
    append(wire + code(piece.first), code(piece.count), bytes);
    return bytes;
  }
  const codecs::GroupWire whole = codecs::group_wire(format, piece.elements);
  const codecs::GroupWire part = codecs::group_wire(format, piece.count);
  append(wire + code(piece.first), part.payload_bytes, bytes);
  append(wire + whole.payload_bytes + piece.first / format.group * sizeof(float),
         part.groups * sizeof(float), bytes);
  bytes.resize(part.bytes);
  return bytes;
}

std::vector<Piece> sample(std::size_t elements) {
  constexpr std::size_t kGroups = 2048;  // a multiple of every format's group
  const std::size_t count = std::min(elements, 2 * kGroups);
  const std::size_t last = (elements - count) / kGroups * kGroups;
  return {{elements, 0, count}, {elements, last, elements - last}};
}

}  // namespace calibrate
